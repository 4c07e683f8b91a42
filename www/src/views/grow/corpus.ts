// Texts as rows to train on.
import { MASK } from "../../text/offered.ts";
import { GAP } from "../../text/stretches.ts";

/** Characters of a row: about as many as fit in the tokens that are read. */
const ROW = 240;
/** Maximum characters of a text; seeing more several times would take hours. */
export const LONGEST = 300_000;
/** Minimum number of words to learn from. */
export const FEWEST_WORDS = 150;
/** Maximum size of the vocabulary. */
const MOST_TOKENS = 2000;

/** The sentences of a text. A line break also ends a sentence. */
export function sentencesIn(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  return text
    .slice(0, LONGEST)
    .split(/\n+/)
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .flatMap(cut);
}

/** A sentence in parts that fit the model. */
function cut(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > ROW) {
    const space = rest.lastIndexOf(" ", ROW);
    const at = space > 0 ? space : ROW;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at).trim();
  }
  return rest ? [...pieces, rest] : pieces;
}

export const wordsIn = (text: string): number => text.slice(0, LONGEST).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** A vocabulary size that fits a text: one token per few words, so that each token occurs often. */
export const vocabularySize = (words: number): number => Math.max(200, Math.min(MOST_TOKENS, Math.round(words / 4)));

/** A sentence with its gap as the model reads it; "___" and "[mask]" also mark a gap. Undefined without a gap. */
export function withMask(text: string): string | undefined {
  const masked = text.replace(GAP, MASK);
  const first = masked.indexOf(MASK);
  if (first < 0) return undefined;
  // keep one gap: the model would also guess other hidden words
  return masked.slice(0, first + MASK.length) + masked.slice(first + MASK.length).replaceAll(MASK, "");
}

/** A sentence of the text with its last long word hidden: the default sentence to watch. */
export function gapIn(sentences: readonly string[]): string {
  const fit = sentences.find((sentence) => sentence.length > 20 && sentence.length < 90) ?? sentences[0] ?? "";
  const words = [...fit.matchAll(/\p{L}{3,}/gu)];
  const word = words.at(-1);
  return word ? `${fit.slice(0, word.index)}___${fit.slice(word.index + word[0].length)}` : `${fit} ___`;
}

/** Facts in their phrasings. Lines that begin with @ have {n} for the n-th column of the other lines. */
export function sentencesOf(table: string): string {
  const lines = table.split("\n").filter((line) => line && !line.startsWith("#"));
  const phrasings = lines.filter((line) => line.startsWith("@")).map((line) => line.slice(1));
  const facts = lines.filter((line) => !line.startsWith("@")).map((line) => line.split("\t"));
  const fill = (phrasing: string, fact: string[]) => phrasing.replace(/\{(\d)\}/g, (_, n) => fact[Number(n) - 1] ?? "");
  const has = (phrasing: string, fact: string[]) =>
    [...phrasing.matchAll(/\{(\d)\}/g)].every(([, n]) => fact[Number(n) - 1]);
  return facts
    .flatMap((fact) => phrasings.filter((phrasing) => has(phrasing, fact)).map((phrasing) => fill(phrasing, fact)))
    .map((text) => `${text[0]!.toUpperCase()}${text.slice(1)}`)
    .join("\n");
}
