// Ways to replace an entity other than a numbered placeholder.
import { WebertError } from "../errors.js";
import { hashOf } from "./memory.js";
import { labelIn } from "./placeholders.js";
import { shifted } from "./shift.js";
import { surrogate } from "./surrogate.js";
import type { Thing } from "./things.js";
import type { ReplaceWay } from "./types.js";

/** The ways to replace. */
export const WAYS: readonly ReplaceWay[] = ["placeholder", "mask", "hash", "last4", "surrogate", "date-shift"];

const SIGN = /[\p{L}\p{N}]/u;
const MARKED = /[\p{L}\p{N}]\p{M}*/gu;

/** Returns a word with "*" in place of each letter and digit but the last `kept`. */
export function masked(word: string, kept = 0): string {
  const count = word.match(MARKED)?.length ?? 0;
  let left = count - Math.min(kept, count >> 1); // at most half of a short word is shown
  return word.replace(MARKED, (sign) => (left-- > 0 ? "*" : sign));
}

/** Returns a reproducible number below `below` that depends on the seed and the words. */
export const drawn = (seed: string, word: string, below: number) =>
  Number(BigInt(`0x${hashOf(`${seed}\n${word}`)}`) % BigInt(below));

/**
 * Chooses what stands for a thing in this way. Returns undefined if the way does not apply, so that the thing gets a
 * placeholder. `isTaken` says whether a replacement cannot be told from other text.
 */
export async function replacement(
  thing: Thing,
  way: ReplaceWay,
  seed: string,
  isTaken: (word: string) => boolean,
): Promise<string | undefined> {
  const word = thing.forms[thing.main]!;
  if (way === "hash") return hashed(thing, seed);
  if (way === "date-shift") {
    const days = 1 + drawn(seed, "days", 364);
    const date = shifted(word, drawn(seed, "sign", 2) ? days : -days);
    return date === undefined || isTaken(date) ? undefined : date;
  }
  if (way !== "surrogate") return undefined;
  for (let round = 0; round < 20; round++) {
    const other = surrogate(thing.label, word, (name, below) =>
      drawn(seed, `${name} ${round} ${thing.label} ${word}`, below),
    );
    if (other && other.toLowerCase() !== word.toLowerCase() && SIGN.test(other) && !isTaken(other)) return other;
  }
  return undefined;
}

/** Returns a placeholder of the label and twelve hexadecimal digits of HMAC-SHA-256 with the salt as its key. */
async function hashed({ label, forms, main }: Thing, salt: string): Promise<string> {
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle)
    throw new WebertError(
      "unsupported",
      'replace "hash": expected crypto.subtle, which pages have over https or on localhost. Use "placeholder" here.',
    );
  const bytes = (text: string) => new TextEncoder().encode(text);
  const key = await subtle.importKey("raw", bytes(salt), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const value = `${label}\n${forms[main]!.normalize("NFKC").toLowerCase()}`;
  const digest = new Uint8Array(await subtle.sign("HMAC", key, bytes(value)));
  const hex = Array.from(digest.slice(0, 6), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `[${labelIn(label)}_${hex}]`;
}
