// Compare: two sentences that differ in a few words, and what the model expects in the same gap of both.
import { useComputed } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { SaveImage } from "../../components/save-image.tsx";
import { Took } from "../../components/took.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { Words } from "../../components/words.tsx";
import { named } from "../../format.ts";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { type Candidate, compare, contrast, differenceOf, placeInSecond } from "../../text/compare.ts";
import { type Exchange, exchanges } from "../../text/exchanges.ts";
import { type Range, shownOf, stretchesOf } from "../../text/stretches.ts";
import { Side, Square } from "./figure.tsx";
import { paint } from "./picture.ts";
import { type Lack, type Question, questionOf } from "./question.ts";
import { PAIRS, recordedCandidates } from "./recorded.ts";
import { type CompareState, stateOf } from "./state.ts";
import { Years } from "./years.tsx";

/** An answer with its question: while the next one is computed, the sentences may already differ. */
interface Answered {
  asked: Question;
  candidates: Candidate[];
}

function View({ app }: { app: App }) {
  const state = stateOf(app);
  useLayoutEffect(() => state.open(), []); // before the first frame
  const question = useComputed(() => questionOf(app.text.value, state.other.value, app.hidden[0]));
  const answer = useLatest<Answered>(app, () => {
    const [model, asked] = [app.model.value, question.value];
    if (!model || typeof asked === "string") return null;
    return async (signal) => {
      const unmask = await model.fillMask();
      return { asked, candidates: await compare(unmask, asked.texts, asked.gaps, signal) };
    };
  });
  const asked = question.value;
  const { value, error, ms, busy } = answer.value;
  const recorded = value || typeof asked === "string" ? undefined : recordedOf(asked);
  const shown = recorded && typeof asked !== "string" ? { asked, candidates: recorded } : value;
  useAnnounced(app, busy || !shown ? "" : contrast(shown.candidates, shown.asked.names));
  return (
    <div class="compare" aria-busy={busy}>
      <p class="hint lead">{t`Two sentences differ in a few words: which words does BERT expect in the gap of each? Press a word to move the gap.`}</p>
      <Pair app={app} asked={asked} other={state.other.value} />
      <div class="compare-field">
        <label for="compare-other">{t`The second sentence; what both share changes in both`}</label>
        <input
          id="compare-other"
          dir="auto"
          spellcheck={false}
          autocomplete="off"
          maxLength={2000}
          value={state.other.value}
          onInput={({ currentTarget }) => state.write(currentTarget.value)}
        />
        <button type="button" class="plain" onClick={() => state.swap()}>{t`Exchange`}</button>
      </div>
      {typeof asked === "string" ? (
        <>
          <p class="hint compare-lack">{LACKS[asked]()}</p>
          {asked === "difference" && <Exchanges app={app} state={state} />}
        </>
      ) : shown ? (
        <Outcome {...shown} ms={ms} isRecorded={recorded !== undefined} />
      ) : (
        <Waiting app={app} />
      )}
      <ErrorText app={app} error={error} about={{ gaps: true, limit: app.limit.value }} />
      <h2>{t`Examples`}</h2>
      <Chips
        label={t`Examples`}
        chips={PAIRS.map(titleOf)}
        onChoose={(_, index) => {
          app.hide([]);
          state.set(...PAIRS[index]!);
        }}
      />
      <Years app={app} />
      <How />
    </div>
  );
}

const LACKS: Record<Lack, () => string> = {
  text: () => t`Type a sentence.`,
  difference: () => t`Both sentences are the same. Change a word in the second one, or press one of these words:`,
  gap: () => t`The sentences share no word that could be hidden. Write ___ in both where a word is to be guessed.`,
};

/** Words for the second sentence, while it is the same as the first. */
function Exchanges({ app, state }: { app: App; state: CompareState }) {
  const answer = useLatest<readonly Exchange[]>(app, () => {
    const [model, { shown: text }] = [app.model.value, shownOf(app.text.value)];
    return model && (async (signal) => exchanges(await model.fillMask(), text, signal));
  });
  const { value, error, busy } = answer.value;
  return (
    <div class="compare-exchanges" aria-busy={busy}>
      <Chips
        label={t`Other words`}
        chips={(value ?? []).map(({ word, other }) => `${word} → ${other}`)}
        onChoose={(_, index) => {
          const text = app.text.peek();
          state.set(text, value![index]!.text + text.slice(shownOf(text).shown.length));
        }}
      />
      <ErrorText app={app} error={error} />
    </div>
  );
}

