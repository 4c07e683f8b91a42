// Loads a model into this thread: chooses a device, fetches the files, feeds the weights to the engine.
import { abortable, ticker } from "../abort.js";
import { WebertError } from "../errors.js";
import {
  hasTorch,
  openWeights,
  readConfig,
  readModules,
  readTokenizerFiles,
  type WeightFile,
  type Weights,
} from "../sources/files.js";
import { withFresh } from "../sources/folder.js";
import { openFolder } from "../sources/open.js";
import type { SplitWeights } from "../sources/retrieval-folders.js";
import { isRetrieval, isStanford, retrievalKind } from "../sources/sentence-folder.js";
import { needsAll } from "../sources/small-binary.js";
import type { Place } from "../sources/source.js";
import type { Control, Files, Folder } from "../sources/types.js";
import { type Binary, openBinary, usableThreads } from "./binary.js";
import { type Choice, choose, cpuInstead, gpuKernels, workOf } from "./device.js";
import type { LoadSpec, Machine, Parts } from "./engine.js";
import { adapters, formatsOf, fromOrigin, retrieval } from "./rare-code.js";
import { Encoder } from "./shared-encoder.js";
import { compiled, type ModelInfo, type Wasm, type WasmLoader, type WasmModel } from "./wasm.js";

/** A loaded model and facts about it. */
export interface Loaded {
  model: WasmModel;
  info: ModelInfo;
  encoder: Encoder;
  parts: Parts;
  /** Frees the model's memory. */
  free(): void;
}

/** Runs `work` while the encoder's models compute nothing. */
export type Exclusively = <T>(work: () => T | Promise<T>) => Promise<T>;

/** The reason to load a model on the CPU after all: the GPU is slower. */
class SlowerDevice extends WebertError {}

/** Error codes of a GPU after which "auto" loads the model on the CPU. */
const UNABLE: readonly string[] = ["unsupported", "out_of_memory", "device_lost"];

/**
 * Loads a model into this thread, on `given` or on the device chosen here. All downloads start at once, except for the
 * binary. Each device has two binaries, and config.json and the tokenizer's files decide which one is needed.
 */
export async function loadModel(spec: LoadSpec, control: Control, machine: Machine, given?: Choice): Promise<Loaded> {
  const folder = await openFolder(spec.place, machine);
  return withFresh(folder, async () => {
    const files = openFiles(folder, spec, control, machine);
    const config = async () => (await files.config)["config.json"]!;
    const machinery = { cache: spec.kernelCache, glue: spec.wasmPaths.gpu, threads: usableThreads(spec, machine) };
    const choice = given ?? (await choose(spec.how.device, config, machinery));
    try {
      return await loadOn(choice, spec, control, machine, files);
    } catch (error) {
      if (isUnreadable(error, spec)) return loadOrigin(error, spec, control, machine, choice);
      if (!isUnable(error, choice, spec)) throw error;
      const { message } = WebertError.from(error);
      const why = error instanceof SlowerDevice ? message : `the GPU could not take the model: ${message}`;
      return loadOn(cpuInstead(why), spec, control, machine, files);
    }
  });
}

/**
 * Loads a model over an existing encoder. Reads none of the encoder's weights. Returns undefined if the encoder cannot
 * be shared: the model's encoder is different, the GPU has no room, or the encoder's last model was closed meanwhile.
 */
export async function attachModel(
  encoder: Encoder,
  spec: LoadSpec,
  control: Control,
  machine: Machine,
  exclusively: Exclusively,
): Promise<Loaded | undefined> {
  const release = encoder.hold();
  try {
    const folder = await openFolder(spec.place, machine);
    return await withFresh(folder, async () => {
      const { small, weights, full } = openFiles(folder, spec, control, machine);
      const read = await small;
      const { index, files: shards, source, needsAll } = await weights();
      if (
        ((await full) || needsAll || hasTorch(read) || needsRetrieval(read, spec)) &&
        !encoder.build.endsWith("_full")
      )
        return undefined;
      const { files, adapter, head, kept } = await complete(read, encoder.wasm, spec, shards);
      const options = { ...spec.how, ...head, device: encoder.choice.device };
      const loader = await exclusively(async () => {
        try {
          return await encoder.model?.attach({ ...files, ...adapter, ...index }, options);
        } catch (error) {
          if (WebertError.from(error).code === "bad_input") return undefined; // its config describes another encoder
          throw error;
        }
      });
      if (!loader) return undefined;
      const model = await stream(kept?.files ?? shards, loader, control, exclusively);
      return await describe(model, encoder, { ...files, ...kept?.found }, source, spec);
    });
  } catch (error) {
    if (isUnable(error, encoder.choice, spec)) return undefined;
    throw error;
  } finally {
    release();
  }
}

