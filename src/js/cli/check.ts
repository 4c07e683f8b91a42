// The command `webert check`: says whether a model loads before its weights are downloaded.
import type { Engine, EngineModel, LoadSpec, Machine } from "../engine/engine.js";
import { EngineRegistry } from "../engine/engine-registry.js";
import { complete, openFiles } from "../engine/loading.js";
import { control, type ModelOptions, openModel, placeOf, wasmPaths } from "../engine/open.js";
import { instantiate, type ModelInfo, type Wasm, type WasmLoader } from "../engine/wasm.js";
import { platform } from "../entries/node/platform.js";
import { env, type WasmBuild } from "../env.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import { readModules, readTokenizerFiles, type WeightFile, type Weights, WHOLE } from "../sources/files.js";
import { openFolder } from "../sources/open.js";
import { moduleEntries } from "../sources/sentence-folder.js";
import type { Place } from "../sources/source.js";
import type { Control, Files } from "../sources/types.js";
import { TASKS, type Task } from "../task-names.js";
import { bestBuild } from "../threads/builds.js";
import { probedFolder, probing, type Sizes } from "./probe.js";

/** The result of a check. */
export interface Check {
  model: string;
  /** Whether the model loads, for `task` if the caller named one. */
  loads: boolean;
  /** Tasks that the model does. */
  tasks: Task[];
  model_type?: string;
  /** Files that a first load downloads, with their sizes in bytes; null if the server does not report the size. */
  files: { file: string; bytes: number | null }[];
  /** Sum of all known sizes. */
  bytes: number;
  /** Checkpoint that the weights come from, if it is not the model. */
  source?: string;
  /** Fields of the files without an effect. */
  warnings?: string[];
  /** Why the model does not load. */
  error?: { code: string; message: string };
}

/** Facts that a check finds, and the task that the caller asked for. */
type LoadResult = Pick<Check, "tasks" | "model_type" | "source" | "warnings">;

/** Checks a model. Reads its small files, and of its weights only the list of tensors. */
export async function check(model: Source, { task, ...options }: ModelOptions & { task?: Task }): Promise<Check> {
  const stop = new AbortController();
  const sizes: Sizes = new Map();
  const { fetch, useFSCache } = env;
  env.fetch = probing(fetch, sizes);
  env.useFSCache = options.local_files_only === true; // stored files are not downloaded, but they count
  const disk = platform.machine.disk!;
  const machine: Machine = { ...platform.machine, disk: (name, path) => probedFolder(disk(name, path), sizes) };
  const found: LoadResult = { tasks: [] };
  const place = await placeOf(platform, model, options);
  const result: Check = { model: place.name, loads: false, tasks: [], files: [], bytes: 0 };
  try {
    await open(model, { ...options, signal: stop.signal }, place, machine, found);
    Object.assign(result, found);
    result.loads = !task || found.tasks.includes(task);
    if (!result.loads)
      throw new WebertError("unsupported", `${task}: expected one of the model's tasks, ${found.tasks.join(", ")}`);
  } catch (error) {
    const { code, message } = WebertError.from(error);
    result.error = { code, message };
  } finally {
    stop.abort();
    Object.assign(env, { fetch, useFSCache });
  }
  const base = place.kind === "url" ? place.base : place.kind === "disk" ? `${place.path.replace(/\/?$/, "/")}` : "";
  const short = (address: string) => (base && address.startsWith(base) ? address.slice(base.length) : address);
  result.files = Array.from(sizes, ([address, bytes]) => ({ file: short(address), bytes: bytes ?? null }));
  result.files.sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  result.bytes = result.files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  return result;
}

/** Opens a model as a load does, with an engine that reads no weights. */
async function open(model: Source, options: ModelOptions, place: Place, machine: Machine, found: LoadResult) {
  const engine: Engine = {
    isOver: false,
    load: async (spec, reading) => loadDry(spec, reading, machine, found),
    close: async () => {},
  };
  // An engine of this thread that holds the weights would load the model.
  const own = { ...platform, machine, createEngine: async () => engine, engines: new EngineRegistry() };
  try {
    await openModel(own, model, options, { tokenizer: true, modules: true });
  } catch (error) {
    if (!/got static embeddings/.test(WebertError.from(error).message)) throw error;
    await openStatic(place, control(options), machine, found);
  }
}

/** Reads the small files of static embeddings, and opens the file of their vectors. */
async function openStatic(place: Place, reading: Control, machine: Machine, found: LoadResult): Promise<void> {
  const folder = await openFolder(place, machine);
  const first = moduleEntries(await readModules(folder, reading))?.[0];
  const path = first?.kind === "StaticEmbedding" ? (first.path ?? "") : "";
  const inner = { ...folder, name: folder.name, address: (file: string) => folder.address(path + file) };
  const files = await readTokenizerFiles(
    { ...inner, open: (file, signal) => folder.open(path + file, signal) },
    reading,
    true,
  );
  const wasm = await binary();
  found.warnings = new wasm.Tokenizer(files).info().warnings;
  if (!(await folder.open(path + WHOLE, reading.signal)))
    throw new WebertError("not_found", `there is no ${path}${WHOLE} in ${folder.name}`);
  found.tasks.push("feature-extraction");
  found.model_type = "static embeddings";
}

