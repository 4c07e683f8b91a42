// From a document's text to passages, each with its pieces.
import { breathe } from "../abort.js";
import type { SearchWasm } from "./binary.js";
import type { Embedder } from "./embedder.js";

/** Code units of a long text that are read at once, so that a page stays live. */
const PART = 40_000;

/** A document's passages, as the index takes them. */
export interface Passages {
  /** Start and end of each. */
  places: number[];
  /** How many pieces each has. */
  counts: number[];
  pieces: number[];
}

/** Cuts a text into passages of `length` tokens at most. */
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
    await breathe();
  }
  return found;
}

/** Where the part of a text from `from` on ends: behind a line, a sentence or a word. */
function partEnd(text: string, from: number): number {
  const most = from + PART;
  if (text.length <= most) return text.length;
  for (const mark of ["\n\n", "\n", ". ", " "]) {
    const at = text.lastIndexOf(mark, most - mark.length);
    if (at > from + PART / 2) return at + mark.length;
  }
  // not within a surrogate pair
  return /[\ud800-\udbff]/.test(text[most - 1]!) ? most - 1 : most;
}

/** How many of these numbers, which ascend, are `most` at most. */
function before(ends: Uint32Array, most: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
