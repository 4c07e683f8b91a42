import { loadGlue } from "./artefacts.js";
import type { WasmBuild } from "./env.js";
import { WebertError } from "./errors.js";
import type { Files } from "./checkpoint.js";
import type { Job } from "./job.js";
import type { Join } from "./threads.js";

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
  /** Why that one, and what of it is not used because it computes wrongly or slowly. */
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
  run(task: string, inputs: unknown[], options: object, tick: () => Promise<void>): Job<unknown[]>;
  forward(inputs: RawInputs, options: object, tick: () => Promise<void>): Job<Record<string, RawTensor | RawTensor[]>>;
  /** `note`: what of the device is not used because it computes wrongly or slowly, and what is instead. */
  info(): Omit<ModelInfo, "device_reason"> & { note?: string };
  /** Whether the GPU's device has gone, and with it the weights. */
  lost(): boolean;
  /** Whether the GPU ever refused a command: an error that is `unsupported` may be for that. */
  refused(): boolean;
  /** Where there are threads. */
  set_threads?(threads: number): void;
  free(): void;
}

export interface WasmLoader {
  begin_file(name: string): void;
  push(bytes: Uint8Array): void;
  end_file(): void;
  /** Consumes the loader, also where it fails. */
  finish(): Job<WasmModel>;
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
  Loader: { open(files: Files, options: LoaderOptions): Job<WasmLoader> };
  /** Where there are threads: see team.ts. */
  join?: Join;
}

/** Gets a wasm file: a Response compiles while it downloads. */
export type ReadWasm = (url: string) => Promise<Response | Uint8Array>;

/** The memory of every instance in this thread. */
const memories: WebAssembly.Memory[] = [];
const instances = new Map<WasmBuild, Promise<Wasm>>();

/** The one instance of a build in this thread, begun by the first call; a failure is not kept. */
export async function instantiate(build: WasmBuild, paths: Record<WasmBuild, string>, read: ReadWasm): Promise<Wasm> {
  const begun = instances.get(build) ?? start(build, paths, read);
  instances.set(build, begun);
  begun.catch(() => instances.delete(build));
  return begun;
}

async function start(build: WasmBuild, paths: Record<WasmBuild, string>, read: ReadWasm): Promise<Wasm> {
  const url = paths[build];
  const [glue, binary] = await Promise.all([loadGlue(build), read(url)]);
  try {
    const { memory } = await glue.default({ module_or_path: binary, memory: build.endsWith("threads") ? sharedMemory() : undefined });
    memories.push(memory);
    return glue as unknown as Wasm;
  } catch (cause) {
    const { name, message } = cause as Error;
    if (name === "RangeError") throw new WebertError("out_of_memory", `no memory for ${url}: ${message}`, { cause });
    const code = /^(Compile|Link)Error$/.test(name) ? "unsupported" : "network";
    throw new WebertError(code, `${url} could not be used: ${message}`, { cause });
  }
}

/** A memory for threads. All that it may ever grow to is reserved at once, and not every device has room for 4 GiB. */
function sharedMemory(): WebAssembly.Memory {
  const [initial, least] = [64, 4096]; // pages of 64 KiB; the module needs no more than `initial` to begin with
  for (let maximum = 65536; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch (error) {
      if (maximum <= least) throw error;
    }
  }
}

/** An error of the wasm side as one of ours. A trap where its memory cannot grow is the lack of it. */
export function explain(error: unknown): WebertError {
  const full = error instanceof WebAssembly.RuntimeError && memories.find(cannotGrow);
  if (!full) return WebertError.from(error);
  const size = `${full.buffer.byteLength / 2 ** 20} MiB`;
  return new WebertError("out_of_memory", `WebAssembly's memory of ${size} is used up and cannot grow`, { cause: error });
}

function cannotGrow(memory: WebAssembly.Memory): boolean {
  try {
    memory.grow(16); // 1 MiB
    return false;
  } catch {
    return true;
  }
}
