// The sparse and the token output of BGE-M3 (Chen and others 2024), as in `BGEM3FlagModel.encode` of FlagEmbedding. Their
// layers, `sparse_linear.pt` and `colbert_linear.pt`, are read by the first call that needs them. Imported on demand.
import { signalOf } from "../abort.js";
import type { EngineModel } from "../engine/engine.js";
import { type Opened, type Platform, wasmPaths } from "../engine/open.js";
import { withSafetensors } from "../engine/torch.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { reader } from "../sources/reader.js";
import type { CallOptions, SparseVector } from "../tasks.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { byRow, normalized, readModules } from "./modules.js";
import { product, readWeights } from "./rare-modules.js";
import { groups, mostTokens, pad } from "./sparse.js";

/** Where a model was loaded from. */
export interface Origin {
  platform: Platform;
  from: Opened;
}

/** A linear layer. */
interface Linear {
  /** [outputs, inputs] */
  weight: Float32Array;
  bias: Float32Array;
}

const layers = new WeakMap<EngineModel, Record<string, Promise<Linear> | undefined>>();

/** Returns a layer beside the model's weights. A failed read is repeated by the next call. */
function layerOf(engine: EngineModel, origin: Origin | undefined, name: string): Promise<Linear> {
  const known = layers.get(engine) ?? {};
  layers.set(engine, known);
  const layer = known[name] ?? readLayer(origin, name);
  known[name] = layer;
  layer.catch(() => delete known[name]);
  return layer;
}

async function readLayer(origin: Origin | undefined, name: string): Promise<Linear> {
  const place = origin?.from.places?.place;
  const none = () =>
    new WebertError(
      "unsupported",
      `feature-extraction: the folder has no such output: there is no ${name}.pt beside it`,
    );
  if (!origin || !place) throw none();
  const { openFolder, readFile } = await reader();
  const { machine } = origin.platform;
  const signal = new AbortController().signal;
  const bytes = await readFile(await openFolder(place, machine), `${name}.pt`, { signal });
  if (!bytes) throw none();
  // The converter names files by PyTorch's usual ending.
  const read = await withSafetensors({ [`${name}.bin`]: bytes }, wasmPaths(origin.platform), machine.readWasm);
  const weights = await readWeights(read, `${name}.safetensors`);
  return { weight: weights("weight"), bias: weights("bias") };
}

/** Ids of a text and the states of its tokens, [tokens, width]. */
interface TextStates {
  ids: number[];
  states: RawTensor;
}

async function statesOf(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  options: CallOptions & { max_length?: number | null | undefined },
): Promise<TextStates[]> {
  const { maxLength = Infinity } = await readModules(engine.parts.files);
  const most = Math.min(options.max_length ?? maxLength, tokenizer.model_max_length, mostTokens(engine));
  const truncation = Number.isFinite(most) ? { truncation: true, max_length: most } : {};
  const ids = texts.map((text) => tokenizer.encode(text, truncation));
  const read: TextStates[] = [];
  for (const group of groups(ids)) {
    const inputs = pad(group.map((n) => ids[n]!));
    const outputs = await engine.forward(inputs, {}, signalOf(options));
    const { dims, data } = outputs.last_hidden_state as RawTensor;
    const [, length, width] = dims as [number, number, number];
    for (const [row, n] of group.entries()) {
      const count = ids[n]!.length;
      const from = row * length * width;
      const states = {
        type: "float32" as const,
        dims: [count, width],
        data: data.subarray(from, from + count * width),
      };
      read[n] = { ids: ids[n]!, states };
    }
  }
  return read;
}

/** Returns the weight of each token of a text. Special tokens have none; of a repeated token the largest counts. */
export async function lexicalWeights(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  options: CallOptions & { max_length?: number | null | undefined },
  origin: Origin | undefined,
): Promise<SparseVector[]> {
  const { weight, bias } = await layerOf(engine, origin, "sparse_linear");
  const { cls_token_id, sep_token_id, pad_token_id, unk_token_id } = tokenizer;
  const unused = [cls_token_id, sep_token_id, pad_token_id, unk_token_id];
  return (await statesOf(engine, tokenizer, texts, options)).map(({ ids, states }) => {
    const found = new Map<number, number>();
    const { data } = byRow(states, 1, (row) => product(weight, row, bias));
    for (const [n, id] of ids.entries())
      if (data[n]! > (found.get(id) ?? 0) && !unused.includes(id)) found.set(id, data[n]!);
    const sorted = [...found].sort(([, a], [, b]) => b - a);
    return Object.fromEntries(sorted.map(([id, value]) => [tokenizer.convert_ids_to_tokens(id) ?? `#${id}`, value]));
  });
}

/** Returns the vectors of each text's tokens but the first, [tokens - 1, size], scaled to length 1. */
export async function colbertVectors(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly string[],
  options: CallOptions & { max_length?: number | null | undefined },
  origin: Origin | undefined,
): Promise<RawTensor[]> {
  const { weight, bias } = await layerOf(engine, origin, "colbert_linear");
  return (await statesOf(engine, tokenizer, texts, options)).map(({ states }) => {
    const [count, width] = states.dims as [number, number];
    const rest = { ...states, dims: [count - 1, width], data: (states.data as Float32Array).subarray(width) };
    return normalized(byRow(rest, bias.length, (row) => product(weight, row, bias)));
  });
}
