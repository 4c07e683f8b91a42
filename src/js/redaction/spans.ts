// Splits texts of any length into parts, and merges the entities found in them.

import { labelOfKey } from "./detectors/keys.js";
import { isPossible } from "./possible.js";
import type { Range, Span } from "./span-types.js";
import { UNITS } from "./units.js";

/** A part of a text. Entities that begin between `from` and `to` belong to this part only. */
export interface Part extends Range {
  from: number;
  to: number;
}

/**
 * Length of a part and overlap of neighbouring parts, in UTF-16 code units. The detectors take some milliseconds per
 * part.
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

/** The end of a paragraph, line or sentence. */
const ENDS = [/\n\s*\n/g, /\n/g, /[.!?。！？।؟]["')\]]*\s/g];

/**
 * Returns the parts of a text for a model: at most `length` code units, cut at the end of a line or sentence, so that
 * parts need not overlap. Only text without such an end for half a part is read twice at the seam.
 */
export function modelParts(text: string, length: number): Part[] {
  const found: Part[] = [];
  for (let start = 0, from = 0; ; ) {
    if (start + length >= text.length) {
      found.push({ start, end: text.length, from, to: text.length });
      return found;
    }
    const at = sentenceEnd(text, start + Math.floor(length / 2), start + length);
    if (at) {
      found.push({ start, end: at, from, to: at });
      [start, from] = [at, at];
      continue;
    }
    const end = cut(text, start + length, BACK);
    const next = cut(text, end - Math.floor(length / 4), Math.min(BACK, length >> 3));
    const to = Math.floor((next + end) / 2);
    found.push({ start, end, from, to });
    [start, from] = [next, to];
  }
}

function sentenceEnd(text: string, from: number, to: number): number | undefined {
  const piece = text.slice(from, to);
  for (const end of ENDS) {
    const last = Array.from(piece.matchAll(end)).at(-1);
    if (last) return from + last.index + last[0].length;
  }
  return undefined;
}

/** Returns the first of some ordered ranges without overlaps that ends at `place` or later. */
export function endingFrom<R extends Range>(ranges: readonly R[], place: number): R | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.end < place) low = middle + 1;
    else high = middle;
  }
  return ranges[low];
}

const ordered = <S extends Range>(some: S[]) => some.sort((a, b) => a.start - b.start || b.end - a.end);

/**
 * Returns ordered spans without overlaps. Spans of rules take precedence over spans of models. Overlapping spans of
 * models, e.g. at the seam of two parts, are merged. What a rule found is cut out of a model's span. A remainder may
 * belong to the next span: in "a@example.org. Anna Kovács" the model may have read "Anna" as part of the address.
 * Such a remainder is joined with the span right after it.
 */
export function disjoint(text: string, spans: readonly Span[]): Span[] {
  const fixed = settled(text, ordered(spans.filter(({ pattern }) => pattern)));
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
  return touching(text, ordered([...fixed, ...joined(text, rests)]));
}

/** Returns spans of rules without overlaps. `spans` are ordered by their start. */
function settled(text: string, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (let n = 0; n < spans.length; ) {
    let end = spans[n]!.end;
    let after = n + 1;
    while (after < spans.length && spans[after]!.start < end && after - n < 64)
      end = Math.max(end, spans[after++]!.end);
    const cluster = spans.slice(n, after);
    const before = found.at(-1)?.end ?? 0; // a cluster that was cut short may overlap the one before
    const kept = cluster.length === 1 ? cluster : resolved(text, cluster);
    found.push(...kept.filter((span) => span.start >= before));
    n = after;
  }
  return found;
}

/** Returns the spans to keep of a few that overlap. */
function resolved(text: string, cluster: readonly Span[]): Span[] {
  const kept: Span[] = [];
  const byRank = [...cluster].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || b.end - b.start - (a.end - a.start));
  for (const span of byRank) {
    const others = kept.filter((other) => other.start < span.end && span.start < other.end);
    if (others.some((other) => other.start <= span.start && other.end >= span.end)) continue;
    const inside = others.every((other) => other.start >= span.start && other.end <= span.end);
    if (inside && !/[\n\t]/.test(text.slice(span.start, span.end))) {
      const main = others.find((other) => (other.end - other.start) * 5 >= (span.end - span.start) * 3);
      for (const other of others) kept.splice(kept.indexOf(other), 1);
      kept.push(main ? { ...main, start: span.start, end: span.end } : span);
      continue;
    }
    let { start } = span; // partial overlap: the stronger span keeps its bounds
    for (const other of ordered([...others])) {
      kept.push(...trimmed(text, { ...span, start, end: Math.max(start, other.start) }, INNER));
      start = Math.max(start, other.end);
    }
    kept.push(...trimmed(text, { ...span, start, end: Math.max(start, span.end) }, INNER));
  }
  return ordered(kept);
}

