// Finds the spans of a text: by detectors and own patterns in long parts, by models in short ones.
import { type Tick, ticker } from "../abort.js";
import type { Pipeline } from "../api/pipeline.js";
import { plausibleInEnglish, plausibleParts, withCapitals } from "./capitals.js";
import { agesOfPeople } from "./detectors/age.js";
import { withoutClosings } from "./detectors/closing.js";
import { DETECTORS, type Match } from "./detectors/detectors.js";
import { givenNames } from "./detectors/given-name.js";
import { illnesses } from "./detectors/illness.js";
import { withoutOrdinaryWords } from "./detectors/languages/asian-latin.js";
import { chinesePlaces } from "./detectors/languages/chinese-known-places.js";
import { DETECTOR_NAMES } from "./detectors/names.js";
import { englishOrganizations } from "./detectors/organization-english.js";
import { repeatedNames } from "./detectors/repeated-name.js";
import { isRole } from "./detectors/roles.js";
import { tables } from "./detectors/table.js";
import { extended } from "./extent.js";
import { fieldNames } from "./form.js";
import { withoutGreetings } from "./greeting.js";
import { biasFor } from "./label-bias.js";
import { isEnglish, judgedPart } from "./language.js";
import { type Normal, normal } from "./normal.js";
import { escaped } from "./placeholders.js";
import { type Plan, renaming } from "./plan.js";
import { inSentence, isPossible } from "./possible.js";
import type { Range, Span } from "./span-types.js";
import { beginsField, disjoint, endingFrom, modelParts, type Part, parts, pieces, whole } from "./spans.js";
import type { OwnPattern } from "./types.js";
import { shaped } from "./value-shape.js";

/**
 * Length of a part that a model reads at once, in UTF-16 code units. The package's model takes about 0.15 ms of
 * processor time for a code unit, so that a part takes about 50 ms.
 */
const MODEL_LENGTH = 320;
const SOURCE_LENGTH = 600;

/** Ranks: what the caller names comes first, then the detectors in their order. */
const OWN_RANK = -1;

/** Receives how many code units are done. */
export type Done = (units: number) => void;

/** Returns the spans to replace in a text, ordered and without overlaps, with offsets in the text itself. */
export async function spansOf(
  pipe: Pipeline<"token-classification"> | undefined,
  text: string,
  plan: Plan,
  done: Done,
): Promise<Span[]> {
  const tick = ticker(plan.signal);
  const read = await normal(text, tick);
  const { spans: found, columns } = await byRule(read.text, plan, tick, renaming(pipe));
  if (pipe) await byModel(pipe, read.text, plan, tick, found, done);
  else done(text.length);
  for (const source of plan.sources) await bySource(source, read.text, plan, tick, found);
  const isAllowed = allowed(read.text, plan);
  const isKept = (span: Span) => isAllowed(span) && (!!span.pattern || !isInside(span, columns));
  const below = columns.length ? found.map((span) => belowHeader(read.text, span, columns)) : found;
  let spans = await settled(read.text, await filtered(below, isKept, tick), tick);
  const rename = renaming(pipe);
  for (const [name, label, find] of LATER) {
    if ((plan.labels && !plan.labels.includes(rename(label))) || !plan.detectors.includes(name)) continue;
    const more = named(name, await find(read.text, spans, tick)).filter(
      (span) => isAllowed(span) && !isInside(span, columns),
    );
    const renamed = more.map((span) => ({ ...span, label: rename(span.label) }));
    if (more.length) spans = await settled(read.text, [...spans, ...renamed], tick);
  }
  spans = (await extended(read.text, spans, tick)).filter(isAllowed);
  const mine: Span[] = [];
  for (let n = 0; n < spans.length; n += SLICE) {
    for (const span of pieces(text, inOriginal(text, read, spans.slice(n, n + SLICE))))
      if (span.start >= (mine.at(-1)?.end ?? 0)) mine.push(span);
    await tick();
  }
  return mine;
}

/** Detectors that read whole texts after the others. */
const LATER = [
  ["organization", "ORGANIZATION", englishOrganizations],
  ["given-name", "PERSON", givenNames],
  ["repeated-name", "PERSON", repeatedNames],
  ["age", "AGE", agesOfPeople],
  ["place", "LOCATION", chinesePlaces],
  ["health", "HEALTH", illnesses],
] as const;

/** How many spans to process, and how many code units to take together, before yielding to the event loop. */
const SLICE = 500;
const STRETCH = 8_192;

/** Returns the spans that `isKept` accepts. */
async function filtered(spans: readonly Span[], isKept: (span: Span) => boolean, tick: Tick): Promise<Span[]> {
  const kept: Span[] = [];
  for (let n = 0; n < spans.length; n += SLICE) {
    for (const span of spans.slice(n, n + SLICE)) if (isKept(span)) kept.push(span);
    await tick();
  }
  return kept;
}

