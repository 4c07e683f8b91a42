// What is asked of the model: a text with its gaps.
import type { Gap } from "../../text/guess.ts";
import { type Range, type Stretch, shownOf, stretchesOf } from "../../text/stretches.ts";

/** A text as it is shown, its gaps in order, and whether the one gap was put there by the page, as the visitor made none. */
export interface Question {
  text: string;
  stretches: Stretch[];
  gaps: Gap[];
  /** Whether the gap at the end is the page's: what comes next. */
  isNext: boolean;
  /** Whether the text goes on beyond what is shown. */
  cut: boolean;
}

const same = (a: Range, b: Range) => a.start === b.start && a.end === b.end;

/**
 * The question of a text whose words at `hidden` are hidden. A gap that the visitor wrote counts, too; where there is neither, the gap is
 * behind the last word. `chosen`: words that the visitor chose, by the start of their gap.
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
