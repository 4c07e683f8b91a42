// A text as words, gaps and the text between them; ranges of it that keep their place while it is edited.

/** Code units of a text, from `start` up to `end`. */
export interface Range {
  start: number;
  end: number;
}

export interface Stretch extends Range {
  text: string;
  /** A word can be hidden. A gap is written by the visitor as ___ or [mask]. The rest is text between them. */
  kind: "word" | "gap" | "between";
}

/** Maximum characters that are shown as words and computed: some 450 tokens; most models read 512. */
export const SHOWN = 1800;

/** The visitor's spelling of a gap. */
export const GAP = /\[mask\]|_{2,}/gi;
/** A word with its apostrophes and hyphens. Each Chinese character is a word, because the model reads them one by one. */
const WORD = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+(?:['’](?!\p{Script=Han})[\p{L}\p{M}\p{N}]+)*/gu;

/** The stretches of a text, in order and without holes. */
export function stretchesOf(text: string): Stretch[] {
  const found: Stretch[] = [];
  const add = (kind: Stretch["kind"], start: number, end: number) => {
    if (end > start) found.push({ kind, start, end, text: text.slice(start, end) });
  };
  const words = (from: number, to: number) => {
    let at = from;
    for (const match of text.slice(from, to).matchAll(WORD)) {
      const start = from + match.index;
      add("between", at, start);
      add("word", start, (at = start + match[0].length));
    }
    add("between", at, to);
  };
  let at = 0;
  for (const match of text.matchAll(GAP)) {
    words(at, match.index);
    add("gap", match.index, (at = match.index + match[0].length));
  }
  words(at, text.length);
  return found;
}

/** The beginning of a text that is shown, cut between words if possible, and whether the text was cut. */
export function shownOf(text: string): { shown: string; cut: boolean } {
  if (text.length <= SHOWN) return { shown: text, cut: false };
  const space = text.lastIndexOf(" ", SHOWN);
  return { shown: text.slice(0, space > SHOWN / 2 ? space : SHOWN), cut: true };
}

/** The places in `after` of ranges of `before` that the edit did not touch. */
export function moveRanges(ranges: readonly Range[], before: string, after: string): Range[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const shift = after.length - before.length;
  return ranges.flatMap(({ start, end }) => {
    if (end <= head) return [{ start, end }];
    return start >= before.length - tail ? [{ start: start + shift, end: end + shift }] : [];
  });
}

/** Ranges in their stored form: "17-23,30-34". */
export const writeRanges = (ranges: readonly Range[]): string =>
  ranges.map(({ start, end }) => `${start}-${end}`).join(",");

export function readRanges(written: string): Range[] {
  return [...written.matchAll(/(\d+)-(\d+)/g)].map(([, start, end]) => ({ start: Number(start), end: Number(end) }));
}