/** Loads the checkpoint that an ONNX file was exported from. `why` is the reason why the file cannot be read. */
async function loadOrigin(why: unknown, spec: LoadSpec, control: Control, machine: Machine, given: Choice) {
  try {
    return await loadModel({ ...spec, onnx: undefined }, control, machine, given);
  } catch (error) {
    const { code, message } = WebertError.from(error);
    if (code !== "not_found") throw error;
    throw new WebertError("unsupported", `${WebertError.from(why).message}; ${message}`, { cause: why });
  }
}

/** Returns whether an error means that an ONNX file of the Hub, which the call does not name, cannot be read. */
function isUnreadable(error: unknown, { onnx, hub }: LoadSpec): boolean {
  const { code, message } = WebertError.from(error);
  return !!hub && !!onnx && onnx.name === undefined && code === "unsupported" && /\.onnx: /.test(message);
}

/** Returns whether the CPU must load a model that a device could not load. */
function isUnable(error: unknown, { device }: Choice, { how }: LoadSpec): boolean {
  return device === "webgpu" && how.device === "auto" && UNABLE.includes(WebertError.from(error).code);
}

/**
 * Starts to read a folder. `weights` returns the weights, which are already opening; a second call opens them again.
 */
export function openFiles(folder: Folder, spec: LoadSpec, control: Control, machine: Machine) {
  const config = spec.configs ? Promise.resolve(spec.configs) : readConfig(folder, control, spec.config);
  const of = async (place: Place | undefined) => (place ? openFolder(place, machine) : folder);
  const given = spec.adapter && openAdapter(spec.adapter, spec, control, machine);
  const open = async (): Promise<Weights> =>
    spec.trainer?.blank
      ? { index: {}, async *files() {} }
      : openWeights(folder, control, await config, spec.onnx, formatsOf(spec)).catch((error: unknown) =>
          fromOrigin(error, folder, spec, machine, control),
        );
  let opened: Promise<Weights> | undefined = open();
  opened.catch(() => {}); // reported to the caller of `weights`, unless another error comes first
  const weights = () => {
    const first = opened ?? open();
    opened = undefined;
    return first;
  };
  // If several files are missing, the error of config.json explains best whether the folder is a model.
  const beside = async (files: Promise<Files>) =>
    files.catch((error: unknown) => config.then(() => Promise.reject(error)));
  const readTokenizer = async () =>
    given
      ? (await adapters(spec)).readTokenizerOf((await given).folder, folder, control, !spec.trainer)
      : readTokenizerFiles(
          await of(spec.tokenizerPlace),
          control,
          !spec.trainer,
          async () => (await config)["config.json"],
        );
  const tokenizer = spec.tokenizer ? beside(readTokenizer()) : {};
  const around = of(spec.modulesPlace);
  const modules = async () => {
    const own = given ? await readModules((await given).folder, control, formatsOf(spec)) : {};
    const found = Object.keys(own).length ? own : await readModules(await around, control, formatsOf(spec));
    const all = { ...(await config), ...found };
    if (!isRetrieval(all)) return found;
    return { ...found, ...(await (await retrieval(spec)).readRetrieval(await around, all, control)) };
  };
  const adapter = given?.then(({ files }) => files);
  const small = Promise.all([config, tokenizer, spec.modules ? beside(modules()) : {}, adapter]).then(
    (files): Files => Object.assign({}, ...files),
  );
  small.catch(() => {}); // as above
  /** Returns whether the binary must have all features. */
  const isFull = async () =>
    isGliner(spec) ||
    !!spec.inspect ||
    !!spec.trainer ||
    !!spec.adapter ||
    needsAll(await config) ||
    needsAll(await tokenizer);
  const full = spec.wasmPaths.glues ? isFull() : Promise.resolve(false);
  full.catch(() => {}); // as above
  return { config, small, weights, full };
}

/** Returns whether the model is loaded for the task of GLiNER models, which the small binaries do not have. */
const isGliner = ({ how }: LoadSpec) => !!how.task?.startsWith("zero-shot-t");

