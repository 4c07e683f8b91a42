import type { WasmBuild, WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import type { Files } from "../sources/types.js";
import { loadGlue } from "../threads/builds.js";
import type { Glue } from "../threads/glue.js";
import type { LeaseThreads } from "../threads/pool.js";
import type { Explanation } from "./explanation.js";
import { Instance } from "./instance.js";

/** Roles of special tokens. */
export type Role = "cls" | "sep" | "pad" | "unk" | "mask";

/** What a tokenizer says of itself. */
export type TokenizerInfo = {
  vocab_size: number;
  model_max_length: number | null;
  padding_side: "left" | "right";
  truncation_side: "left" | "right";
  all_special_ids: number[];
  clean_up_tokenization_spaces: boolean;
  model_input_names: string[];
  warnings: string[];
} & Record<`${Role}_token`, string | null> &
  Record<`${Role}_token_id`, number | null>;

export interface WasmTokenizer {
  /** What `encode` does from now on: EncodeOptions but for what they return. */
  set_options(options: object): void;
  /**
   * All windows of all texts, as api/encoding.ts reads them. With `lengths`, in UTF-16 code units, `text` is all texts, a
   * line feed after each; `paired`: each is followed by its pair. `fields`: bits of FIELDS in api/encoding.ts.
   */
  encode(text: string, lengths: Uint32Array | undefined, paired: boolean, fields: number): Uint32Array;
  tokenize(
    text: string,
    pair: string | undefined,
    add_special_tokens: boolean,
    split_special_tokens: boolean | undefined,
  ): string[];
  decode(ids: Uint32Array, skip_special_tokens: boolean, clean_up_tokenization_spaces: boolean): string;
  token(id: number): string | undefined;
  id(token: string): number | undefined;
  vocab(): Map<string, number>;
  info(): TokenizerInfo;
  free(): void;
}

/** A tensor as it crosses from the engine: row-major. */
export interface RawTensor {
  type: "float32";
  dims: number[];
  data: Float32Array;
  truncated?: boolean;
}

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
  /** Where the dtype that was asked for is another: why. */
  dtype_reason?: string;
  /** Name of the checkpoint that the weights come from, where the one that was asked for has only ONNX files. */
  source?: string;
  threads: number;
  /** Vector instructions in use. */
  simd: string;
  model_type: string;
  head: string;
  /** Weights, counted one by one. */
  parameters: number;
  /** Memory that they take. */
  bytes: number;
  /** Fields of the folder's files that have no effect, each as a sentence. */
  warnings: readonly string[];
}

export interface WasmModel {
  /** `tick` is awaited before each forward pass, and while long texts are read; an error from it ends the call. */
  run(task: string, inputs: unknown[], options: object, tick: () => Promise<void>): Promise<unknown[]>;
  forward(
    inputs: RawInputs,
    options: object,
    tick: () => Promise<void>,
  ): Promise<Record<string, RawTensor | RawTensor[]>>;
  /** `note`: what of the device is not used because it computes wrongly or slowly, and what is instead. */
  info(): Omit<ModelInfo, "device_reason"> & { note?: string };
  /** A loader of another head over this model's encoder, whose tensors it skips. Rejects with `bad_input` where the files describe another encoder. */
  attach(files: Files, options: LoaderOptions): Promise<WasmLoader>;
  /** Whether the GPU's device has gone, and with it the weights. */
  lost(): boolean;
  /** Whether the GPU ever refused a command: an error that is `unsupported` may be for that. */
  refused(): boolean;
  /** Where there are threads. */
  set_threads?(threads: number): void;
  /**
   * How much each token of a text adds to an answer; in binaries with all features. `tell` is awaited, with how many
   * gradients there are and will be; an error from it ends the call.
   */
  explain?(
    task: string,
    input: object,
    options: object,
    tell: (step: number, n_steps: number) => Promise<void>,
  ): Promise<Explanation>;
  /** The model in training; in binaries with all features. */
  trainer?(config: Uint8Array, setup: object): WasmTrainer;
  free(): void;
}

