// State of the exact reasons: they need a second model, which is loaded when the visitor asks and freed when they are put away.
import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { type Answer, useLatest } from "../../latest.ts";
import { without, wordsOf } from "../../text/judge.ts";
import { type Range, stretchesOf } from "../../text/stretches.ts";
import { exactReasons, openExplainer } from "./exact.ts";
import type { LabelKind } from "./judges.ts";

/** Maximum characters that are explained; each of 32 gradients reads the text. */
const LONGEST = 400;

export interface Exact {
  /** True while they are shown. */
  isOn: Signal<boolean>;
  /** False for sentence vectors, which the package cannot explain. */
  isPossible: boolean;
  /** Strengths from -1 to 1 by the starts of the words; undefined while there are none. */
  reasons: ReadonlySignal<ReadonlyMap<number, number> | undefined>;
  answer: ReadonlySignal<Answer<unknown>>;
}

interface Answered {
  text: string;
  strengths: ReadonlyMap<number, number>;
}

export function useExactReasons(app: App, kind: LabelKind, text: string, struck: readonly Range[]): Exact {
  const isOn = useSignal(false);
  const question = useSignal({ text, struck });
  if (question.peek().text !== text || question.peek().struck !== struck) question.value = { text, struck };
  const explainer = useSignal<ReturnType<typeof openExplainer> | undefined>(undefined);
  const close = () => {
    explainer.peek()?.then(
      (made) => made.dispose(),
      () => {},
    );
    explainer.value = undefined;
  };
  useEffect(() => {
    if (!isOn.value) close();
  }, [isOn.value]);
  useEffect(() => close, []);
  const answer = useLatest<Answered>(app, () => {
    const model = app.model.value;
    const { text, struck } = question.value;
    if (!isOn.value || !model || kind === "labels" || text.length > LONGEST) return null;
    const left = without(text, struck);
    if (!left) return null;
    return async (signal) => {
      explainer.value ??= openExplainer(kind, model.device);
      explainer.peek()!.catch(() => (explainer.value = undefined)); // the next question tries again
      const words = stretchesOf(left).filter(({ kind }) => kind === "word");
      const strengths = await exactReasons(await explainer.peek()!, left, words, signal);
      const starts = wordsOf(text, struck).map(({ start }) => start);
      return { text, strengths: new Map(starts.map((start, at) => [start, strengths[at] ?? 0])) };
    };
  });
  const reasons = useComputed(() => {
    const { value } = answer.value;
    return isOn.value && value?.text === question.value.text ? value.strengths : undefined;
  });
  return { isOn, isPossible: kind !== "labels" && text.length <= LONGEST, reasons, answer };
}