/** Opens the folder of an adapter and reads its files. */
async function openAdapter(place: Place, spec: LoadSpec, control: Control, machine: Machine) {
  const [folder, { checkAdapter, readAdapter }] = await Promise.all([openFolder(place, machine), adapters(spec)]);
  return { folder, files: await readAdapter(folder, control, checkAdapter) };
}

/** Loads a model with its encoder on one device. */
async function loadOn(
  choice: Choice,
  spec: LoadSpec,
  control: Control,
  machine: Machine,
  { small, weights: open, full }: ReturnType<typeof openFiles>,
): Promise<Loaded> {
  const { device } = choice;
  const weights = open();
  let binary = full.then((full) => openBinary(device, spec, machine, full));
  const leaseOf = ({ threads }: Binary) => threads;
  let lease = binary.then(leaseOf);
  lease.catch(() => {}); // both are reported below, unless a file fails first
  try {
    const read = await small;
    let { build, wasm } = await abortable(binary, control.signal);
    const { index, files: shards, source, needsAll, isOnnx, dtype } = await weights;
    if ((needsAll || hasTorch(read) || needsRetrieval(read, spec)) && !build.endsWith("_full")) {
      (await formatsOf(spec).torch()).checkPaths(spec.wasmPaths, isOnnx ? source : undefined);
      lease.then(({ release }) => release());
      // The format of the files is known only now. The first choice of a binary does not wait for it.
      binary = openBinary(device, spec, machine, true);
      lease = binary.then(leaseOf);
      lease.catch(() => {}); // as above
      ({ build, wasm } = await abortable(binary, control.signal));
    }
    const { files, adapter, head, kept } = await complete(read, wasm, spec, shards);
    if (spec.trainer) files["config.json"] = wasm.call("training_config", files, spec.trainer) as Uint8Array;
    const how = dtype && spec.how.dtype === "auto" ? { ...spec.how, dtype } : spec.how;
    const kernels =
      choice.adapter && (await (await gpuKernels(spec.wasmPaths.gpu)).keptKernels(spec.kernelCache, choice.adapter));
    const options = {
      ...how,
      ...head,
      device,
      ...(kernels && { kernels }),
      ...(device === "webgpu" && spec.choosesLater && { times_defaults: spec.how.device === "auto" }),
    };
    const loader = await wasm.Loader.open({ ...files, ...adapter, ...index }, options);
    const settled = (kernels: string) => judgeKernels(kernels, choice, spec, machine, files);
    const model = await stream(kept?.files ?? shards, loader, control, async (work) => work(), settled);
    try {
      const { count, release } = await abortable(lease, control.signal);
      model.set_threads?.(await abortable(count(model.info().dtype === "q8"), control.signal));
      const encoder = new Encoder(build, wasm, choice, release);
      encoder.pending = !!(spec.choosesLater && model.improve);
      return await describe(model, encoder, { ...files, ...kept?.found }, source, spec);
    } catch (error) {
      model.free(); // nobody else knows it: without this, its memory waits for the garbage collector
      throw error;
    }
  } catch (error) {
    lease.then(
      ({ release }) => release(),
      () => {},
    );
    throw error;
  }
}

/**
 * Keeps the kernels that a GPU has chosen, or the times of the defaults.
 * @throws SlowerDevice under "auto", if the CPU is faster by this measurement
 */
async function judgeKernels(
  kernels: string,
  { adapter }: Choice,
  spec: LoadSpec,
  machine: Machine,
  files: Files,
): Promise<void> {
  if (!adapter) return;
  const { isMeasured, keepKernels, slowerThanCpu } = await gpuKernels(spec.wasmPaths.gpu);
  await keepKernels(spec.kernelCache, adapter, kernels);
  if (spec.how.device !== "auto" || !isMeasured(kernels)) return;
  const why = slowerThanCpu(kernels, workOf(files["config.json"]!), usableThreads(spec, machine));
  if (why) throw new SlowerDevice("unsupported", `${why} (${adapter})`);
}

/**
 * Returns the files, and the weights of an adapter apart. Weights of modules and adapters in PyTorch's format are
 * converted to safetensors.
 */
