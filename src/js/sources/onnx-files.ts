// ONNX files as weights, for folders without other weights, and for files that a call names.

import { one, type WeightFile, type Weights } from "./files.js";
import { missing, needed, openOptional } from "./folder.js";
import { initiated } from "./progress.js";
import type { OnnxChoice } from "./source.js";
import type { Control, Folder } from "./types.js";

/** The ending of a file's name for each dtype, as in transformers.js. */
const SUFFIXES: Record<string, string> = {
  fp32: "",
  fp16: "_fp16",
  int8: "_int8",
  uint8: "_uint8",
  q8: "_quantized",
  q4: "_q4",
  q4f16: "_q4f16",
  bnb4: "_bnb4",
  q2: "_q2",
  q2f16: "_q2f16",
  q1: "_q1",
  q1f16: "_q1f16",
};

/**
 * The dtypes of "auto", the best one first. A download takes the smallest file whose states keep a cosine of 0.99 with
 * the original. A folder on disk costs no download, so the exact numbers come first.
 */
const DOWNLOADED = ["q8", "int8", "fp16", "fp32", "uint8", "q4", "q4f16"];
const ON_DISK = ["fp32", "fp16", "q8", "int8", "uint8", "q4", "q4f16"];

/** Returns the dtypes to look for, the best one first. If the named file is missing, a better one is read. */
function dtypesOf({ dtype }: OnnxChoice, folder: Folder): string[] {
  if (dtype === "auto") return folder.list ? ON_DISK : DOWNLOADED;
  if (dtype === "fp32") return ["fp32"];
  return [...new Set([dtype, ...(dtype === "fp16" ? [] : ["q8"]), "fp32", "fp16"])];
}

/**
 * Returns the weights of an ONNX file; undefined if the folder has none.
 * @throws `not_found` if the call names a file that does not exist
 */
export async function openOnnx(folder: Folder, choice: OnnxChoice, control: Control): Promise<Weights | undefined> {
  const dtypes = dtypesOf(choice, folder);
  for (const below of choice.isRoot ? [""] : ["onnx/", ""]) {
    for (const dtype of dtypes) {
      const name = `${below}${choice.name ?? "model"}${SUFFIXES[dtype]}.onnx`;
      const file = await openOptional(folder, name, control.signal);
      if (!file || file.page !== undefined) continue;
      initiated(folder, name, control);
      return {
        source: name,
        index: {},
        needsAll: true,
        isOnnx: true,
        ...(dtype !== "fp32" && dtype !== "fp16" && { dtype: "q8" }),
        async *files(_wants, others = async () => []): AsyncGenerator<WeightFile> {
          yield* one(folder, name, file, control);
          for (const other of await others()) yield* beside(folder, `${below}${other}`, control);
        },
      };
    }
  }
  if (choice.name === undefined) return undefined;
  throw missing(folder, `${choice.isRoot ? "" : "onnx/"}${choice.name}${SUFFIXES[dtypes[0]!]}.onnx`, undefined);
}

/** Yields a file with external data. */
async function* beside(folder: Folder, name: string, control: Control): AsyncGenerator<WeightFile> {
  initiated(folder, name, control);
  yield* one(folder, name, needed(folder, name, await folder.open(name, control.signal)), control);
}