/** From the first to the last letter or digit. */
const INNER = /[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/su;

/** A span of a model, or its remainder beside a rule's span with the label `beside`. */
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
    const goesOn = beside === span.label && next && /^[^\S\n\t]+$/.test(text.slice(span.end, next.start));
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
  return rests
    .flatMap((rest) => trimmed(text, rest, INNER))
    .filter((rest) => isValue(text, rest, fixed.slice(first, n)));
}

/**
 * Returns whether the remainder of a model's span can be a value by itself. A remainder without anything between it and
 * the rule's span is a part of the same token.
 */
function isValue(text: string, rest: Rest, beside: readonly Span[]): boolean {
  if (beside.some(({ start, end }) => [start, end].some((at) => isEdge(rest, at) && isWithinWord(text, at))))
    return true;
  return !(text[rest.start - 1] === "\n" && beginsField(text, rest.end)) && isPossible(text, rest);
}

const isEdge = ({ start, end }: Range, at: number) => start === at || end === at;

/** Returns whether the name of a field goes on after its first word: "Annual" of "Annual income:". */
export function beginsField(text: string, at: number): boolean {
  const [, rest] = /^[ ](\p{L}[\p{L} ]{0,40}):/u.exec(text.slice(at, at + 44)) ?? [];
  return rest !== undefined && (/^[\p{Ll} ]+$/u.test(rest) || labelOfKey(rest) !== undefined);
}

/** Returns the part of a span that `inner` matches, in an array; empty if nothing matches. */
function trimmed<S extends Span>(text: string, span: S, inner: RegExp): S[] {
  const match = inner.exec(text.slice(span.start, span.end));
  if (!match) return [];
  const start = span.start + match.index;
  return [{ ...span, start, end: start + match[0].length }];
}

/** Joins spans without anything between them: the reader would see one value as several placeholders. */
function touching(text: string, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans) {
    const last = found.at(-1);
    const areTwo = last?.pattern && span.pattern && !isWithinWord(text, span.start);
    if (!last || last.end < span.start || areTwo) {
      found.push(span);
      continue;
    }
    const main = !last.pattern === !span.pattern ? longer(last, span) : last.pattern ? last : span;
    found[found.length - 1] = { ...main, start: last.start, end: span.end };
  }
  return found;
}

const longer = (a: Span, b: Span) => (b.end - b.start > a.end - a.start ? b : a);
/** Letters and digits of scripts that put spaces between words. */
const SIGN =
  "(?:(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}])[\\p{L}\\p{M}\\p{N}])";
const ONE_SIGN = new RegExp(`^${SIGN}$`, "u");
const isWithinWord = (text: string, at: number) => ONE_SIGN.test(text[at - 1]!) && ONE_SIGN.test(text[at]!);

/** Labels whose values are one token: a model's span covers it whole. */
const TOKENS = /^(?:ID|EMAIL|PHONE|IP|SECRET|PASSWORD|USERNAME)$/;
const WORD = { before: new RegExp(`${SIGN}*$`, "u"), after: new RegExp(`^${SIGN}*`, "u") };
const TOKEN = {
  before: new RegExp(`(?:\\d+:)*(?:${SIGN}|[._#-])*$`, "u"),
  after: new RegExp(`^(?:[._:#/-]?${SIGN}+)*`, "u"),
};
/** What belongs to a number in groups: "TCK/2023/" and "LJ " before it, "/22/0915" and " 718" after it. */
const GROUPS = {
  before: /(?<![\p{L}\p{N}])(?:(?:\p{Lu}{1,6}|\d{1,6})[/-])+$|(?<![\p{L}\p{N}.])(?!(?:NR|NO|ID|VS)\b)\p{Lu}{1,2} $/u,
  after:
    /^(?:[/-][\p{Lu}\d]{1,8}(?![\p{L}]))+|^(?: \d{3}(?!\d))+(?![.,]\d)|^ (?=[\p{Lu}\d]*\d)[\p{Lu}\d]{3}(?![\p{L}\p{N}])|^(?<=\d) (?!I )\p{Lu}(?=[.,;)\n]|$)/u,
};
/** How far a span may be extended. */
const FAR = 64;

