// Hides each word in turn. Words that the model did not expect glow.
import { useComputed, useSignal } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Bars, barsOf } from "../../components/bars.tsx";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Took } from "../../components/took.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { Words } from "../../components/words.tsx";
import { named, percent } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { EXAMPLES, recordedWords } from "../../recorded.ts";
import { replaceRanges, written } from "../../text/guess.ts";
import { type Expectation, glow, MOST_WORDS, oddWords } from "../../text/odd.ts";
import { type Stretch, shownOf, stretchesOf } from "../../text/stretches.ts";

/** A word with at least this glow counts as unexpected. */
const ODD = 0.25;

/** A text, and the model's answers in the place of each of its words. */
interface Read {
  text: string;
  words: Expectation[];
}

function View({ app }: { app: App }) {
  /** The start of the word that the visitor chose; by default the oddest word. */
  const tapped = useSignal<number | undefined>(undefined);
  const shown = useComputed(() => shownOf(app.text.value));
  const answer = useLatest<Read>(app, () => {
    const [model, { shown: text }] = [app.model.value, shown.value];
    if (!model || !text.trim()) return null;
    return async (signal) => {
      const [unmask, tokenizer] = await Promise.all([model.fillMask(), model.tokenizer()]);
      return { text, words: await oddWords(unmask, tokenizer, text, signal) };
    };
  });
  const { shown: text, cut } = shown.value;
  const { value, error, ms } = answer.value;
  const recorded = value ? undefined : recordedWords(text);
  const words = recorded ?? (value && matching(value, text));
  const oddest = words?.reduce<Expectation | undefined>((a, b) => (b.excess > (a?.excess ?? 0) ? b : a), undefined);
  const about = words?.find(({ start }) => start === tapped.value) ?? oddest;
  const count = words?.filter(({ excess }) => glow(excess) > ODD).length ?? 0;
  useAnnounced(app, answer.value.busy || !words ? "" : verdict(oddest, count));
  const dress = (stretch: Stretch) => {
    const word = words?.find(({ start }) => start === stretch.start);
    const heat = word ? glow(word.excess) : 0;
    return {
      class: `heat${heat > ODD ? " odd" : ""}`,
      style: { "--heat": heat.toFixed(2) },
      pressed: word !== undefined && word === about,
      label: word
        ? `${stretch.text}, ${heat > ODD ? t`not expected` : t`expected`}: ${percent(word.score)}`
        : stretch.text,
    };
  };
  return (
    <div class="odd-word" aria-busy={answer.value.busy}>
      <p class="hint lead">{t`Each word is hidden in turn. Words that BERT did not expect glow; press a word to see what it expected.`}</p>
      {text.trim() ? (
        <Words
          stretches={stretchesOf(text)}
          label={t`The sentence: press a word to see what was expected`}
          dress={dress}
          onPress={({ start, kind }) => kind === "word" && (tapped.value = start)}
          {...(cut && { more: t`… the rest of the text is not read` })}
        />
      ) : (
        <p class="words hint">{t`Type a sentence.`}</p>
      )}
      {words ? (
        <>
          <p class="verdict">{verdict(oddest, count)}</p>
          {about && <Expected app={app} text={text} word={about} />}
          <Took ms={ms} recorded={recorded !== undefined} />
          {words.length === MOST_WORDS && <p class="hint">{tx`Only the first ${MOST_WORDS} words were looked at.`}</p>}
        </>
      ) : (
        <Waiting app={app} />
      )}
      <ErrorText app={app} error={error} />
      <Chips
        label={t`Examples`}
        chips={EXAMPLES}
        onChoose={(text) => ((tapped.value = undefined), (app.text.value = text))}
      />
    </div>
  );
}

/** The words of an answer that have kept their place in the current text. */
const matching = ({ words }: Read, text: string): Expectation[] =>
  words.filter(({ start, end, word }) => text.slice(start, end) === word);

/** A sentence on the result. */
function verdict(oddest: Expectation | undefined, count: number): string {
  if (!oddest || count === 0) return t`Nothing here surprises it.`;
  const [best] = oddest.expected;
  const rather = best ? t` It expected “${best.token_str}”.` : "";
  return t`${count > 1 ? t`${count} words surprise it, most of all` : t`What surprises it is`} “${named(oddest.word)}”.${rather}`;
}

/** The model's answers in the place of a word, with buttons to insert them. */
function Expected({ app, text, word }: { app: App; text: string; word: Expectation }) {
  const bars = barsOf(word.expected, word);
  const put = (index: number) => {
    app.text.value = replaceRanges(text, [word], () => written(bars[index]!.name)) + app.text.value.slice(text.length);
  };
  return (
    <section class="answers">
      <h2>{tx`What it expects in place of “${named(word.word)}”; press one to write it there`}</h2>
      <Bars label={t`In place of ${named(word.word)}`} bars={bars} onChoose={put} />
    </section>
  );
}

export default { id: "odd-word", View };