/** The recorded answer to a question whose gap is written as ___. */
function recordedOf({ texts, gaps }: Question): Candidate[] | undefined {
  const { start, end } = gaps[0];
  return /^_+$/.test(texts[0].slice(start, end)) ? recordedCandidates(...texts) : undefined;
}

/** The name of a pair: its different words, and the first sentence. */
function titleOf([first, second]: readonly [string, string]): string {
  const { first: here, second: there } = differenceOf(first, second);
  return `${first.slice(0, here.start)}${first.slice(here.start, here.end)} / ${second.slice(there.start, there.end)}${first.slice(here.end)}`;
}

/** Both sentences in large type: what differs is coloured, the gap is a line. */
function Pair({ app, asked, other }: { app: App; asked: Question | Lack; other: string }) {
  const texts = typeof asked === "string" ? [shownOf(app.text.value).shown, shownOf(other).shown] : asked.texts;
  return (
    <div class="compare-pair">
      {texts.map((text, at) => {
        if (!text.trim()) return null;
        const differs =
          typeof asked === "string" ? undefined : at === 0 ? asked.difference.first : asked.difference.second;
        const gap = typeof asked === "string" ? undefined : asked.gaps[at];
        const hide = (range: Range) => {
          const place = at === 0 ? range : typeof asked === "string" ? undefined : placeInFirst(range, asked);
          if (place) app.hide([place]);
        };
        return (
          <Words
            key={at}
            label={t`${at === 0 ? t`The first` : t`The second`} sentence: press a word to hide it`}
            stretches={stretchesOf(text)}
            dress={({ start, end, kind }) =>
              start === gap?.start
                ? { class: "compare-gap", pressed: true, label: t`the gap`, content: "\u2003\u2003\u2003" }
                : {
                    class:
                      differs && start >= differs.start && end <= differs.end ? ["is-first", "is-second"][at]! : "",
                    pressed: false,
                    ...(kind === "gap" && { label: t`gap`, content: "____" }),
                  }
            }
            onPress={({ start, end }) => hide({ start, end })}
          />
        );
      })}
    </div>
  );
}

/** The place in the first sentence of a range of the second one. */
const placeInFirst = (range: Range, { difference: { first, second } }: Question) =>
  placeInSecond(range, { first: second, second: first });

function Outcome({ asked, candidates, ms, isRecorded }: Answered & { ms: number | undefined; isRecorded: boolean }) {
  const story = contrast(candidates, [named(asked.names[0]), named(asked.names[1])]);
  return (
    <>
      <h2 class="compare-head">{t`What it read, not what it thinks`}</h2>
      <p class="compare-story" dir="auto">
        {story}
      </p>
      <div class="compare-outcome">
        <Square candidates={candidates} names={asked.names} />
        <div class="compare-sides">
          <Side candidates={candidates} side="first" name={asked.names[0]} />
          <Side candidates={candidates} side="second" name={asked.names[1]} />
          <p class="hint">{t`How often words stood together in its texts. They describe the everyday life of a household in a wealthy country, and the web, so roles, jobs and foods lean that way.`}</p>
        </div>
      </div>
      <Took ms={ms} recorded={isRecorded} />
      <SaveImage
        name="compare.png"
        text={story}
        isPlain
        paint={(canvas, dress) => paint(canvas, { question: asked, candidates }, dress)}
      />
    </>
  );
}

function How() {
  return (
    <details class="how">
      <summary>{t`How this is computed`}</summary>
      <p>{t`The masked LM reads both sentences with the gap as [MASK]. Each dot is a word: to the right the more probable it is in the first sentence, upwards the more probable in the second one, both on a logarithmic scale. On the diagonal a word is as probable in both. Shown are words with at least 1 % in one sentence; words of the sentences themselves are left out. The examples are those with the greatest differences among pairs that were written for this page.`}</p>
    </details>
  );
}

export default { id: "compare", View };