const isNumber = (word: string) => /^\d[\d., ]*$/.test(word);
/** Returns whether a text is a number and a currency. */
function isAmountOfMoney(word: string): boolean {
  const number = /^\d[\d., ]*\d/.exec(word)?.[0] ?? "";
  return number !== "" && UNITS.MONEY!.exec(word.slice(number.length))?.[0].length === word.length - number.length;
}

/** Returns a model's span extended to whole words, to whole tokens if its label has such values, and to the unit of its number. */
export function whole(text: string, span: Span): Span {
  const { start, end } = wholeWords(text, span);
  const word = text.slice(start, end);
  const isAmount = isNumber(word) ? UNITS.MONEY!.test(text.slice(end, end + 12)) : isAmountOfMoney(word);
  const label = isAmount ? "MONEY" : span.label;
  const unit = /\p{N}$/u.test(word) ? UNITS[label]?.exec(text.slice(end, end + 12)) : null;
  const digits = isAmount ? /(?:\d[\d., ]*)?$/.exec(text.slice(Math.max(0, start - 12), start))![0].length : 0;
  return { ...span, label, start: start - digits, end: end + (unit?.[0].length ?? 0) };
}

function wholeWords(text: string, span: Span): { start: number; end: number } {
  let { start, end } = span;
  const { before, after } = TOKENS.test(span.label) ? TOKEN : WORD;
  if (start > 0 && (before === TOKEN.before || isWithinWord(text, start)))
    start -= before.exec(text.slice(Math.max(0, start - FAR), start))![0].length;
  // A token goes on after a sign within it: "K26." and "3".
  const isBroken = before === TOKEN.before && /[._#/-]/.test(text[end - 1]!) && ONE_SIGN.test(text[end] ?? " ");
  if (end < text.length && (isBroken || isWithinWord(text, end)))
    end += after.exec(text.slice(end, end + 6 * FAR))![0].length;
  if (span.label !== "ID") return { start, end };
  start -= GROUPS.before.exec(text.slice(Math.max(0, start - FAR), start))?.[0].length ?? 0;
  end += GROUPS.after.exec(text.slice(end, end + FAR))?.[0].length ?? 0;
  return { start, end };
}

/** What separates two entities of any kind, and two people. */
const BREAKS = /[\n\r\t\v\f\u0085\u2028\u2029]+/g;
const VERSUS = /[\n\r\t\v\f\u0085\u2028\u2029]+|(?<!(?<!\p{L})\p{L})\s+(?:v|vs)\.?\s+/gu;

/**
 * Cuts spans of the original text at line ends and tabs, leaves out pieces without a letter or digit, and extends
 * each to whole characters with their combining marks.
 */
export function pieces(text: string, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans) {
    const word = text.slice(span.start, span.end);
    let from = 0;
    const breaks = [...word.matchAll(span.label === "PERSON" || span.label === "PER" ? VERSUS : BREAKS)];
    for (const [index, length] of [...breaks.map((at) => [at.index, at[0].length]), [word.length, 0]] as [
      number,
      number,
    ][]) {
      const piece = inked(text, { ...span, start: span.start + from, end: span.start + index });
      const isCut = from > 0 && !span.pattern;
      from = index + length;
      if (piece && isCut && beginsField(text, piece.end)) continue;
      if (!piece || piece.start < (found.at(-1)?.end ?? 0)) continue;
      if (breaks.length && span.pattern) piece.whole = { start: span.start, end: span.end };
      found.push(piece);
    }
  }
  return found;
}

function inked(text: string, span: Span): Span | undefined {
  const word = text.slice(span.start, span.end);
  if (!/[\p{L}\p{N}]/u.test(word)) return undefined;
  const start = span.start + /^\s*/.exec(word)![0].length;
  let end = span.end - /\s*$/.exec(word)![0].length;
  const marks = /^(?:[\udc00-\udfff]|\p{M}|\u200d|\u00ad)+/u.exec(text.slice(end, end + 32));
  if (marks && !/^[\u00ad\u200d]+$/.test(marks[0])) end += marks[0].length;
  return { ...span, start, end };
}
