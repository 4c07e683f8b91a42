// Guess: hides words and shows the model's answers for them at every key.
import { useComputed, useSignal } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Bars, barsOf } from "../../components/bars.tsx";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Pieces } from "../../components/pieces.tsx";
import { Took } from "../../components/took.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { named, percent, spoken } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { EXAMPLES, recordedGuess, recordedWords } from "../../recorded.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { type Guess, guess, MOST_GAPS, replaceRanges, written } from "../../text/guess.ts";
import type { Stretch } from "../../text/stretches.ts";
import { type Question, questionOf } from "./question.ts";
import { Sentence } from "./sentence.tsx";

/** A question and its answer. */
interface Answered {
  question: Question;
  guesses: Guess[];
}

function View({ app }: { app: App }) {
  const chosen = useSignal<Record<number, string>>({});
  useSignalEffectNow(() => {
    app.text.value; // a word chosen for a gap of another text has no meaning here
    chosen.value = {};
  });
  const question = useComputed(() => questionOf(app.text.value, app.hidden, chosen.value));
  const answer = useLatest<Answered>(app, () => {
    const [model, asked] = [app.model.value, question.value];
    if (!model || !asked) return null;
    return async (signal) => {
      const [unmask, tokenizer] = await Promise.all([model.fillMask(), model.tokenizer()]);
      return { question: asked, guesses: await guess(unmask, tokenizer, asked.text, asked.gaps, signal) };
    };
  });
  const asked = question.value;
  const { value, error, ms, busy } = answer.value;
  const recorded = asked && !value ? recordedGuess(asked.text, asked.gaps) : undefined;
  const guesses = recorded ?? (value && asked && fits(value, asked) ? value.guesses : undefined);
  const press = (stretch: Stretch) => {
    if (stretch.kind === "gap") {
      const at = asked!.gaps.findIndex(({ start }) => start === stretch.start);
      const best = guesses?.[at]?.words[0];
      if (best) app.text.value = replaceRanges(asked!.text, [stretch], () => written(best.token_str));
      return;
    }
    // Examples were recorded with one gap at a time.
    if (!app.model.value && recordedWords(app.text.value))
      return app.hide([{ start: stretch.start, end: stretch.end }]);
    const others = app.hidden.filter(({ start }) => start !== stretch.start);
    app.hide(others.length < app.hidden.length ? others : [...others, { start: stretch.start, end: stretch.end }]);
  };
  useAnnounced(app, summaryOf(guesses, busy));
  return (
    <div class="guess" aria-busy={busy}>
      {asked ? (
        <>
          <p class="hint lead">{t`Press a word to hide it. BERT’s guesses appear in its place.`}</p>
          <Sentence question={asked} guesses={guesses} onPress={press} />
          {guesses ? (
            <Answers
              asked={asked}
              guesses={guesses}
              chosen={chosen.value}
              onChoose={(start, word) => (chosen.value = { ...chosen.value, [start]: word })}
            />
          ) : (
            <Waiting app={app} />
          )}
          {guesses && (
            <Took ms={ms} recorded={recorded !== undefined} truncated={isTruncated(guesses)} limit={app.limit.value} />
          )}
          <Rewritten app={app} asked={asked} guesses={guesses} />
        </>
      ) : (
        <p class="hint lead">{t`Type a sentence: at every key, BERT shows what it expects.`}</p>
      )}
      <ErrorText app={app} error={error} about={{ gaps: true, limit: app.limit.value }} />
      <Chips label={t`Examples`} chips={EXAMPLES} onChoose={(text) => show(app, text)} />
      <h2>{t`What it reads`}</h2>
      <p class="hint">{t`Unknown words are put together from pieces; ## continues a word.`}</p>
      <Pieces app={app} text={app.text.value} />
    </div>
  );
}

/** Returns whether an answer can still be shown for a question: both have the same gaps, and the sentence changed only around them. */
const fits = (value: Answered, asked: Question) => value.question.gaps.length === asked.gaps.length;

/** Returns whether the text was cut. */
const isTruncated = (guesses: Guess[]) => guesses.some(({ words }) => words.some(({ truncated }) => truncated));

/** An example with its oddest word hidden. */
function show(app: App, text: string): void {
  app.text.value = text;
  const words = recordedWords(text) ?? [];
  const [odd] = [...words].sort((a, b) => b.excess - a.excess);
  app.hide(odd ? [{ start: odd.start, end: odd.end }] : []);
}

/** The best answer for each gap, as an announcement. */
const summaryOf = (guesses: Guess[] | undefined, busy: boolean): string =>
  busy || !guesses
    ? ""
    : `${guesses.map(({ words: [best] }) => (best ? `${spoken(best.token_str)}, ${percent(best.score)}` : t`no word for this gap`)).join("; ")}.`;

/** Bars for each gap. */
function Answers({
  asked,
  guesses,
  chosen,
  onChoose,
}: {
  asked: Question;
  guesses: Guess[];
  chosen: Readonly<Record<number, string>>;
  onChoose: (start: number, word: string) => void;
}) {
  const many = guesses.length > 1;
  return (
    <div class={many ? "answers many" : "answers"}>
      {guesses.map(({ words, own }, gap) => {
        const { start } = asked.gaps[gap]!;
        const shown = barsOf(words, own);
        const at = words.findIndex(({ token_str }) => token_str === chosen[start]);
        const title = own ? t`In place of “${named(own.word)}”` : asked.isNext ? t`What comes next` : t`Gap ${gap + 1}`;
        return (
          <section key={start}>
            <h2>{title}</h2>
            {words.length > 0 ? (
              <Bars
                label={title}
                bars={shown}
                chosen={at < 0 ? 0 : at}
                onChoose={(index) => onChoose(start, shown[index]!.name)}
              />
            ) : (
              <p class="hint">{t`The model has no word for this gap.`}</p>
            )}
          </section>
        );
      })}
      {asked.gaps.length > MOST_GAPS && (
        <p class="hint">{tx`… and ${asked.gaps.length - MOST_GAPS} gaps more, which are left open.`}</p>
      )}
    </div>
  );
}

/** The button that writes the model's answers into the sentence. */
function Rewritten({ app, asked, guesses }: { app: App; asked: Question; guesses: Guess[] | undefined }) {
  const isFilled = guesses?.some(({ words }) => words.length > 0);
  const keep = () => {
    app.text.value = replaceRanges(asked.text, asked.gaps, (gap) => {
      const word = asked.gaps[gap]!.chosen ?? guesses?.[gap]?.words[0]?.token_str;
      return word === undefined ? asked.text.slice(asked.gaps[gap]!.start, asked.gaps[gap]!.end) : written(word);
    });
  };
  return (
    <div class="row">
      <button type="button" class="plain" disabled={!isFilled} onClick={keep}>
        {asked.isNext ? t`Write it down` : t`Rewrite the sentence`}
      </button>
      <button
        type="button"
        class="plain"
        disabled={app.hidden.length === 0}
        onClick={() => app.hide([])}
      >{t`Show all words`}</button>
    </div>
  );
}

export default { id: "guess", View };
