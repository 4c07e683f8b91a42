// Names that stand in a text for what was taken out of it.
import { WebertError } from "../../errors.js";
import { kindOf } from "../../values.js";
import type { RedactOptions } from "./types.js";

/** A text's piece that is to have a placeholder. */
export interface Piece {
  label: string;
  word: string;
  placeholder: string;
}

type Name = NonNullable<RedactOptions["placeholder"]>;

/** How often names are looked for that no text holds, before that is an error: each time all texts are read. */
const MAX_ROUNDS = 100;

/** `[PERSON_1]`. A label has no brackets of its own there: two placeholders cannot overlap, nor with what stands beside them. */
const byDefault: Name = (label, number) => `[${label.replace(/[^\p{L}\p{M}\p{N}]+/gu, "_").toUpperCase()}_${number}]`;

/** What long work awaits between its parts. */
type Tick = () => Promise<void>;

/**
 * Gives each piece a placeholder, unlike any other and unlike all that `texts` hold; gives the pieces by their placeholders.
 * Throws `bad_input` where the caller's function gives no such names.
 */
export async function placeholders(
  pieces: readonly Piece[],
  texts: readonly string[],
  tick: Tick,
  given?: Name,
): Promise<Map<string, Piece>> {
  const taken = new Set<string>();
  // All that is like a placeholder at once: one text may hold thousands.
  if (!given) for (const text of texts) await addAlike(text, taken, tick);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const words = await named(pieces, given ?? byDefault, taken, tick);
    const before = taken.size;
    for (const text of texts)
      for (const found of occurrences(text, words)) found ? taken.add(found.word) : await tick();
    if (taken.size === before) return words;
  }
  throw new WebertError("bad_input", `placeholder gives names that the text holds already, ${MAX_ROUNDS} times`);
}

/** Adds what is like a default placeholder in a text. */
async function addAlike(text: string, taken: Set<string>, tick: Tick): Promise<void> {
  const alike = /\[[^[\]]{1,200}_\d+\]/y;
  for (let at = text.indexOf("["), n = 1; at >= 0; at = text.indexOf("[", at + 1), n++) {
    alike.lastIndex = at;
    const match = alike.exec(text);
    if (match) taken.add(match[0]);
    if (n % SLICE === 0) await tick();
  }
}

/** How many pieces, names or brackets are looked at before the event loop may have its turn: some milliseconds. */
const SLICE = 1000;

/** The pieces by their names, of which none is among `taken`. */
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
    let tries = taken.size + words.size; // of so many names and one more, all different, one is free
    for (;;) {
      placeholder = name(label, ++number, word);
      if (typeof placeholder !== "string" || !placeholder)
        throw new WebertError("bad_input", `placeholder gives a string that is not empty, not ${kindOf(placeholder)}`);
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
  const why = piece ? `which is another ${piece.label}'s already` : "which the text holds already";
  return new WebertError(
    "bad_input",
    `placeholder gives "${placeholder}" again and again, ${why}; each entity needs one of its own, by which it is restored`,
  );
}

/** Code units that are read before the event loop may have its turn. */
const STRETCH = 2 ** 14;

/**
 * Where any of `words` stands in a text, from left to right, the longest first; undefined now and then, where long work may
 * pause.
 */
function* occurrences(
  text: string,
  words: ReadonlyMap<string, unknown>,
): Generator<{ start: number; word: string } | undefined> {
  const lengths = new Map<number, number[]>(); // by the first code unit, longest first
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

/** A text with each placeholder in it replaced by its word; what is put in is not looked at again. */
export function restored(text: string, words: ReadonlyMap<string, Piece>): string {
  const parts = restoring(text, words);
  let part = parts.next();
  while (!part.done) part = parts.next();
  return part.value;
}

/** The same, with pauses. */
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
