// Times of encoders: the package's on each device, and those that the caller adds.
import { abortable, throwIfAborted } from "../abort.js";
import type { Pipeline, PipelineFunction } from "../api/pipeline.js";
import { VERSION } from "../env.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import type { EncodeReport } from "./report.js";
import { rounded } from "./rounded.js";

/** Milliseconds between two looks at whether the kernels of a GPU are chosen. */
const PAUSE = 50;

/** An encoder of another library, loaded. */
export interface OtherEncoder {
  library: string;
  version: string;
  device: string;
  dtype: string;
  /** Encodes texts. Its time until the promise settles is measured. */
  encode(texts: string[]): Promise<unknown>;
  dispose?(): unknown;
}

/** Loads an encoder of another library. */
export type LoadOther = (signal: AbortSignal | undefined) => Promise<OtherEncoder>;

/** A batch: the number of sequences, and the tokens of each. */
export type Batch = readonly [sequences: number, tokens: number];

export interface EncodePlan {
  pipeline: PipelineFunction;
  model: Source | undefined;
  dtype: "fp32" | "fp16" | "q8" | undefined;
  batches: readonly Batch[];
  /** Milliseconds for the runs of a batch. */
  budget: number;
  signal: AbortSignal | undefined;
}

/** Least runs of a batch. */
const RUNS = 3;
/** A word that tokenizers of English models know as one token. */
const WORD = "time";

/** Returns a text that has `tokens` tokens with the special ones, or the nearest number that repeated words reach. */
function textOf(tokens: number, pipe: Pipeline<"feature-extraction">): string {
  const count = (text: string) => pipe.tokenizer.encode(text).length;
  const special = count("");
  const perWord = Math.max(1, (count(Array(9).fill(WORD).join(" ")) - special) / 9);
  return Array(Math.max(1, Math.round((tokens - special) / perWord)))
    .fill(WORD)
    .join(" ");
}

/** Returns the texts of each batch, as the package's tokenizer counts tokens. */
const textsOf = (pipe: Pipeline<"feature-extraction">, batches: readonly Batch[]) =>
  batches.map(([sequences, tokens]) => Array<string>(sequences).fill(textOf(tokens, pipe)));

/** Returns the times of calls until `budget` is used up. The first call, which warms up, is not counted. */
async function timesOf(
  call: () => Promise<unknown>,
  budget: number,
  signal: AbortSignal | undefined,
): Promise<Pick<EncodeReport, "ms" | "least_ms" | "runs">> {
  await abortable(call(), signal);
  const times: number[] = [];
  for (let total = 0; times.length < RUNS || total < budget; ) {
    throwIfAborted(signal);
    const before = performance.now();
    await abortable(call(), signal);
    const ms = performance.now() - before;
    times.push(ms);
    total += ms;
  }
  times.sort((a, b) => a - b);
  return {
    ms: rounded(times[times.length >> 1]!),
    least_ms: rounded(times[0]!),
    runs: times.length,
  };
}

/** Vectors of the CPU, which vectors of the GPU are compared with. */
export interface Reference {
  vectors: Float32Array[];
}

/**
 * Times the package's encoder on a device. `reference` receives the CPU's vectors. The vectors of other devices
 * are compared with it.
 * @throws WebertError as `pipeline`
 */
export async function timeDevice(
  device: "wasm" | "webgpu",
  { pipeline, model, dtype, batches, budget, signal }: EncodePlan,
  reference: Reference,
  tell: (batch: Batch) => void,
): Promise<EncodeReport[]> {
  const pipe = await pipeline("feature-extraction", model ?? null, { device, ...(dtype && { dtype }), signal });
  try {
    while (pipe.info.kernels?.pending) await abortable(new Promise((resolve) => setTimeout(resolve, PAUSE)), signal);
    const { info } = pipe;
    const reports: EncodeReport[] = [];
    for (const [at, texts] of textsOf(pipe, batches).entries()) {
      const [sequences, tokens] = batches[at]!;
      tell([sequences, tokens]);
      const encode = () => pipe(texts, { pooling: "mean", normalize: true, signal });
      const { data } = await encode();
      const times = await timesOf(encode, budget, signal);
      const vectors = Float32Array.from(data as Float32Array);
      const isReference = device === "wasm";
      const want = reference.vectors[at];
      if (isReference) reference.vectors[at] = vectors;
      reports.push({
        library: "webert",
        version: VERSION,
        device: info.device,
        dtype: info.dtype,
        threads: info.threads,
        sequences,
        tokens,
        ...times,
        difference: isReference || !want ? null : rounded(largestDifference(vectors, want)),
        weight_bytes: info.bytes,
      });
    }
    return reports;
  } finally {
    await pipe.dispose();
  }
}

/** Times the encoder of another library over the same texts, whose tokens the package's tokenizer counts. */
export async function timeOther(
  load: LoadOther,
  { pipeline, model, dtype, batches, budget, signal }: EncodePlan,
  tell: (batch: Batch) => void,
): Promise<EncodeReport[]> {
  const pipe = await pipeline("feature-extraction", model ?? null, { device: "wasm", ...(dtype && { dtype }), signal });
  const texts = textsOf(pipe, batches);
  await pipe.dispose();
  const other = await abortable(load(signal), signal, (late) => late.dispose?.());
  if (typeof other?.encode !== "function")
    throw new WebertError("bad_input", "others: expected a function that returns an object with `encode`");
  const { library, version, device, dtype: precision } = other;
  try {
    const reports: EncodeReport[] = [];
    for (const [at, [sequences, tokens]] of batches.entries()) {
      tell([sequences, tokens]);
      const times = await timesOf(() => other.encode(texts[at]!), budget, signal);
      const facts = { library, version, device, dtype: precision, threads: null, sequences, tokens };
      reports.push({ ...facts, ...times, difference: null, weight_bytes: null });
    }
    return reports;
  } finally {
    await other.dispose?.();
  }
}

const largestDifference = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at]!)), 0);
