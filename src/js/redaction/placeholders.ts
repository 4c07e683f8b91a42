// Chooses placeholders for things, and recognises placeholders in texts, also as language models write them.
import type { Tick } from "../abort.js";
import { WebertError } from "../errors.js";
import { kindOf } from "../values.js";
import type { Thing } from "./things.js";
import type { RedactOptions } from "./types.js";

type Name = NonNullable<RedactOptions["placeholder"]>;

/** Maximum number of rounds that look for free names. Each round reads all texts. */
const MAX_ROUNDS = 100;

/** The label as it stands in a default placeholder. */
export const labelIn = (label: string) => label.replace(/[^\p{L}\p{M}\p{N}]+/gu, "_").toUpperCase();

/**
 * Default placeholder, e.g. `[PERSON_1]`. Its label contains no brackets, so placeholders cannot overlap each other
 * or the text around them.
 */
const byDefault: Name = (label, number) => `[${labelIn(label)}_${number}]`;

/** What must not be given as a placeholder, and how far the numbers of each label are used up. */
export interface Names {
  /** Placeholders of things, by the placeholder. */
  given: Map<string, Thing>;
  /** Placeholders that texts contained before. */
  taken: Set<string>;
  numbers: Map<string, number>;
}

/**
 * Assigns each of `things` a unique placeholder that does not occur in `texts`.
 * @throws WebertError `bad_input` if the caller's function returns no such names
 */
export async function placeholders(
  things: readonly Thing[],
  names: Names,
  texts: readonly string[],
  tick: Tick,
  given?: Name,
): Promise<void> {
  if (!given) {
    const labels = [...new Set(things.map(({ label }) => label))];
    for (const text of texts) await addAlike(text, labels, names.taken, tick);
    await named(things, byDefault, names, tick);
    return;
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const chosen = await named(things, given, names, tick);
    const before = names.taken.size;
    for (const text of texts)
      for (const found of occurrences(text, chosen)) found ? names.taken.add(found.word) : await tick();
    // Names that occur in a text are taken by now, so the next round avoids them.
    if (names.taken.size === before) return;
    for (const word of chosen.keys()) names.given.delete(word);
  }
  throw new WebertError(
    "bad_input",
    `placeholder: expected names that no text contains, got existing ones ${MAX_ROUNDS} times`,
  );
}

/** How many code units to search before yielding to the event loop, and how many neighbouring searches share. */
const STRETCH = 2 ** 14;
const SHARED = 256;

/** Adds everything in a text that can be read as a default placeholder to `taken`. */
async function addAlike(text: string, labels: readonly string[], taken: Set<string>, tick: Tick): Promise<void> {
  const alike = loosely(labels);
  for (let from = 0; from < text.length; from += STRETCH) {
    const piece = text.slice(from, from + STRETCH + SHARED);
    if (/\d/.test(piece)) {
      for (const { 0: word } of piece.matchAll(/\[[^[\]\n]{1,200}_\d+\]/g)) taken.add(word);
      for (const { placeholder } of placeholdersIn(piece, alike)) taken.add(placeholder);
    }
    await tick();
  }
}

/** How many things or names to process before yielding to the event loop: some milliseconds. */
const SLICE = 1000;

/** Returns the things by their new names. */
async function named(
  things: readonly Thing[],
  name: Name,
  { given, taken, numbers }: Names,
  tick: Tick,
): Promise<Map<string, Thing>> {
  const counts = new Map(numbers);
  const chosen = new Map<string, Thing>();
  let calls = 0;
  for (const thing of things) {
    const { label, forms, main } = thing;
    let number = counts.get(label) ?? 0;
    let placeholder: string;
    let tries = taken.size + given.size; // among this many names plus one, all different, at least one is free
    for (;;) {
      placeholder = name(label, ++number, forms[main]!);
      if (typeof placeholder !== "string" || !placeholder)
        throw new WebertError("bad_input", `placeholder: expected a non-empty string, got ${kindOf(placeholder)}`);
      if (++calls % SLICE === 0) await tick();
      if (!taken.has(placeholder) && !given.has(placeholder)) break;
      if (tries-- === 0) throw unlike(placeholder, given.get(placeholder));
    }
    counts.set(label, number);
    thing.placeholder = placeholder;
    given.set(placeholder, thing);
    chosen.set(placeholder, thing);
  }
  if (name === byDefault) for (const [label, number] of counts) numbers.set(label, number);
  return chosen;
}

