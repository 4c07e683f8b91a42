import type { WasmBuild } from "./env.js";
import { WebertError } from "./errors.js";
import type { Files } from "./checkpoint.js";
import * as generated from "../../target/wasm/glue/webert.js";

/** One window of one text, as the wasm side gives it; arrays have one entry a token. */
export interface WasmEncoding {
  /** Which text it is of. */
  sample: number;
  input_ids: Uint32Array;
  token_type_ids: Uint32Array;
  attention_mask: Uint32Array;
  special_tokens_mask: Uint32Array;
  /** start, end of each token, in UTF-16 code units of its text. */
  offsets: Uint32Array;
  /** -1: of no word. */
  word_ids: Int32Array;
}

/** Roles of special tokens. */
export type Role = "cls" | "sep" | "pad" | "unk" | "mask";

/** What a tokenizer says of itself. */
export type TokenizerInfo = { vocab_size: number; model_max_length: number | null } & Record<`${Role}_token`, string | null> &
  Record<`${Role}_token_id`, number | null>;

export interface WasmTokenizer {
  encode(texts: readonly string[], pairs: readonly string[] | undefined, options: object): WasmEncoding[];
  tokenize(text: string, pair: string | undefined, add_special_tokens: boolean): string[];
  decode(ids: Uint32Array, skip_special_tokens: boolean, clean_up_tokenization_spaces: boolean): string;
  token(id: number): string | undefined;
  id(token: string): number | undefined;
  info(): TokenizerInfo;
  free(): void;
}

/** A tensor as it crosses from the engine: row-major. */
export interface RawTensor { type: "float32"; dims: number[]; data: Float32Array; truncated?: boolean }

/** Ids of dims [batch, sequence] or [batch, choices, sequence], row-major. */
export interface RawInputs {
  dims: number[];
  input_ids: Uint32Array;
  attention_mask?: Uint32Array;
  token_type_ids?: Uint32Array;
  position_ids?: Uint32Array;
}

/** What a model says of itself. */
export interface ModelInfo {
  /** What computes: "wasm" or "webgpu". */
  device: string;
  /** Why that one. */
  device_reason: string;
  /** Precision of the weights as they are held. */
  dtype: string;
  threads: number;
  /** Vector instructions in use. */
  simd: string;
  model_type: string;
  head: string;
  /** Weights, counted one by one. */
  parameters: number;
  /** Memory that they take. */
  bytes: number;
}

export interface WasmModel {
  run(task: string, inputs: unknown[], options: object, tick: () => Promise<void>): Promise<unknown[]>;
  forward(inputs: RawInputs, options: object, tick: () => Promise<void>): Promise<Record<string, RawTensor | RawTensor[]>>;
  info(): ModelInfo;
  free(): void;
}

export interface WasmLoader {
  begin_file(name: string): void;
  push(bytes: Uint8Array): void;
  end_file(): void;
  /** Consumes the loader, also where it fails. */
  finish(): Promise<WasmModel>;
  free(): void;
}

/** How to load: `task` or `head` (as in ModelInfo) say which head is needed where config.json leaves it open. */
export interface LoaderOptions {
  dtype: string;
  device: string;
  task?: string;
  head?: string;
}

/** The wasm side, with the types that its generated declarations cannot say. */
export interface Wasm {
  Tokenizer: new (files: Files) => WasmTokenizer;
  Loader: { open(files: Files, options: LoaderOptions): Promise<WasmLoader> };
}

/** Gets a wasm file: a Response compiles while it downloads. */
export type ReadWasm = (url: string) => Promise<Response | BufferSource>;

let instance: Promise<Wasm> | undefined;

/** The one wasm instance of this thread, begun by the first call; a failure is not kept. */
export function instantiate(paths: Record<WasmBuild, string> | null, read: ReadWasm): Promise<Wasm> {
  instance ??= start(paths, read).catch((error: unknown) => {
    instance = undefined;
    throw error;
  });
  return instance;
}

async function start(paths: Record<WasmBuild, string> | null, read: ReadWasm): Promise<Wasm> {
  const build = bestBuild();
  // Written out, since bundlers look for just this form.
  const beside = {
    simd128: new URL("./webert_simd128.wasm", import.meta.url),
    relaxed: new URL("./webert_relaxed.wasm", import.meta.url),
  };
  const url = paths?.[build] ?? beside[build].href;
  const binary = await read(url);
  try {
    await generated.default({ module_or_path: binary });
  } catch (cause) {
    const { name, message } = cause as Error;
    const code = /^(Compile|Link)Error$/.test(name) ? "unsupported" : "network";
    throw new WebertError(code, `${url} could not be used: ${message}`, { cause });
  }
  return generated as unknown as Wasm;
}

// Two smallest modules, each of one function that uses the feature: i8x16.popcnt, i8x16.relaxed_swizzle.
// prettier-ignore
const PROBES: Record<WasmBuild, number[]> = {
  simd128: [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
  relaxed: [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
};

/** The fastest build that runs here. Throws `unsupported` where none does. */
function bestBuild(): WasmBuild {
  if (typeof WebAssembly === "undefined") throw new WebertError("unsupported", "there is no WebAssembly here");
  for (const build of ["relaxed", "simd128"] as const) {
    if (WebAssembly.validate(new Uint8Array(PROBES[build]))) return build;
  }
  throw new WebertError("unsupported", "WebAssembly here lacks the vector instructions (simd128) that webert needs");
}