const build = (): WasmBuild => `${bestBuild()}_full`;
const binary = () => instantiate(build(), wasmPaths(platform), platform.machine.readWasm);

/** Bytes of a file of weights up to the end of its list of tensors. */
interface FileHead {
  name: string;
  size: number;
  bytes: Uint8Array[];
}

/** Runs the loader over the lists of tensors, first for the model's own head, then for each task. */
async function loadDry(spec: LoadSpec, reading: Control, machine: Machine, found: LoadResult): Promise<EngineModel> {
  const folder = await openFolder(spec.place, machine);
  const opened = openFiles(folder, spec, reading, machine);
  const small = await opened.small;
  const given = await opened.weights();
  const wasm = await binary();
  const { files: own, adapter, head, kept } = await complete(small, wasm, spec, given.files);
  const weights = { ...given, files: kept?.files ?? given.files };
  const files = { ...own, ...adapter, ...weights.index };
  const config = JSON.parse(new TextDecoder().decode(files["config.json"])) as Record<string, unknown>;
  const heads = new Map<string, FileHead>();
  const loads = (how: { head?: string; task?: Task }) => dryRun(wasm, files, weights, heads, how);
  // GLiNER's head belongs to one task.
  await loads("gliner_config.json" in files ? { task: "zero-shot-token-classification" } : (head ?? {}));
  // The name that exporters give to the data of an ONNX file's tensors. Opening the file counts its bytes.
  if (weights.isOnnx && weights.source) await folder.open(`${weights.source}_data`, reading.signal);
  found.warnings = new wasm.Tokenizer(files).info().warnings;
  if (typeof config.model_type === "string") found.model_type = config.model_type;
  if (weights.source) found.source = weights.source;
  found.tasks = [];
  for (const task of TASKS) {
    try {
      await loads({ task });
      if (suits(task, config)) found.tasks.push(task);
    } catch (error) {
      // Another head may be missing, or of other sizes.
      if (!["unsupported", "bad_weights"].includes(WebertError.from(error).code)) throw error;
    }
  }
  return stub(small);
}

/** Returns a model that can only be closed. */
function stub(files: Files): EngineModel {
  const refuse = () => Promise.reject(new WebertError("unsupported", "a checked model computes nothing"));
  return {
    info: {} as ModelInfo,
    parts: { files, build: build() },
    run: refuse,
    forward: refuse,
    close: async () => {},
  };
}

/** Loads the model without the bytes of its tensors. Throws the error that loading would throw. */
async function dryRun(wasm: Wasm, files: Files, weights: Weights, heads: Map<string, FileHead>, how: object) {
  const options = { device: "wasm", dtype: "auto", ...how };
  const loader = await wasm.Loader.open(files, options);
  try {
    loader.dry_run!();
    const wanted = (name: string) => loader.wants(name);
    for (const head of heads.values()) if (wanted(head.name)) push(loader, head);
    if (!heads.size || weights.index["model.safetensors.index.json"] || weights.index["pytorch_model.bin.index.json"])
      for await (const file of weights.files((name) => wanted(name) && !heads.has(name)))
        if (!heads.has(file.name)) heads.set(file.name, await readHead(loader, file));
    loader.check!();
  } finally {
    loader.free();
  }
}

function push(loader: WasmLoader, { name, size, bytes }: FileHead): void {
  loader.begin_file(name, size || undefined);
  for (const part of bytes) loader.push(part);
  loader.end_file();
}

/** Reads a file up to the end of its list of tensors. */
async function readHead(loader: WasmLoader, file: WeightFile): Promise<FileHead> {
  const head: FileHead = { name: file.name, size: file.size, bytes: [] };
  loader.begin_file(file.name, file.size || undefined);
  for await (const chunk of file.bytes) {
    head.bytes.push(chunk);
    loader.push(chunk);
    if (loader.knows!()) break;
  }
  loader.end_file();
  return head;
}

/** Returns whether the labels of a model with the head of a task suit the task. */
function suits(task: Task, config: Record<string, unknown>): boolean {
  const labels = Object.values((config.id2label as Record<string, unknown> | undefined) ?? {}).map(String);
  const count = labels.length || Number(config.num_labels ?? 2);
  if (task === "text-ranking") return count === 1;
  if (task === "zero-shot-classification") return labels.some((label) => /^entail/i.test(label));
  return true;
}

/** Returns the result as lines of text. */
export function shown({ model, loads, tasks, model_type, files, bytes, source, warnings, error }: Check): string {
  const size = (bytes: number | null) =>
    bytes === null ? "?" : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const kind = model_type ? ` (${model_type})` : "";
  const rows = [loads ? `${model}${kind} loads` : `${model}${kind} does not load: ${error?.message} (${error?.code})`];
  if (tasks.length) rows.push(`tasks: ${tasks.join(", ")}`);
  if (source) rows.push(`weights of: ${source}`);
  if (loads) rows.push(`download: ${size(bytes)}`);
  if (loads) for (const file of files) rows.push(`  ${size(file.bytes).padStart(9)}  ${file.file}`);
  for (const warning of warnings ?? []) rows.push(`warning: ${warning}`);
  return rows.join("\n");
}