/** Returns the spans without overlaps, stretch by stretch. */
async function settled(text: string, spans: readonly Span[], tick: Tick): Promise<Span[]> {
  const stretches: Span[][] = [];
  for (const [n, span] of spans.entries()) {
    if (n % SLICE === 0) await tick();
    (stretches[Math.floor(span.start / STRETCH)] ??= []).push(span);
  }
  const found: Span[] = [];
  for (let n = 0; n < stretches.length; n++) {
    let group = stretches[n] ?? [];
    // A span may reach into the next stretch.
    while (n + 1 < stretches.length && group.some(({ end }) => end > (n + 1) * STRETCH))
      group = [...group, ...(stretches[++n] ?? [])];
    found.push(...disjoint(text, group));
    await tick();
  }
  return found;
}

/** Moves spans to the original text. A placeholder that the text already has stays as it is. */
function inOriginal(text: string, read: Normal, spans: readonly Span[]): Span[] {
  return spans
    .map((span) => ({ ...span, ...read.original(span.start, span.end) }))
    .filter(({ start, end }) => !isWithinPlaceholder(text, start, end));
}

const PLACEHOLDER = /\[[\p{Lu}\p{N}_]{2,60}_\d+\]/gu;

function isWithinPlaceholder(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - 90);
  const near = text.slice(from, Math.min(text.length, start + 90));
  if (!near.includes("[")) return false;
  return Array.from(near.matchAll(PLACEHOLDER)).some(
    ({ 0: word, index }) => from + index < end && from + index + word.length > start,
  );
}

const rankOf = (name: string) => (DETECTOR_NAMES as readonly string[]).indexOf(name);

const named = (pattern: string, matches: readonly Match[], rank = rankOf(pattern)): Span[] =>
  matches.map(({ start, end, label, score = 1 }) => ({ start, end, label, score, pattern, rank }));

const isOwn = ({ from, to }: Part, start: number) => start >= from && start < to;

async function byRule(
  text: string,
  plan: Plan,
  tick: Tick,
  rename: (label: string) => string,
): Promise<{ spans: Span[]; columns: readonly Range[] }> {
  const { labels, detectors } = plan;
  const isWanted = ({ label }: { label: string }) => !labels || labels.includes(label);
  const inParts = detectors
    .map((name) => ({ name, ...DETECTORS[name] }))
    .filter(({ labels: all, find }) => find && all.some((label) => isWanted({ label: rename(label) })));
  const spans: Span[] = [];
  const own = [...plan.own, ...plan.deny.map(denied)];
  for (const part of parts(text)) {
    const piece = text.slice(part.start, part.end);
    const add = (found: Span[]) => {
      for (const { label, ...span } of found)
        if (isOwn(part, span.start + part.start) && isWanted({ label: rename(label) }))
          spans.push({ ...span, label: rename(label), start: span.start + part.start, end: span.end + part.start });
    };
    for (const { name, find, steps = [find!] } of inParts)
      for (const step of steps) {
        await tick();
        add(named(name, step(piece)));
      }
    for (const pattern of own) {
      await tick();
      add(named(pattern.name ?? pattern.label, matchesOf(pattern, piece), OWN_RANK));
    }
  }
  if (!detectors.includes("table")) return { spans, columns: [] };
  const { cells, kept: columns } = await tables(text, tick);
  for (const span of named("table", cells))
    if (isWanted({ label: rename(span.label) })) spans.push({ ...span, label: rename(span.label) });
  return { spans, columns };
}

/** Returns whether a span lies within one of some ordered ranges. */
function isInside({ start, end }: Range, ranges: readonly Range[]): boolean {
  const range = endingFrom(ranges, end);
  return !!range && range.start <= start && end <= range.end;
}

/** Returns a model's span without its first line, if that is the name of a column. */
function belowHeader(text: string, span: Span, columns: readonly Range[]): Span {
  if (span.pattern) return span;
  const line = text.slice(span.start, span.end).indexOf("\n");
  if (line < 0 || !isInside({ start: span.start, end: span.start + line }, columns)) return span;
  return { ...span, start: span.start + line + 1 };
}

const denied = ({ word, label }: { word: string; label: string }): OwnPattern => ({
  label,
  name: "deny",
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}])${word.trim().split(/\s+/).map(escaped).join("\\s+")}(?![\\p{L}\\p{N}])`,
    "giu",
  ),
});

function matchesOf({ label, pattern }: OwnPattern, text: string): Match[] {
  if (typeof pattern === "function")
    return Array.from(pattern(text), ({ start, end }) => ({ start, end, label })).filter(
      ({ start, end }) => start >= 0 && end > start && end <= text.length,
    );
  const global = new RegExp(pattern.source, pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`);
  return Array.from(text.matchAll(global), ({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    label,
  })).filter(({ start, end }) => end > start);
}

