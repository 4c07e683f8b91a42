// The taught model as files, and the code that uses it.
import { env, type Source } from "webert";
import type { Files } from "../../zip.ts";
import { headFiles } from "./checkpoint.ts";
import type { Learnt } from "./state.ts";

/** The folder in the zip. */
export const FOLDER = "my-classifier";

/** The files of a source that a visitor chose, or of the package's model. */
async function filesOf(source: Source | (() => unknown)): Promise<Record<string, Blob | URL>> {
  const found = (typeof source === "function" ? await (source as () => unknown)() : source) as { files?: unknown };
  if (!found.files) throw new Error("the model is not made of files");
  if (Symbol.iterator in (found.files as object))
    return Object.fromEntries([...(found.files as Iterable<File>)].map((file) => [file.name, file]));
  return found.files as Record<string, Blob | URL>;
}

async function blobOf(file: Blob | URL): Promise<Blob> {
  if (file instanceof Blob) return file;
  const response = await fetch(file);
  if (!response.ok) throw Object.assign(new Error(`${file} answered ${response.status}`), { code: "network" });
  return response.blob();
}

/** Files that belong to a tokenizer. */
const TOKENIZER = [
  "tokenizer.json",
  "vocab.txt",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "added_tokens.json",
];

/**
 * The encoder of `source` with the taught head, as a folder for `pipeline("text-classification", …)`. Rejects if the weights are not in one
 * file.
 */
export async function taughtFiles(source: Source, { head, names }: Learnt): Promise<Files> {
  const files = await filesOf(source ?? env.defaultModels["fill-mask"]!);
  const config = JSON.parse(await (await blobOf(files["config.json"]!)).text()) as Record<string, unknown>;
  const weights = files["model.safetensors"];
  if (!weights) throw new Error("the model's weights are not in one file");
  const kept = await Promise.all(
    TOKENIZER.filter((name) => files[name]).map(async (name) => [name, await blobOf(files[name]!)] as const),
  );
  return {
    ...headFiles(config, names, head),
    "model.safetensors": await blobOf(weights),
    ...Object.fromEntries(kept),
  };
}

/** The program that uses a saved model. */
export const codeFor = (folder: string, text: string): string => `import { pipeline } from "webert";

// the folder of the zip, beside your page
const classify = await pipeline("text-classification", "./${folder}/");
const answer = await classify(${JSON.stringify(text)}, { top_k: null });
console.log(answer); // [{ label, score }, …]
`;
