// Answers to a question: ranked passages, each with its closest words.
import type { Model } from "../../model.ts";
import { BATCH, type Found, type Ready, vectorsOf } from "./state.ts";
import { closeness, haveCommonWord, type States, tints } from "./words.ts";

/** Number of passages shown. */
const SHOWN = 8;
/** Maximum characters of a question. */
const READ = 600;

export interface Hit {
  id: number;
  text: string;
  source: string;
  /** True if the passage contains a word of the question, except function words. */
  isLiteral: boolean;
  tints: readonly { start: number; end: number; tint: number }[];
}

export interface Answer {
  question: string;
  hits: Hit[];
  /** The question's own vector. */
  vector: Float32Array;
}

/** Searches, then examines the words of the passages found. */
export async function answer({ model, index }: Ready, text: string, signal: AbortSignal): Promise<Answer> {
  const question = text.slice(0, READ);
  const results = (await index.search(question, { top_k: SHOWN, per_document: 1, signal })) as Found[];
  const texts = results.map(({ text }) => text);
  const [[vector], states] = await Promise.all([
    vectorsOf(model, [question], signal),
    statesOf(model, [question, ...texts], signal),
  ]);
  const hits = results.map(({ id, text, source }, at) => ({
    id,
    text,
    source,
    isLiteral: haveCommonWord(question, text),
    tints: tints(closeness(question, states[0]!, text, states[at + 1]!)),
  }));
  return { question, hits, vector: vector! };
}

/** The encoder's state for each token of texts. */
async function statesOf(model: Model, texts: string[], signal: AbortSignal): Promise<States[]> {
  const [extract, tokenizer] = await Promise.all([model.embeddings(), model.tokenizer()]);
  const found: States[] = [];
  for (let at = 0; at < texts.length; at += BATCH) {
    const some = texts.slice(at, at + BATCH);
    const { dims, data } = await extract(some, { pooling: "none", signal });
    const [most, width] = [dims.at(-2)!, dims.at(-1)!];
    const numbers = data as Float32Array;
    const rowAt = (from: number) => numbers.subarray(from, from + width);
    found.push(
      ...some.map((text, row) => {
        const { offset_mapping } = tokenizer(text, {
          truncation: true,
          return_offsets_mapping: true,
          return_tensor: false,
        });
        const places = offset_mapping as [number, number][];
        return { rows: places.map((_, token) => rowAt((row * most + token) * width)), places };
      }),
    );
  }
  return found;
}
