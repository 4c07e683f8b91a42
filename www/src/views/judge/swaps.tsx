// Other words: the masked LM's words for one place, or those that turn the verdict, coloured by the verdict that they lead to.
import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { App } from "../../app.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { named } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { type Judgement, nameOf, type Reason, shownLabel, without } from "../../text/judge.ts";
import { shownOf, stretchesOf } from "../../text/stretches.ts";
import { alternatives, type Swap, type SwapQuestion, turns } from "../../text/swaps.ts";
import type { Exact } from "./exact-reasons.ts";
import { judgeOf, type LabelKind } from "./judges.ts";
import { styleOf } from "./scale.tsx";
import type { JudgeState } from "./state.ts";

interface Props {
  app: App;
  state: JudgeState;
  kind: LabelKind;
  text: string;
  judgement: Judgement;
  /** The start of the word whose alternatives are shown. */
  held: Signal<number | undefined>;
  exact: Exact;
}

/** Returns the swaps of the held word, or those that turn the verdict of the text in `turning`. */
function useSwaps(
  { app, state, kind, judgement, held }: Omit<Props, "text" | "exact">,
  turning: Signal<string | undefined>,
) {
  const latest = useRef(judgement);
  latest.current = judgement;
  useSignalEffectNow(() => {
    const text = app.text.value;
    if (turning.peek() !== text) turning.value = undefined;
  });
  return useLatest<readonly Swap[]>(app, () => {
    const [model, start, whole] = [app.model.value, held.value, app.text.value];
    const isTurning = turning.value !== undefined;
    const struck = state.struck.value;
    if (!model || (start === undefined && !isTurning)) return null;
    const { shown } = shownOf(whole);
    const place = stretchesOf(shown).find((one) => one.kind === "word" && one.start === start);
    if (!place && !isTurning) return null;
    const labels = state.labels.peek();
    return async (signal) => {
      const [unmask, tokenizer, judge] = await Promise.all([
        model.fillMask(),
        model.tokenizer(),
        judgeOf(model, kind, labels),
      ]);
      const others = struck.filter((range) => range.start !== place?.start);
      const question: SwapQuestion = { unmask, tokenizer, judge, text: shown, struck: others, left: without };
      const { verdict, reasons } = latest.current;
      return place && !isTurning
        ? byScore(await alternatives(question, place, signal), verdict.best)
        : turns(question, verdict, reasons, signal);
    };
  });
}

export function Swaps({ app, state, kind, text, judgement, held, exact }: Props) {
  /** The text whose turns are shown. */
  const turning = useSignal<string | undefined>(undefined);
  /** The text before the latest swap, and after it. */
  const undo = useSignal<{ before: string; after: string } | undefined>(undefined);
  const answer = useSwaps({ app, state, kind, judgement, held }, turning);
  const put = (swap: Swap) => {
    const before = app.text.peek();
    const after = swap.text + before.slice(shownOf(before).shown.length);
    undo.value = { before, after };
    state.write(after);
  };
  const { value, error, busy } = answer.value;
  const strongest = judgement.reasons.reduce<Reason | undefined>((a, b) => (a && a.fall >= b.fall ? a : b), undefined);
  const heldWord = stretchesOf(text).find((one) => one.kind === "word" && one.start === held.value);
  const isOpen = turning.value !== undefined || heldWord !== undefined;
  return (
    <div class="swaps">
      <div class="row">
        <button
          type="button"
          disabled={!app.model.value}
          aria-expanded={turning.value !== undefined}
          onClick={() => {
            held.value = undefined;
            turning.value = turning.value === undefined ? app.text.peek() : undefined;
          }}
        >{t`One word turns it`}</button>
        {strongest && (
          <button
            type="button"
            class="plain"
            disabled={!app.model.value}
            aria-expanded={heldWord !== undefined && turning.value === undefined}
            onClick={() => {
              turning.value = undefined;
              held.value = held.value === undefined ? strongest.start : undefined;
            }}
          >{tx`Other words for “${named((heldWord ?? { text: strongest.word }).text)}”`}</button>
        )}
        {exact.isPossible && (
          <button
            type="button"
            class="plain"
            disabled={!app.model.value}
            aria-pressed={exact.isOn.value}
            onClick={() => (exact.isOn.value = !exact.isOn.value)}
          >{t`Exact reasons`}</button>
        )}
        {state.struck.value.length > 0 && (
          <button type="button" class="plain" onClick={() => state.restore()}>{t`Restore all words`}</button>
        )}
        {undo.value && undo.value.after === app.text.value && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              state.write(undo.peek()!.before);
              undo.value = undefined;
            }}
          >{t`Take back`}</button>
        )}
      </div>
      <ExactNote exact={exact} />
      {isOpen && (
        <section class="swap-box" aria-busy={busy} aria-label={t`Other words`}>
          <h2>{titleOf(turning.value !== undefined, heldWord?.text)}</h2>
          {value?.length === 0 && !busy ? (
            <p class="hint">{t`No likely word for one place does.`}</p>
          ) : (
            <SwapList kind={kind} swaps={value ?? []} withPlaces={turning.value !== undefined} onChoose={put} />
          )}
          {!value && !error && <p class="hint">…</p>}
        </section>
      )}
      <ErrorText app={app} error={error} />
    </div>
  );
}

const titleOf = (isTurning: boolean, word: string | undefined) =>
  isTurning
    ? t`With one other word, likely at its place, the verdict would be another`
    : t`In place of “${named(word ?? "")}” BERT expects these; the colour is the verdict that they lead to`;

/** The swaps, those that support the label most first. */
const byScore = (swaps: readonly Swap[], label: number): Swap[] =>
  [...swaps].sort((a, b) => b.verdict.scores[label]! - a.verdict.scores[label]!);

function SwapList({
  kind,
  swaps,
  withPlaces,
  onChoose,
}: {
  kind: LabelKind;
  swaps: readonly Swap[];
  withPlaces: boolean;
  onChoose: (swap: Swap) => void;
}) {
  return (
    <ul class="chips" aria-label={t`Other words`}>
      {swaps.map((swap) => {
        const said = nameOf(swap.verdict);
        return (
          <li key={`${swap.start} ${swap.other}`}>
            <button
              type="button"
              class={`chip swap${said === undefined ? " is-unsure" : ""}`}
              style={styleOf(kind, swap.verdict.best)}
              onClick={() => onChoose(swap)}
            >
              {withPlaces && <s>{swap.word}</s>} <b>{swap.other}</b> <small>{shownLabel(swap.verdict, said)}</small>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The state of the exact reasons, and what their lines mean. */
function ExactNote({ exact }: { exact: Exact }) {
  if (!exact.isOn.value) return null;
  const { error, busy } = exact.answer.value;
  return (
    <>
      <p class="hint" role="status">
        {exact.reasons.value
          ? t`The lower line is by integrated gradients: exact for the score, relative to an empty sentence.`
          : busy
            ? t`A second, exact copy of the model is loaded and computes …`
            : ""}
      </p>
      <ErrorText error={error} about={{ thing: t`The exact model` }} />
    </>
  );
}
