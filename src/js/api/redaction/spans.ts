// Texts of any length in parts, and what is found in them without overlaps.
import type { Range } from "./patterns.js";
import type { PatternName } from "./types.js";

/** Something found: by a rule, or by the model. */
export interface Span extends Range {
  label: string;
  score: number;
  pattern?: PatternName;
}

/** A part of a text; what begins in it between `from` and `to` is its own, and in no other part's. */
export interface Part extends Range {
  from: number;
  to: number;
}

/** UTF-16 code units of a part, and those that neighbours share: a part takes some milliseconds outside of the model. */
const LENGTH = 16_000;
const OVERLAP = 2_000;
/** How far back a space is looked for, at which to cut. */
const BACK = 200;

/** The parts of a text, which are cut at spaces where there are any. */
export function parts(text: string, length = LENGTH, overlap = OVERLAP, back = BACK): Part[] {
  const found: Part[] = [];
  for (let start = 0, from = 0; ; ) {
    const end = start + length >= text.length ? text.length : cut(text, start + length, back);
    const next = end === text.length ? end : cut(text, end - overlap, back);
    const to = end === text.length ? end : Math.floor((next + end) / 2);
    found.push({ start, end, from, to });
    if (end === text.length) return found;
    [start, from] = [next, to];
  }
}

/** The place at or before `at` that follows a space; without one nearby, `at`, but not within a character. */
function cut(text: string, at: number, back: number): number {
  for (let place = at; place > at - back; place--) if (/\s/.test(text[place - 1]!)) return place;
  return /[\udc00-\udfff]/.test(text[at]!) && /[\ud800-\udbff]/.test(text[at - 1]!) ? at - 1 : at;
}

/**
 * Spans of which none overlaps another, in order. What a rule found stays as it is; what the model found around it keeps the rest;
 * of the model's that overlap, as at the seam of two parts, one is made, so that all that either covers is covered. A rest that
 * the model took for a part of what the rule found, as "Anna" in "a@example.org. Anna Kovács", belongs to the span right after it.
 */
export function disjoint(text: string, spans: readonly Span[]): Span[] {
  const ordered = (some: Span[]) => some.sort((a, b) => a.start - b.start || b.end - a.end);
  const fixed: Span[] = [];
  for (const span of ordered(spans.filter(({ pattern }) => pattern)))
    if (span.start >= (fixed.at(-1)?.end ?? 0)) fixed.push(span);
  const merged: Span[] = [];
  for (const span of ordered(spans.filter(({ pattern }) => !pattern))) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push({ ...span });
    else {
      const longer = span.end - span.start > last.end - last.start ? span : last;
      merged[merged.length - 1] = { ...longer, start: last.start, end: Math.max(last.end, span.end) };
    }
  }
  let first = 0; // the first of `fixed` that may reach into the span
  const rests = merged.flatMap((span) => {
    while (first < fixed.length && fixed[first]!.end <= span.start) first++;
    return without(text, span, fixed, first);
  });
  return ordered([...fixed, ...joined(text, rests)]);
}

/** A span of the model's, or what is left of one beside what a rule found, whose label is `beside`. */
interface Rest extends Span {
  beside?: string;
}

/** Spans in order, with each rest of the rule's own label as the beginning of the span that only spaces part it from. */
function joined(text: string, rests: readonly Rest[]): Span[] {
  const found: Span[] = [];
  let begun: number | undefined;
  for (const [n, { beside, ...span }] of rests.entries()) {
    const next = rests[n + 1];
    const start = begun ?? span.start;
    const goesOn = beside === span.label && next && /^\s+$/.test(text.slice(span.end, next.start));
    begun = goesOn ? start : undefined;
    if (!goesOn) found.push({ ...span, start });
  }
  return found;
}

/** What is left of a span beside those of `fixed` from the `first` on. */
function without(text: string, span: Span, fixed: readonly Span[], first: number): Rest[] {
  const rests: Rest[] = [];
  let { start } = span;
  let n = first;
  for (; n < fixed.length && fixed[n]!.start < span.end; n++) {
    rests.push({ ...span, start, end: Math.max(start, fixed[n]!.start) });
    start = fixed[n]!.end;
  }
  if (n === first) return trimmed(text, span, /\S(?:.*\S)?/s);
  // Brackets and commas beside what a rule found belong to neither.
  rests.push({ ...span, start, end: Math.max(start, span.end), beside: fixed[n - 1]!.label });
  return rests.flatMap((rest) => trimmed(text, rest, /[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/su));
}

/** What `inner` matches of a span; nothing where it does not. */
function trimmed<S extends Span>(text: string, span: S, inner: RegExp): S[] {
  const match = inner.exec(text.slice(span.start, span.end));
  if (!match) return [];
  const start = span.start + match.index;
  return [{ ...span, start, end: start + match[0].length }];
}
