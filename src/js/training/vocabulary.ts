// Trains a vocabulary with the complete binary of this thread.
import { ticker } from "../abort.js";
import type { Machine } from "../engine/engine.js";
import { instantiate, type WasmVocabularyTrainer } from "../engine/wasm.js";
import type { WasmPaths } from "../env.js";
import { bestBuild } from "../threads/builds.js";

/** Texts, and the options of the vocabulary to train. */
export interface VocabularySpec {
  texts: readonly string[];
  options: object;
  wasmPaths: WasmPaths;
}

/** Characters of text to count between two returns to the event loop. */
const PIECE = 2 ** 16;

/** Trains a vocabulary and returns the tokenizer's files. */
export async function vocabularyFiles(
  { texts, options, wasmPaths }: VocabularySpec,
  machine: Machine,
  signal: AbortSignal | undefined,
): Promise<Record<string, string>> {
  const wasm = await instantiate(`${bestBuild()}_full`, wasmPaths, machine.readWasm);
  const trainer = wasm.call("train_vocabulary", options) as WasmVocabularyTrainer;
  const tick = ticker(signal);
  try {
    for (let at = 0; at < texts.length; ) {
      const from = at;
      for (let size = 0; at < texts.length && (at === from || size < PIECE); at++) size += texts[at]!.length;
      trainer.add(texts.slice(from, at));
      await tick();
    }
  } catch (error) {
    trainer.free();
    throw error;
  }
  return trainer.finish();
}
