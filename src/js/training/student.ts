// Makes the untrained student of a distillation: a copy of its teacher with fewer layers. Imported on demand.
import { safetensorsOf } from "../api/convert.js";
import { control, type Platform } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { openWeights, readConfig, readTokenizerFiles, WHOLE } from "../sources/files.js";
import { openFolder } from "../sources/open.js";
import { type FileTensor, readTensors, safetensors } from "../sources/safetensors.js";
import { jsonBlob, type Place, type SourceOptions } from "../sources/source.js";
import type { Control, Files, Folder } from "../sources/types.js";
import { kindOf, shown } from "../values.js";

/** Names of the number of layers in config.json: BERT's and DistilBERT's. */
const COUNTS = ["num_hidden_layers", "n_layers"];

/**
 * Returns the files of a student: config.json, tokenizer and weights of the teacher without the other layers. Weights
 * keep their types.
 * @param layers numbers of the teacher's layers, in the order of the student's; by default every second one from the
 * first, as in DistilBERT
 * @throws WebertError `bad_input` for numbers that the teacher does not have
 */
export async function studentOf(
  platform: Platform,
  place: Place,
  layers: unknown,
  options: SourceOptions,
): Promise<Place> {
  const folder = await openFolder(place, platform.machine);
  const reading = control(options);
  const own = await readConfig(folder, reading);
  const config = fieldsOf(own["config.json"]!);
  const count = COUNTS.find((name) => Number.isSafeInteger(config[name]));
  if (count === undefined)
    throw new WebertError("unsupported", `teacher: ${COUNTS.join(" or ")}: expected a number in config.json, got none`);
  const kept = numbersOf(layers, config[count] as number);
  const { transformers_weights: _, ...fields } = config;
  const files: Record<string, Blob> = { "config.json": jsonBlob({ ...fields, [count]: kept.length }) };
  for (const [name, bytes] of Object.entries(await readTokenizerFiles(folder, reading, true)))
    files[name] = new Blob([withoutPaths(name, bytes) as BlobPart]);
  files[WHOLE] = new Blob(safetensors(await tensorsOf(platform, folder, own, kept, reading)));
  return { kind: "files", name: `${kept.length} layers of ${place.name}`, files };
}

const fieldsOf = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;

/** Returns tokenizer_config.json without the path of a tokenizer in another folder, and other files unchanged. */
function withoutPaths(name: string, bytes: Uint8Array): Uint8Array {
  if (name !== "tokenizer_config.json") return bytes;
  const { tokenizer_file: _, ...fields } = fieldsOf(bytes);
  return new TextEncoder().encode(JSON.stringify(fields));
}

function numbersOf(layers: unknown, count: number): number[] {
  if (layers == null) return Array.from({ length: Math.ceil(count / 2) }, (_, n) => 2 * n);
  if (!Array.isArray(layers) || !layers.length)
    throw new WebertError(
      "bad_input",
      `layers: expected an array of numbers, got ${Array.isArray(layers) ? "none" : kindOf(layers)}`,
    );
  const wrong = layers.find((layer) => !(Number.isSafeInteger(layer) && layer >= 0 && layer < count));
  if (wrong === undefined) return layers as number[];
  throw new WebertError("bad_input", `layers: expected numbers from 0 to ${count - 1}, got ${shown(wrong)}`);
}

/** Matches the first number of a layer in a tensor's name. ALBERT's layers share their tensors, which have no number. */
const LAYER = /^(.*?\blayers?\.)(\d+)(\..*)$/;

async function tensorsOf(
  platform: Platform,
  folder: Folder,
  config: Files,
  kept: readonly number[],
  reading: Control,
): Promise<FileTensor[]> {
  const { files, needsAll } = await openWeights(folder, reading, config);
  const tensors: FileTensor[] = [];
  for await (const file of files()) {
    const { size, bytes } = needsAll ? await safetensorsOf(platform, file) : file;
    for await (const tensor of readTensors(folder.address(file.name), size, bytes)) {
      const [, before, number, after] = LAYER.exec(tensor.name) ?? [];
      if (number === undefined) tensors.push({ ...tensor, bytes: tensor.bytes.slice() });
      for (const [layer, from] of kept.entries())
        if (number !== undefined && from === Number(number))
          tensors.push({ ...tensor, name: `${before}${layer}${after}`, bytes: tensor.bytes.slice() });
    }
  }
  return tensors;
}