function unlike(placeholder: string, thing: Thing | undefined): WebertError {
  const why = thing ? `which another ${thing.label} already has` : "which the text already contains";
  return new WebertError(
    "bad_input",
    `placeholder: repeatedly got "${placeholder}", ${why}. Each entity must have a placeholder of its own.`,
  );
}

/**
 * Yields where any of `words` occurs in a text, from left to right; the longest word wins. Sometimes yields
 * undefined, so that long work can pause.
 */
export function* occurrences(
  text: string,
  words: ReadonlyMap<string, unknown>,
): Generator<{ start: number; word: string } | undefined> {
  const lengths = new Map<number, number[]>(); // by first code unit, longest first
  for (const word of words.keys()) {
    const known = lengths.get(word.charCodeAt(0)) ?? [];
    if (!known.includes(word.length))
      lengths.set(
        word.charCodeAt(0),
        [...known, word.length].sort((a, b) => b - a),
      );
  }
  let pause = STRETCH;
  for (let at = 0; at < text.length; at++) {
    if (at >= pause) {
      pause = at + STRETCH;
      yield undefined;
    }
    const length = lengths.get(text.charCodeAt(at))?.find((length) => words.has(text.slice(at, at + length)));
    if (length === undefined) continue;
    yield { start: at, word: text.slice(at, at + length) };
    at += length - 1;
  }
}

/** Brackets as language models, Markdown, HTML and URLs write them. Parentheses and braces are left in the text. */
const OPEN = "(?:\\\\?[[【〔［<«‹「]|&#91;|&#x5b;|&lsqb;|&lbrack;|&lt;|%5B|%3C)";
const CLOSE = "(?:\\\\?[\\]】〕］>»›」]|&#93;|&#x5d;|&rsqb;|&rbrack;|&gt;|%5D|%3E)";
const JOIN = "(?:\\\\?[_\\s\\u2010-\\u2015-]|%20|%5F|&nbsp;|&#95;)";

/** Returns the expression of placeholders with these labels, as language models write them. */
export function loosely(labels: readonly string[]): RegExp {
  const alternatives = [...new Set(labels.map(labelIn))]
    .sort((a, b) => b.length - a.length)
    .map((label) => label.split("_").map(escaped).join(`${JOIN}{1,3}`));
  const label = alternatives.length ? alternatives.join("|") : "(?!)";
  return new RegExp(`(${OPEN}[\\s*\`]{0,2})?(${label})${JOIN}{1,3}0*(\\d{1,25})([\\s*\`]{0,2}${CLOSE})?`, "giu");
}

/** Returns a text as a pattern that matches it. */
export const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");

/** A placeholder that a text contains in some form. */
export interface PlaceholderMatch {
  start: number;
  end: number;
  /** The default placeholder that is meant. */
  placeholder: string;
}

/** Yields what a text contains of placeholders. Without brackets, only labels in capitals count. */
export function* placeholdersIn(text: string, alike: RegExp): Generator<PlaceholderMatch> {
  for (const { 0: whole, 1: open, 2: label, 3: number, 4: close, index } of text.matchAll(alike)) {
    const isFramed = open !== undefined && close !== undefined;
    const start = isFramed ? index : index + (open?.length ?? 0);
    const end = index + whole.length - (isFramed ? 0 : (close?.length ?? 0));
    const isBare =
      label === label!.toUpperCase() &&
      !/[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, start - 2), start)) &&
      !/^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));
    if (!isFramed && !isBare) continue;
    const plain = label!.replace(new RegExp(`${JOIN}+`, "giu"), "_").toUpperCase();
    yield { start, end, placeholder: `[${plain}_${BigInt(number!)}]` };
  }
}
