// Chooses placeholders for pieces of texts, and restores the pieces.
import { WebertError } from "../errors.js";
import { kindOf } from "../values.js";
import type { RedactOptions } from "./types.js";

/** A piece of a text that gets a placeholder. */
export interface Piece {
  label: string;
  word: string;
  placeholder: string;
}

type Name = NonNullable<RedactOptions["placeholder"]>;

/** Maximum number of rounds that look for free names. Each round reads all texts. */
const MAX_ROUNDS = 100;

/**
 * Default placeholder, e.g. `[PERSON_1]`. Its label contains no brackets, so placeholders cannot overlap each other
 * or the text around them.
 */
const byDefault: Name = (label, number) => `[${label.replace(/[^\p{L}\p{M}\p{N}]+/gu, "_").toUpperCase()}_${number}]`;

/** Awaited between parts of long work. */
type Tick = () => Promise<void>;

/**
 * Assigns each piece a unique placeholder that does not occur in `texts`. Returns the pieces by placeholder.
 * @throws WebertError `bad_input` if the caller's function returns no such names
 */
export async function placeholders(
  pieces: readonly Piece[],
  texts: readonly string[],
  tick: Tick,
  given?: Name,
): Promise<Map<string, Piece>> {
  const taken = new Set<string>();
  // Collect everything in the form of a default placeholder in one pass, because a text may contain thousands.
  if (!given) for (const text of texts) await addAlike(text, taken, tick);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const words = await named(pieces, given ?? byDefault, taken, tick);
    const before = taken.size;
    for (const text of texts)
      for (const found of occurrences(text, words)) found ? taken.add(found.word) : await tick();
    // Names that occur in a text are in `taken` by now, so the next round avoids them.
    if (taken.size === before) return words;
  }
  throw new WebertError(
    "bad_input",
    `placeholder: expected names that no text contains, got existing ones ${MAX_ROUNDS} times`,
  );
}

/** Adds everything in a text that has the form of a default placeholder to `taken`. */
async function addAlike(text: string, taken: Set<string>, tick: Tick): Promise<void> {
  const alike = /\[[^[\]]{1,200}_\d+\]/y;
  for (let at = text.indexOf("["), n = 1; at >= 0; at = text.indexOf("[", at + 1), n++) {
    alike.lastIndex = at;
    const match = alike.exec(text);
    if (match) taken.add(match[0]);
    if (n % SLICE === 0) await tick();
  }
}

/** How many pieces, names or brackets to process before yielding to the event loop: some milliseconds. */
const SLICE = 1000;

/** Returns the pieces by new names that are not in `taken`. */
async function named(
  pieces: readonly Piece[],
  name: Name,
  taken: ReadonlySet<string>,
  tick: Tick,
): Promise<Map<string, Piece>> {
  const numbers = new Map<string, number>();
  const words = new Map<string, Piece>();
  let calls = 0;
  for (const piece of pieces) {
    const { label, word } = piece;
    let number = numbers.get(label) ?? 0;
    let placeholder: string;
    let tries = taken.size + words.size; // among this many names plus one, all different, at least one is free
    for (;;) {
      placeholder = name(label, ++number, word);
      if (typeof placeholder !== "string" || !placeholder)
        throw new WebertError("bad_input", `placeholder: expected a non-empty string, got ${kindOf(placeholder)}`);
      if (++calls % SLICE === 0) await tick();
      if (!taken.has(placeholder) && !words.has(placeholder)) break;
      if (tries-- === 0) throw unlike(placeholder, words.get(placeholder));
    }
    numbers.set(label, number);
    piece.placeholder = placeholder;
    words.set(placeholder, piece);
  }
  return words;
}

function unlike(placeholder: string, piece: Piece | undefined): WebertError {
  const why = piece ? `which another ${piece.label} already has` : "which the text already contains";
  return new WebertError(
    "bad_input",
    `placeholder: repeatedly got "${placeholder}", ${why}. Each entity must have a placeholder of its own.`,
  );
}

/** How many code units to read before yielding to the event loop. */
const STRETCH = 2 ** 14;

/**
 * Yields where any of `words` occurs in a text, from left to right; the longest word wins. Sometimes yields
 * undefined, so that long work can pause.
 */
function* occurrences(
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

/** Returns a text with each placeholder replaced by its word. Inserted words are not searched again. */
export function restored(text: string, words: ReadonlyMap<string, Piece>): string {
  const parts = restoring(text, words);
  let part = parts.next();
  while (!part.done) part = parts.next();
  return part.value;
}

/** Does the same as `restored`, with pauses. */
export async function restoredSlowly(text: string, words: ReadonlyMap<string, Piece>, tick: Tick): Promise<string> {
  const parts = restoring(text, words);
  let part = parts.next();
  for (; !part.done; part = parts.next()) await tick();
  return part.value;
}

function* restoring(text: string, words: ReadonlyMap<string, Piece>): Generator<undefined, string> {
  let end = 0;
  const parts: string[] = [];
  for (const found of occurrences(text, words)) {
    if (!found) {
      yield undefined;
      continue;
    }
    parts.push(text.slice(end, found.start), words.get(found.word)!.word);
    end = found.start + found.word.length;
  }
  return parts.join("") + text.slice(end);
}
