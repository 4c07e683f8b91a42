// Splits texts of any length into parts, and merges the entities found in them.
import type { Range } from "./patterns.js";
import type { PatternName } from "./types.js";

/** An entity found by a rule or by the model. */
export interface Span extends Range {
  label: string;
  score: number;
  pattern?: PatternName;
}

/** A part of a text. Entities that begin between `from` and `to` belong to this part only. */
export interface Part extends Range {
  from: number;
  to: number;
}

/**
 * Length of a part and overlap of neighbouring parts, in UTF-16 code units. A part takes some milliseconds besides
 * the model.
 */
const LENGTH = 16_000;
const OVERLAP = 2_000;
/** How far to look back for a space to cut at. */
const BACK = 200;

/** Returns the parts of a text; cuts are at spaces if possible. */
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

/**
 * Returns a place at or before `at` that follows a space. Without a space nearby it returns `at`, moved so that it
 * does not split a character.
 */
function cut(text: string, at: number, back: number): number {
  for (let place = at; place > at - back; place--) if (/\s/.test(text[place - 1]!)) return place;
  return /[\udc00-\udfff]/.test(text[at]!) && /[\ud800-\udbff]/.test(text[at - 1]!) ? at - 1 : at;
}

/**
 * Returns ordered spans without overlaps. Spans found by rules stay unchanged. Overlapping spans of the model, e.g.
 * at the seam of two parts, are merged. What a rule found is cut out of the model's spans. A remainder may belong to
 * the next span: in "a@example.org. Anna Kovács" the model may have read "Anna" as part of the address. Such a
 * remainder is joined with the span right after it.
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
  let first = 0; // the first span of `fixed` that may reach into this span
  const rests = merged.flatMap((span) => {
    while (first < fixed.length && fixed[first]!.end <= span.start) first++;
    return without(text, span, fixed, first);
  });
  return ordered([...fixed, ...joined(text, rests)]);
}

/** A span of the model, or its remainder beside a rule's span with the label `beside`. */
interface Rest extends Span {
  beside?: string;
}

/** Joins each remainder that has the rule's own label with the next span, if only spaces separate them. */
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

/** Returns the parts of a span outside of `fixed`, starting at the index `first`. */
function without(text: string, span: Span, fixed: readonly Span[], first: number): Rest[] {
  const rests: Rest[] = [];
  let { start } = span;
  let n = first;
  for (; n < fixed.length && fixed[n]!.start < span.end; n++) {
    rests.push({ ...span, start, end: Math.max(start, fixed[n]!.start) });
    start = fixed[n]!.end;
  }
  if (n === first) return trimmed(text, span, /\S(?:.*\S)?/s);
  // Brackets and commas next to a rule's span belong to neither span.
  rests.push({ ...span, start, end: Math.max(start, span.end), beside: fixed[n - 1]!.label });
  return rests.flatMap((rest) => trimmed(text, rest, /[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/su));
}

/** Returns the part of a span that `inner` matches, in an array; empty if nothing matches. */
function trimmed<S extends Span>(text: string, span: S, inner: RegExp): S[] {
  const match = inner.exec(text.slice(span.start, span.end));
  if (!match) return [];
  const start = span.start + match.index;
  return [{ ...span, start, end: start + match[0].length }];
}
