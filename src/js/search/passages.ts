// Cuts a document's text into passages with their tokens.
import { yieldToEventLoop } from "../abort.js";
import type { SearchWasm } from "./binary.js";
import type { Embedder } from "./embedder.js";

/** Code units of a long text that are tokenized at once, so that a page stays responsive. */
const PART = 40_000;

/** A document's passages in the form that the index takes. */
export interface Passages {
  /** Start and end of each passage. */
  places: number[];
  /** Number of tokens of each passage. */
  counts: number[];
  pieces: number[];
}

/** Cuts a text into passages of at most `length` tokens. */
export async function passagesOf(
  text: string,
  embedder: Embedder,
  wasm: SearchWasm,
  { length, overlap }: { length: number; overlap: number },
): Promise<Passages> {
  const found: Passages = { places: [], counts: [], pieces: [] };
  for (let from = 0; from < text.length || !found.counts.length; ) {
    const to = partEnd(text, from);
    const part = text.slice(from, to);
    const { ids, ends } = embedder.pieces(part);
    const cut = wasm.cut(part, ends, length, overlap);
    for (let n = 0; n < cut.length; n += 2) {
      const [start, end] = [cut[n]!, cut[n + 1]!];
      const ofPassage = ids.subarray(before(ends, start), before(ends, end));
      if (start === end && found.counts.length) continue; // white space between two parts
      found.places.push(from + start, from + end);
      found.counts.push(ofPassage.length);
      for (const id of ofPassage) found.pieces.push(id);
    }
    from = to;
    await yieldToEventLoop();
  }
  return found;
}

/** Returns the end of the part that starts at `from`: after a paragraph, line, sentence or word. */
function partEnd(text: string, from: number): number {
  const most = from + PART;
  if (text.length <= most) return text.length;
  for (const mark of ["\n\n", "\n", ". ", " "]) {
    const at = text.lastIndexOf(mark, most - mark.length);
    // A mark in the first half would make the part too short.
    if (at > from + PART / 2) return at + mark.length;
  }
  // Do not cut a surrogate pair in half.
  return /[\ud800-\udbff]/.test(text[most - 1]!) ? most - 1 : most;
}

/** Returns how many of these ascending numbers are at most `most`. */
function before(ends: Uint32Array, most: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