export async function complete(read: Files, wasm: Wasm, spec: LoadSpec, shards: Weights["files"]): Promise<Complete> {
  const files = hasTorch(read) ? (await formatsOf(spec).torch()).converted(read, wasm) : { ...read };
  if (spec.adapter) return (await adapters(spec)).withAdapter(files, spec.config);
  if (!needsRetrieval(files, spec)) return { files };
  const { asEncoder, keepProjection } = await retrieval(spec);
  if (isStanford(files)) return { files: asEncoder(files), head: { head: "none" }, kept: keepProjection(shards) };
  return { files, head: { head: retrievalKind(files) === "sparse" ? "masked-lm" : "none" } };
}

/** Returns whether the model is loaded for SPLADE or ColBERT, which need a head of their own and the full binary. */
const needsRetrieval = (files: Files, spec: LoadSpec) => spec.modules && isRetrieval(files);

/** Files of a model, ready for the wasm side. */
interface Complete {
  files: Files;
  /** Tensors of an adapter. */
  adapter?: Files;
  /** The head to load in place of the task's. */
  head?: { head: string };
  /** Weights of which a part is kept. */
  kept?: SplitWeights;
}

async function describe(
  model: WasmModel,
  encoder: Encoder,
  files: Files,
  source: string | undefined,
  { wasmPaths }: LoadSpec,
): Promise<Loaded> {
  const { build, choice } = encoder;
  const { note, kernels, ...facts } = model.info();
  const device_reason = note ? `${choice.reason}; ${note}` : choice.reason;
  return {
    model,
    encoder,
    parts: { files, build, module: compiled.get(build) },
    info: {
      ...facts,
      device_reason,
      ...(source && { source }),
      ...(kernels && { kernels: (await gpuKernels(wasmPaths.gpu)).kernelsOf(kernels, encoder.pending) }),
    },
    free: encoder.add(model),
  };
}

/**
 * Maximum number of bytes passed to the wasm side at once. Some streams deliver a file in one chunk, which would fill
 * its memory and block the page.
 */
const PIECE = 2 ** 17;

/**
 * Number of unneeded bytes from which on the rest of the file is requested separately. Fewer bytes arrive sooner than
 * the answer to another request.
 */
const FAR = 2 ** 20;

/** Bytes that may wait in WebAssembly's memory while the GPU is measured. */
const MOST_HELD = 2 ** 24;

/** Passes the weights to the loader. `settled` receives the kernels that a GPU has chosen meanwhile. */
async function stream(
  files: Weights["files"],
  loader: WasmLoader,
  control: Control,
  exclusively: Exclusively,
  settled: (kernels: string) => Promise<void> = async () => {},
): Promise<WasmModel> {
  const tick = ticker(control.signal);
  let settling: Promise<void> | undefined;
  let held = 0;
  try {
    const others = async () => {
      await settling; // the bytes that wait until then may name the files
      return exclusively(() => loader.external_files?.() ?? []);
    };
    for await (const file of files((name) => loader.wants(name), others)) {
      loader.begin_file(file.name, file.size || undefined);
      await pushFile(file, loader, async (work) => {
        if (settling && (held += PIECE) > MOST_HELD) await settling;
        await exclusively(work);
        if (!settling) {
          settling = loader.settle?.()?.then(settled);
          settling?.catch(() => {}); // reported below
        }
        await tick();
      });
      loader.end_file();
    }
    await settling;
  } catch (error) {
    loader.free();
    throw error;
  }
  return exclusively(() => loader.finish());
}

/** Passes a file's bytes to the loader, except for bytes that it does not need. */
async function pushFile(
  file: WeightFile,
  loader: WasmLoader,
  step: (work: () => void) => Promise<void>,
): Promise<void> {
  /** Offset of the next chunk in the file. */
  let position = 0;
  let next: AsyncIterable<Uint8Array> | undefined = file.bytes;
  while (next) {
    const bytes: AsyncIterable<Uint8Array> = next;
    next = undefined;
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; ) {
        const piece = Math.min(PIECE, chunk.length - at);
        const skipped = Math.min(loader.skippable(), chunk.length - at);
        if (skipped) loader.skip(skipped);
        else await step(() => loader.push(chunk.subarray(at, at + piece)));
        at += skipped || piece;
      }
      position += chunk.length;
      const far = loader.skippable();
      next = far < FAR ? undefined : file.bytesFrom(position + far);
      if (!next) continue;
      loader.skip(far);
      position += far;
      break;
    }
  }
}
