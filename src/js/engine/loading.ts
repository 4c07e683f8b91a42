import { abortable, ticker } from "../abort.js";
import type { WasmBuild } from "../api/env.js";
import {
  type Files,
  openWeights,
  readConfig,
  readPooling,
  readTokenizerFiles,
  type Weights,
} from "../checkpoint/files.js";
import { type Control, type Folder, openFolder, type Reading, withFresh } from "../checkpoint/folder.js";
import { openOrigin } from "../checkpoint/origin.js";
import { WebertError } from "../errors.js";
import { openComputer, type Threads } from "../threads/threads.js";
import { type Choice, choose, cpuInstead } from "./device.js";
import type { LoadSpec } from "./engine.js";
import { compiled, type ModelInfo, type ReadWasm, type Wasm, type WasmLoader, type WasmModel } from "./wasm.js";

/** What loading needs of the machine. */
export type Machine = Reading & { readWasm: ReadWasm; threads: Threads };

/** What else was loaded: config.json, the tokenizer's files where they were asked for, and the binary, which another thread can have without compiling it. */
export interface Parts {
  files: Files;
  build: WasmBuild;
  module?: WebAssembly.Module;
}

/** A model, and what it says of itself. */
export interface Loaded {
  model: WasmModel;
  info: ModelInfo;
  /** What it is a part of. */
  wasm: Wasm;
  parts: Parts;
  /** Ends the use of threads. */
  leave(): void;
}

/** What a GPU fails with; under "auto" the CPU then takes the model over. */
const UNABLE: readonly string[] = ["unsupported", "out_of_memory", "device_lost"];

/**
 * Loads a model into this thread, on the device that is chosen here unless `given`. What has to be fetched is under way
 * at once, but for the binary, of which there is one for each device.
 */
export async function loadModel(spec: LoadSpec, control: Control, machine: Machine, given?: Choice): Promise<Loaded> {
  const folder = await openFolder(spec.place, machine);
  return withFresh(folder, () => loadFolder(folder, spec, control, machine, given));
}

async function loadFolder(
  folder: Folder,
  spec: LoadSpec,
  control: Control,
  machine: Machine,
  given?: Choice,
): Promise<Loaded> {
  const config = readConfig(folder, control, spec.config);
  const opened = async () =>
    openWeights(folder, control, await config).catch((error: unknown) =>
      openOrigin(error, spec.place, folder, spec.hub, machine, control, spec.config),
    );
  const weights = opened();
  weights.catch(() => {}); // heard of below, unless the choice fails first
  // Where several files fail, config.json says best whether there is a model at all.
  const beside = async (files: Promise<Files>) =>
    files.catch((error: unknown) => config.then(() => Promise.reject(error)));
  const small = Promise.all([
    config,
    spec.tokenizer ? beside(readTokenizerFiles(folder, control, true)) : {},
    spec.pooling ? beside(readPooling(folder, control)) : {},
  ]);
  small.catch(() => {}); // heard of below, unless the choice fails first
  const choice = given ?? (await choose(spec.how.device, async () => (await config)["config.json"]!));
  const on = async (choice: Choice, weights: Promise<Weights>) =>
    loadOn(choice, spec, control, machine, small, weights);
  try {
    return await on(choice, weights);
  } catch (error) {
    const { code, message } = WebertError.from(error);
    if (choice.device === "wasm" || spec.how.device !== "auto" || !UNABLE.includes(code)) throw error;
    return on(cpuInstead(`the GPU could not take the model: ${message}`), opened());
  }
}

/** Loads a model on one device. */
async function loadOn(
  { device, reason }: Choice,
  spec: LoadSpec,
  control: Control,
  machine: Machine,
  small: Promise<object[]>,
  weights: Promise<Weights>,
): Promise<Loaded> {
  const computer = openComputer(device, spec, machine);
  const crew = computer.then(({ crew }) => crew);
  crew.catch(() => {}); // both are heard of below, unless a file fails first
  try {
    const files = Object.assign({}, ...(await small)) as Files;
    const { build, wasm } = await abortable(computer, control.signal);
    const { index, files: shards, source } = await weights;
    const loader = await wasm.Loader.open({ ...files, ...index }, { ...spec.how, device });
    const model = await stream(shards, loader, control);
    const { threads, leave } = await abortable(crew, control.signal);
    model.set_threads?.(await abortable(threads(model.info().dtype === "q8"), control.signal));
    const { note, ...facts } = model.info();
    const parts = { files, build, module: compiled.get(build) };
    return {
      model,
      wasm,
      leave,
      parts,
      info: { ...facts, device_reason: note ? `${reason}; ${note}` : reason, ...(source && { source }) },
    };
  } catch (error) {
    crew.then(
      ({ leave }) => leave(),
      () => {},
    );
    throw error;
  }
}

/** Bytes that go to the wasm side at a time: some streams give all of a file in one piece, which would fill its memory and hold up the page. */
const PIECE = 2 ** 17;

async function stream(files: Weights["files"], loader: WasmLoader, control: Control): Promise<WasmModel> {
  const tick = ticker(control.signal);
  try {
    for await (const { name, size, bytes } of files) {
      loader.begin_file(name, size || undefined);
      for await (const chunk of bytes) {
        for (let at = 0; at < chunk.length; at += PIECE) {
          loader.push(chunk.subarray(at, at + PIECE));
          await tick();
        }
      }
      loader.end_file();
    }
  } catch (error) {
    loader.free();
    throw error;
  }
  return loader.finish();
}