/** A model in training. One call at a time: another one meanwhile rejects. */
export interface WasmTrainer {
  take_step(batches: RawInputs[], labels: object, options: object): Promise<{ loss: number; grad_norm: number }>;
  loss(batches: RawInputs[], labels: object): Promise<{ loss: number }>;
  /**
   * Without rows those of the run that was ended last. `goesOn`: from where the trainer is; otherwise a run of its own.
   * `tell` is awaited; an error from it ends the run.
   */
  train(
    rows: readonly unknown[] | undefined,
    evalRows: readonly unknown[] | undefined,
    options: object,
    goesOn: boolean,
    tell: (event: never) => Promise<void>,
  ): Promise<{
    global_step: number;
    training_loss: number;
    metrics?: { loss: number } & Record<string, number | null>;
  }>;
  /** Has a model that fills masks make the replacements of replaced-token detection. */
  set_generator(generator: WasmModel): void;
  evaluate(
    rows: readonly unknown[],
    options: object,
    tick: () => Promise<void>,
  ): Promise<{ loss: number } & Record<string, number | null>>;
  /** The header of a safetensors file of the parameters in F32, or of the optimiser's moments, in the order of `leaf`. */
  header(moments: boolean): Uint8Array<ArrayBuffer>;
  /** How many parameters there are. */
  leaves(): number;
  /** Whether a parameter is trained: the others stay as they were loaded. */
  is_trained(index: number): boolean;
  /** The bytes of a parameter's tensors, or of those of its moments. */
  leaf(index: number, moments: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** How far the run is, as JSON. */
  run_state(): string;
  /** Takes a tensor of moments, F32. */
  resume_tensor(name: string, shape: Uint32Array, bytes: Uint8Array): void;
  /** Goes on from there, after the last tensor. */
  resume(state: string): void;
  free(): void;
}

/** Takes texts, then makes a vocabulary of their words. */
export interface WasmVocabularyTrainer {
  add(texts: readonly string[]): void;
  /** The tokenizer's files; consumes the trainer. */
  finish(): Record<string, string>;
  free(): void;
}

export interface WasmLoader {
  /** Whether a file holds anything that is needed, as far as an index says. */
  wants(name: string): boolean;
  /** `size` in bytes, where it is known. */
  begin_file(name: string, size?: number): void;
  push(bytes: Uint8Array): void;
  /** How many of the file's next bytes nothing needs. */
  skippable(): number;
  /** Goes on behind so many bytes, as if they had been pushed. */
  skip(bytes: number): void;
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
  /** Draws what the files do not have; `output`: also the head's last layer where they have it. */
  initialize?: { seed: number; output: boolean };
}

/** An instance of the wasm side. After a trap all of it throws and rejects with the same error. */
export interface Wasm {
  Tokenizer: new (files: Files) => WasmTokenizer;
  Loader: { open(files: Files, options: LoaderOptions): Promise<WasmLoader> };
  /** Where there are threads: see threads/pool.ts. */
  leaseThreads?: LeaseThreads;
  /** Calls an exported function that not all binaries have. */
  call(name: string, ...args: unknown[]): unknown;
  /** Calls `listener` once, when the instance fails; gives what takes that back. */
  onfail(listener: (failure: WebertError) => void): () => void;
}

/** What a glue exports, unguarded. */
interface Exports extends Glue, Record<string, unknown> {
  Tokenizer: new (files: Files) => object;
  Loader: { open(files: Files, options: LoaderOptions): object };
  panicked(): boolean;
  /** Lets go of the instance. */
  release(): void;
}

/** Gets a wasm file: a Response compiles while it downloads. */
export type ReadWasm = (url: string) => Promise<Response | Uint8Array | WebAssembly.Module>;

/** The binaries that were compiled in this thread, to be posted to others: what a thread has compiled no other needs to fetch. */
export const compiled = new Map<WasmBuild, WebAssembly.Module>();

const instances = new Map<WasmBuild, Promise<Wasm>>();

/** The one instance of a build in this thread, begun by the first call. One that fails is not kept, but replaced by the next call. */
export async function instantiate(build: WasmBuild, paths: WasmPaths, read: ReadWasm): Promise<Wasm> {
  const found = instances.get(build);
  if (found) return found;
  const kept = (module: WebAssembly.Module) => compiled.set(build, module);
  const memory = build.includes("threads") ? sharedMemory : undefined;
  const instance = start(loadGlue(build, paths), paths[build]!, read, kept, memory);
  const forget = () => instances.delete(build);
  instances.set(build, instance);
  instance.then((wasm) => wasm.onfail(forget), forget);
  return instance;
}

/** An instance of the binary at `url`; `kept` is given its module. */
export async function start(
  loaded: Promise<Glue>,
  url: string,
  read: ReadWasm,
  kept?: (module: WebAssembly.Module) => void,
  ownMemory?: () => WebAssembly.Memory,
): Promise<Wasm> {
  const [glue, binary] = await Promise.all([loaded, read(url)]);
  try {
    const module = binary instanceof Response ? await compile(binary) : binary;
    if (module instanceof WebAssembly.Module) kept?.(module);
    const { memory } = await glue.default({ module_or_path: module, memory: ownMemory?.() });
    return guarded(glue as Exports, memory);
  } catch (cause) {
    const { name, message } = cause as Error;
    // as it starts, an instance traps where it has no memory for the first it asks for
    if (/^R(ange|untime)Error$/.test(name))
      throw new WebertError("out_of_memory", `no memory for ${url}: ${message}`, { cause });
    const code = /^(Compile|Link)Error$/.test(name) ? "unsupported" : "network";
    throw new WebertError(code, `${url} could not be used: ${message}`, { cause });
  }
}

function guarded(glue: Exports, memory: WebAssembly.Memory): Wasm {
  const instance = new Instance(memory, glue);
  return {
    // `new` gives the object that is returned
    Tokenizer: function (files: Files) {
      return instance.call(() => new glue.Tokenizer(files));
    } as unknown as Wasm["Tokenizer"],
    Loader: {
      open: async (files, options) => instance.call(() => glue.Loader.open(files, options)) as Promise<WasmLoader>,
    },
    leaseThreads:
      glue.leaseThreads &&
      (async (...args) => {
        const { count, release } = await instance.until(glue.leaseThreads!(...args));
        return { count: (int8) => instance.until(count(int8)), release };
      }),
    call: (name, ...args) => instance.call(() => (glue[name] as (...args: unknown[]) => unknown)(...args)),
    onfail: (listener) => instance.onfail(listener),
  };
}

/** The module of a binary, compiled while it arrives where the server names its type. */
async function compile(binary: Response): Promise<WebAssembly.Module> {
  const streams =
    "compileStreaming" in WebAssembly && /^application\/wasm\b/i.test(binary.headers.get("content-type") ?? "");
  return streams ? WebAssembly.compileStreaming(binary) : WebAssembly.compile(await binary.arrayBuffer());
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