async function byModel(
  pipe: Pipeline<"token-classification">,
  text: string,
  plan: Plan,
  tick: Tick,
  spans: Span[],
  done: Done,
): Promise<void> {
  const { labels, threshold, strategy: aggregation_strategy, signal } = plan;
  const capitals = plan.capitals ?? pipe.model.config.lower_case === true;
  const judged = judgedPart(text);
  const isForeign = isEnglish(judged) === false;
  const bias = biasFor(pipe, plan.labelBias);
  for (const part of modelParts(text, MODEL_LENGTH)) {
    await tick();
    const piece = text.slice(part.start, part.end);
    if (/[\p{L}\p{N}]/u.test(piece)) {
      const isOther = !(isEnglish(piece) ?? !isForeign);
      const call = { aggregation_strategy, ...bias(!isOther), ...(signal && { signal }) };
      const groups = await pipe(readable(piece), call);
      const found = groups.map(({ entity_group: label, score, start, end }) =>
        whole(piece, { label, score, start, end }),
      );
      const kept = capitals ? keptByCapitals(piece, found, isOther) : found;
      const named = capitals ? kept.flatMap((span) => withoutOrdinaryWords(judged, piece, span)) : kept;
      for (const { label, score, start, end } of named) {
        if ((labels && !labels.includes(label)) || score < threshold(label)) continue;
        const span = { label, score, start: part.start + start, end: part.start + end };
        if (isOwn(part, span.start)) spans.push(span);
      }
    }
    done(part.to - part.from);
  }
}

/** A part of a line or cell with a letter or digit. Two spaces separate the fields of a form. */
const IN_LINE = /(?:[^\n\r\t ]| (?! ))*[\p{L}\p{N}](?:[^\n\r\t ]| (?! ))*/gu;
/** Returns the parts of a span in each line and cell, without the beginnings of names of fields. */
const inLines = (piece: string, span: Span): Span[] =>
  Array.from(piece.slice(span.start, span.end).matchAll(IN_LINE), ({ 0: line, index }) => {
    const start = span.start + index + /^\s*/.exec(line)![0].length;
    return { ...span, start, end: span.start + index + line.trimEnd().length };
  }).filter(({ start, end }) => start === span.start || !beginsField(piece, end));

/** Returns which spans of a model that reads no capitals to keep, with the names that only their capitals show. */
function keptByCapitals(piece: string, found: readonly Span[], isOther: boolean): Span[] {
  const fields = fieldNames(piece);
  const possible = withoutPhrases(
    piece,
    found.flatMap((span) => inLines(piece, span)).flatMap((span) => shaped(piece, inSentence(piece, span))),
    isOther,
  ).filter((span) => isPossible(piece, span) && !isInside(span, fields) && !isSpeakerRole(piece, span));
  if (!isOther) return plausibleInEnglish(piece, possible);
  const named = withCapitals(
    piece,
    possible.flatMap((span) => plausibleParts(piece, span)),
  ).filter((span) => !isInside(span, fields));
  return withoutPhrases(piece, named, isOther);
}

/** Returns whether a span is a word for a speaker before what is said. */
const isSpeakerRole = (piece: string, { label, start, end }: Span) =>
  label === "PERSON" &&
  /^(?: [A-Z0-9])?[ \u00a0]?:\s/.test(piece.slice(end, end + 5)) &&
  isRole(piece.slice(start, end));

/** Returns spans without the greetings and closings of letters. */
const withoutPhrases = (piece: string, spans: readonly Span[], isForeign: boolean) =>
  withoutClosings(piece, withoutGreetings(piece, spans, isForeign));

/** A word of more letters and digits than this is one unknown token to WordPiece. */
const LONGEST_WORD = /[\p{L}\p{N}]{90,}/gu;

/** Returns a text of the same length in which no word is too long for the model: its letters are read as groups. */
const readable = (text: string) => text.replace(LONGEST_WORD, (word) => word.replace(/(.{40})./gsu, "$1 "));

async function bySource(
  source: Plan["sources"][number],
  text: string,
  { labels, signal, threshold }: Plan,
  tick: Tick,
  spans: Span[],
): Promise<void> {
  for (const part of modelParts(text, source.maxLength ?? SOURCE_LENGTH)) {
    await tick();
    for (const { label, score, start, end } of await source.find(text.slice(part.start, part.end), {
      labels,
      signal,
    })) {
      if ((labels && !labels.includes(label)) || score < threshold(label)) continue;
      if (isOwn(part, part.start + start))
        spans.push({ label, score, start: part.start + start, end: part.start + end });
    }
  }
}

/** Returns the filter of spans that the option `allow` leaves. */
function allowed(text: string, { allow }: Plan): (span: Span) => boolean {
  if (!allow.length) return () => true;
  const words = new Set(allow.filter((entry) => typeof entry === "string"));
  const patterns = allow.filter((entry) => typeof entry !== "string");
  return ({ start, end }) => {
    const word = text.slice(start, end).trim();
    if (words.has(word.toLowerCase())) return false;
    return !patterns.some((pattern) => pattern.exec(word)?.[0] === word);
  };
}
