// `trainTokenizer`: trains a WordPiece vocabulary on texts.
import { abortable, signalOf } from "../abort.js";
import { type Platform, wasmPaths } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { kindOf } from "../values.js";
import type { Training } from "./platform.js";
import type { SavedFiles } from "./saved-files.js";
import { knownOptions } from "./training-options.js";
import type { TrainTokenizer } from "./vocabulary-options.js";

/** Options that reach the wasm side. */
const OPTIONS = [
  "vocab_size",
  "min_frequency",
  "limit_alphabet",
  "initial_alphabet",
  "special_tokens",
  "clean_text",
  "handle_chinese_chars",
  "strip_accents",
  "lowercase",
];

/** Creates `trainTokenizer` for a platform. */
export function createTrainTokenizer(platform: Platform, training: Training): TrainTokenizer {
  return async (texts, given) => {
    try {
      const { signal, worker, ...options } = knownOptions("trainTokenizer", given, [...OPTIONS, "signal", "worker"]);
      // null means "no limit" for this option, and the default for all others.
      if (given?.limit_alphabet === null) options.limit_alphabet = null;
      const spec = { texts: textsOf(texts), options, wasmPaths: wasmPaths(platform) };
      const inMemory = { kind: "files", name: "texts", files: {} } as const;
      const inWorker = platform.usesWorker?.(inMemory, { worker: worker as boolean | null }) ?? false;
      const stop = signalOf({ signal });
      const files = await abortable(training.vocabulary(spec, stop, inWorker), stop);
      const blobs = Object.entries(files).map(([file, text]) => [file, new Blob([text])]);
      return { files: Object.fromEntries(blobs) as SavedFiles["files"] };
    } catch (error) {
      throw WebertError.from(error);
    }
  };
}

function textsOf(texts: unknown): string[] {
  if (typeof texts === "string" || typeof (texts as Iterable<unknown> | null)?.[Symbol.iterator] !== "function")
    throw new WebertError("bad_input", `texts: expected an array of strings, got ${kindOf(texts)}`);
  return Array.from(texts as Iterable<unknown>, (text, i) => {
    if (typeof text === "string") return text;
    throw new WebertError("bad_input", `text ${i + 1}: expected a string, got ${kindOf(text)}`);
  });
}
