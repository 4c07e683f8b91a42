// The question to the model: a text with its gaps.
import type { Gap } from "../../text/guess.ts";
import { type Range, type Stretch, shownOf, stretchesOf } from "../../text/stretches.ts";

/** A text as shown, with its gaps in order. If the visitor made no gap, the page adds one. */
export interface Question {
  text: string;
  stretches: Stretch[];
  gaps: Gap[];
  /** True if the page added the gap at the end: the next word. */
  isNext: boolean;
  /** True if the text is longer than the part shown. */
  cut: boolean;
}

const same = (a: Range, b: Range) => a.start === b.start && a.end === b.end;

/**
 * The question for a text whose words at `hidden` are hidden. Gaps that the visitor wrote count as well. Without any gap, one is added
 * after the last word. `chosen`: words that the visitor chose, by the start of their gap.
 */
export function questionOf(
  whole: string,
  hidden: readonly Range[],
  chosen: Readonly<Record<number, string>> = {},
): Question | undefined {
  const { shown, cut } = shownOf(whole);
  let text = shown;
  let stretches = stretchesOf(text);
  if (!stretches.some(({ kind }) => kind !== "between")) return undefined;
  const find = () =>
    stretches.filter((one) => one.kind === "gap" || (one.kind === "word" && hidden.some((range) => same(range, one))));
  let gaps = find();
  const isNext = gaps.length === 0;
  if (isNext) {
    const [, body = "", end = ""] = /^([\s\S]*?)([\s.!?…。！？]*)$/.exec(text)!;
    text = `${body} ___${end.trimEnd()}`;
    stretches = stretchesOf(text);
    gaps = stretches.filter(({ start }) => start === body.length + 1);
  }
  return {
    text,
    stretches,
    isNext,
    cut,
    gaps: gaps.map(({ start, end }) => ({ start, end, ...(chosen[start] !== undefined && { chosen: chosen[start] }) })),
  };
}
