// The types of what the wasm side exports; src/wasm has the implementation.
import type { WasmBuild, WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import type { Files } from "../sources/types.js";
import { loadGlue } from "../threads/builds.js";
import type { Glue } from "../threads/glue.js";
import type { LeaseThreads } from "../threads/pool.js";
import type { Explanation } from "./explanation.js";
import { Instance } from "./instance.js";
import type { Kernels } from "./kernels.js";

/** Roles of special tokens. */
export type Role = "cls" | "sep" | "pad" | "unk" | "mask";

/** Facts about a tokenizer. */
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
  /** Sets the options of all later calls of `encode`: EncodeOptions without the `return_…` options. */
  set_options(options: object): void;
  /**
   * Returns all windows of all texts; api/encoding.ts reads them. With `lengths`, in UTF-16 code units, `text` has all
   * texts, with a line feed after each. `paired`: each text is followed by its pair. `fields`: bits of FIELDS in
   * api/encoding.ts.
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

/** A row-major tensor as the engine returns it. */
export interface RawTensor {
  type: "float32";
  dims: number[];
  data: Float32Array;
  truncated?: boolean;
}

/** Ids with dims [batch, sequence] or [batch, choices, sequence], row-major. */
export interface RawInputs {
  dims: number[];
  input_ids: Uint32Array;
  attention_mask?: Uint32Array;
  token_type_ids?: Uint32Array;
  position_ids?: Uint32Array;
}

/** Facts about a model. */
export interface ModelInfo {
  /** Device: "wasm" or "webgpu". */
  device: string;
  /** Why this device was chosen, and which of its features are not used because they are wrong or slow. */
  device_reason: string;
  /** Precision of the weights in memory. */
  dtype: string;
  /** Why the dtype differs from the requested one, if it does. */
  dtype_reason?: string;
  /** Name of the checkpoint that the weights come from, if the requested model has only ONNX files. */
  source?: string;
  threads: number;
  /** Vector instructions in use. */
  simd: string;
  model_type: string;
  head: string;
  /** Number of weights. */
  parameters: number;
  /** Memory of the weights, in bytes. */
  bytes: number;
  /** Part of `bytes` that was loaded for a model with another adapter, or without one. */
  shared_bytes: number;
  /** Kernels that a GPU computes with. */
  kernels?: Kernels;
  /** Fields of the folder's files that have no effect, each as a sentence. */
  warnings: readonly string[];
}

export interface WasmModel {
  /**
   * Runs a task. `tick` is awaited before each forward pass and while long texts are read. An error from it ends the
   * call.
   */
  run(task: string, inputs: unknown[], options: object, tick: () => Promise<void>): Promise<unknown[]>;
  forward(
    inputs: RawInputs,
    options: object,
    tick: () => Promise<void>,
  ): Promise<Record<string, RawTensor | RawTensor[]>>;
  /**
   * Returns facts. `note`: features of the device that are not used because they are wrong or slow, and their
   * replacements. `kernels`: the GPU's kernels, as text.
   */
  info(): Omit<ModelInfo, "device_reason" | "kernels"> & { note?: string; kernels?: string };
  /**
   * Returns a loader of another head over this model's encoder, or of a model with another adapter that shares
   * matrices with it. It skips the shared tensors. Rejects with `bad_input` if the files describe another encoder.
   */
  attach(files: Files, options: LoaderOptions): Promise<WasmLoader>;
  /** Returns whether the GPU was lost, with the weights on it. */
  lost(): boolean;
  /** Returns whether the GPU has ever refused a command. Such a refusal may be the cause of an `unsupported` error. */
  refused(): boolean;
  /**
   * Does a part of the choice of the GPU's kernels, of some milliseconds. Returns the kernels as text if nothing is
   * left, otherwise undefined. Only in binaries for the GPU.
   */
  improve?(): Promise<string | undefined>;
  /** Sets the number of threads. Only in binaries with threads. */
  set_threads?(threads: number): void;
  /**
   * Returns how much each token of a text adds to an answer. Only in binaries with all features. `tell` is awaited with
   * the number of gradients so far and in total. An error from it ends the call.
   */
  explain?(
    task: string,
    input: object,
    options: object,
    tell: (step: number, n_steps: number) => Promise<void>,
  ): Promise<Explanation>;
  /** Returns the model's trainer. Only in binaries with all features. */
  trainer?(config: Uint8Array, setup: object): WasmTrainer;
  free(): void;
}

/**
 * The tensors of a file: the model's; the model's before its adapters were added; the optimizer's state and the factors
 * of the adapters; or the trained tensors as PEFT names them.
 */
export type SavedTensors = "model" | "base" | "state" | "adapter";

/** A model in training. It runs one call at a time; a concurrent call rejects. */
export interface WasmTrainer {
  /**
   * Returns the kernels in use, for `keepKernels`. After the first step they include the kernels of gradients.
   * Undefined on the CPU.
   */
  kernels(): string | undefined;
  take_step(batches: RawInputs[], labels: object, options: object): Promise<{ loss: number; grad_norm: number }>;
  loss(batches: RawInputs[], labels: object): Promise<{ loss: number }>;
  /**
   * Begins a run over rows. `resumes`: continue from the trainer's state instead of starting a new run. `record` is
   * the record of a run on another device, which this run continues.
   */
  begin(
    rows: readonly unknown[],
    evalRows: readonly unknown[] | undefined,
    options: object,
    resumes: boolean,
    record: unknown,
  ): Promise<WasmRun>;
  /** Sets the fill-mask model that generates the replacements for replaced-token detection. */
  set_generator(generator: WasmModel): void;
  set_teacher(teacher: WasmModel): void;
  evaluate(
    rows: readonly unknown[],
    options: object,
    tick: () => Promise<void>,
  ): Promise<{ loss: number } & Record<string, number | null>>;
  /** Returns loss and metrics of scores and the shares of their labels, both [rows, labels]. */
  score_metrics(
    scores: Float32Array,
    targets: Float32Array,
    labels: number,
    several: boolean,
  ): { loss: number } & Record<string, number | null>;
  /** Returns the header of a safetensors file of these tensors in F32, in the order of `leaves`. */
  header(of: SavedTensors): Uint8Array<ArrayBuffer>;
  /** Returns the numbers of the parameters whose tensors the file has. */
  leaves(of: SavedTensors): Uint32Array;
  /** Returns whether a parameter is trained. Other parameters keep their loaded values. */
  is_trained(index: number): boolean;
  /** Returns the bytes of a parameter's tensors. */
  leaf(index: number, of: SavedTensors): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns adapter_config.json. `base` names the base model. */
  adapter_config(base?: string): string;
  /** Returns the state of the run as JSON. */
  run_state(): string;
  /** Receives a tensor of moments in F32. */
  resume_tensor(name: string, shape: Uint32Array, bytes: Uint8Array): void;
  /** Restores the state of a run. Must be called after the last tensor. */
  resume(state: string): void;
  free(): void;
}

/** A run between two steps. Not calling `next` pauses it; the trainer's other calls are then possible. */
export interface WasmRun {
  /** Takes the next step or makes the next evaluation. Returns its event, or undefined at the end of the run. */
  next(): Promise<unknown>;
  /** Returns the results of the steps so far, for `begin` on another device. */
  record(): unknown;
  /** Returns the result of the run. */
  result(): {
    global_step: number;
    training_loss: number;
    metrics?: { loss: number } & Record<string, number | null>;
  };
  free(): void;
}

/** Collects texts, then builds a vocabulary from their words. */
export interface WasmVocabularyTrainer {
  add(texts: readonly string[]): void;
  /** Returns the tokenizer's files. Consumes the trainer. */
  finish(): Record<string, string>;
  free(): void;
}

export interface WasmLoader {
  /** Returns whether a file has any needed tensor, according to the index. */
  wants(name: string): boolean;
  /** Begins a file. `size` is in bytes, if known. */
  begin_file(name: string, size?: number): void;
  push(bytes: Uint8Array): void;
  /** Returns the number of next bytes of the file that are not needed. */
  skippable(): number;
  /** Skips the next bytes, as if they had been pushed. */
  skip(bytes: number): void;
  end_file(): void;
  /**
   * Returns the names of files with data of the last file's tensors, e.g. `model.onnx_data`. Only in binaries with all
   * features.
   */
  external_files?(): string[];
  /** Begins a dry run, which allocates nothing. Only in binaries with all features. */
  dry_run?(): void;
  /** Dry run: returns whether the rest of the file is not needed. */
  knows?(): boolean;
  /** Ends a dry run. Throws if tensors are missing. */
  check?(): void;
  /**
   * Tests the GPU, and chooses its kernels unless that is left to `improve`, while the weights arrive. Returns the kernels as text, or undefined if it is
   * too early. Only in binaries for the GPU.
   */
  settle?(): Promise<string> | undefined;
  /** Returns the model. Consumes the loader, even if it fails. */
  finish(): Promise<WasmModel>;
  free(): void;
}

/**
 * How to load a model. `task` or `head` (as in ModelInfo) names the required head if config.json does not determine it.
 */
export interface LoaderOptions {
  dtype: string;
  device: string;
  /** Kernels that an earlier load chose on this GPU, as text. */
  kernels?: string;
  /** If given, the choice of a GPU's kernels is left to `improve`. True: those in use are measured before. */
  times_defaults?: boolean;
  task?: string;
  head?: string;
  /** Number of the model's adapter among all adapters of the thread. 0 if it has none. */
  adapter?: number;
  /** Initializes missing tensors at random. `output`: also the head's last layer, even if the files have it. */
  initialize?: { seed: number; output: boolean };
}

/** An instance of the wasm side. After a trap all its calls throw or reject with the same error. */
export interface Wasm {
  Tokenizer: new (files: Files) => WasmTokenizer;
  Loader: { open(files: Files, options: LoaderOptions): Promise<WasmLoader> };
  /** Only in binaries with threads: see threads/pool.ts. */
  leaseThreads?: LeaseThreads;
  /** Calls an exported function that not all binaries have. */
  call(name: string, ...args: unknown[]): unknown;
  /** Calls `listener` once when the instance fails. Returns a function that removes the listener. */
  onfail(listener: (failure: WebertError) => void): () => void;
}

/** Unguarded exports of a glue. */
interface GlueExports extends Glue, Record<string, unknown> {
  Tokenizer: new (files: Files) => object;
  Loader: { open(files: Files, options: LoaderOptions): object };
  /** Drops the instance. */
  release(): void;
}

/** Reads a wasm file. A Response is compiled while it downloads. */
export type ReadWasm = (url: string) => Promise<Response | Uint8Array | WebAssembly.Module>;

/** Binaries that were compiled in this thread. They are posted to other threads, which then need not fetch them. */
export const compiled = new Map<WasmBuild, WebAssembly.Module>();

const instances = new Map<WasmBuild, Promise<Wasm>>();

/**
 * Returns the only instance of a build in this thread. The first call creates it. A failed instance is replaced by the
 * next call.
 */
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

/** Starts an instance of the binary at `url`. `kept` receives its module. */
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
    return guarded(glue as GlueExports, memory);
  } catch (cause) {
    const { name, message } = cause as Error;
    // An instance traps during its start if its first allocation fails.
    if (/^R(ange|untime)Error$/.test(name))
      throw new WebertError("out_of_memory", `no memory for ${url}: ${message}`, { cause });
    const code = /^(Compile|Link)Error$/.test(name) ? "unsupported" : "network";
    throw new WebertError(code, `${url} could not be used: ${message}`, { cause });
  }
}

function guarded(glue: GlueExports, memory: WebAssembly.Memory): Wasm {
  const instance = new Instance(memory, glue);
  return {
    // `new` returns the object that the function returns.
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

/** Compiles a binary. If the server sends its type, compiles while it downloads. */
async function compile(binary: Response): Promise<WebAssembly.Module> {
  const streams =
    "compileStreaming" in WebAssembly && /^application\/wasm\b/i.test(binary.headers.get("content-type") ?? "");
  return streams ? WebAssembly.compileStreaming(binary) : WebAssembly.compile(await binary.arrayBuffer());
}

/** Returns a memory for threads. Its maximum is reserved at once, and some devices have no room for 4 GiB. */
function sharedMemory(): WebAssembly.Memory {
  const [initial, least] = [64, 4096]; // pages of 64 KiB; the module starts with at most `initial`
  for (let maximum = 65536; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch (error) {
      if (maximum <= least) throw error;
    }
  }
}
