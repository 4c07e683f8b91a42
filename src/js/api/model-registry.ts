// Finds and deletes stored files of models. It performs a load that may only read stored files, and observes which
// files it opens.
import { throwIfAborted } from "../abort.js";
import { chosenDtype } from "../engine/dtypes.js";
import { control, hubOf, type ModelOptions, onnxChoice, type Platform, placeOf } from "../engine/open.js";
import { fromOrigin } from "../engine/rare-code.js";
import { WebertError } from "../errors.js";
import { check } from "../options/option-names.js";
import type { Source } from "../source.js";
import { readAdapter, readTokenizerOf } from "../sources/adapter-folder.js";
import { openWeights, readConfig, readModules, readTokenizerFiles } from "../sources/files.js";
import { openFolder } from "../sources/open.js";
import type { Place } from "../sources/source.js";
import type { Store } from "../sources/types.js";
import { canonical } from "../task-names.js";
import { optionsOf } from "../values.js";

/** Stored files of a model, and whether a load needs no others. */
export interface CachedFiles {
  allCached: boolean;
  files: { file: string; cached: boolean }[];
}

/** Stored files of a model that were deleted. */
export interface ClearedFiles {
  filesDeleted: number;
  filesCached: number;
  files: { file: string; deleted: boolean; wasCached: boolean }[];
}

/**
 * Answers questions about models without loading them.
 * @example
 * ```ts
 * if (!(await ModelRegistry.is_pipeline_cached("ner", "owner/name"))) console.log("a download is needed");
 * ```
 */
export interface ModelRegistry {
  /** Returns whether a model can be loaded without a network. A complete model on disk can. */
  is_cached(model: Source, options?: ModelOptions): Promise<boolean>;
  /** Returns the result of `is_cached`, with the stored files. */
  is_cached_files(model: Source, options?: ModelOptions): Promise<CachedFiles>;
  /** Returns whether everything that a task needs can be loaded without a network. */
  is_pipeline_cached(task: string, model: Source, options?: ModelOptions): Promise<boolean>;
  /** Returns the result of `is_pipeline_cached`, with the stored files. */
  is_pipeline_cached_files(task: string, model: Source, options?: ModelOptions): Promise<CachedFiles>;
  /**
   * Deletes a model's stored files, including files of the checkpoint that its weights come from. The next load
   * fetches them again.
   */
  clear_cache(model: Source, options?: ModelOptions): Promise<ClearedFiles>;
  /** Does the same as `clear_cache`. */
  clear_pipeline_cache(task: string, model: Source, options?: ModelOptions): Promise<ClearedFiles>;
  /**
   * Returns the dtypes that a model can have in memory. Weights are converted during a load, so the list does not
   * depend on the files.
   */
  get_available_dtypes(model: Source, options?: ModelOptions): Promise<string[]>;
}

/** A stored file: its name in the model's folder (or its URL if it is elsewhere), and a function that deletes it. */
interface CachedFile {
  file: string;
  drop(): Promise<void>;
}

/** Creates `ModelRegistry` for a platform. */
export function createModelRegistry(platform: Platform): ModelRegistry {
  const files = async (model: Source, options?: ModelOptions, task?: string): Promise<CachedFiles> => {
    const { kept, isWhole } = await look(platform, model, optionsOf(options), task);
    return { allCached: isWhole, files: kept.map(({ file }) => ({ file, cached: true })) };
  };
  const clear = async (model: Source, options?: ModelOptions, task?: string): Promise<ClearedFiles> => {
    const { kept } = await look(platform, model, optionsOf(options), task);
    await Promise.all(kept.map(({ drop }) => drop()));
    const rows = kept.map(({ file }) => ({ file, deleted: true, wasCached: true }));
    return { filesDeleted: rows.length, filesCached: rows.length, files: rows };
  };
  return {
    is_cached: async (model, options) => (await files(model, options)).allCached,
    is_cached_files: files,
    is_pipeline_cached: async (task, model, options) => (await files(model, options, canonical(task))).allCached,
    is_pipeline_cached_files: (task, model, options) => files(model, options, canonical(task)),
    clear_cache: clear,
    clear_pipeline_cache: async (task, model, options) => clear(model, options, canonical(task)),
    get_available_dtypes: async (_model, options = {}) => {
      check("ModelRegistry", options);
      return ["fp32", "fp16", "q8"];
    },
  };
}

/**
 * Returns the stored files of a model, and whether a load needs no others. Throws if the name of the model is
 * invalid.
 */
async function look(platform: Platform, model: Source, options: ModelOptions, task?: string) {
  check("ModelRegistry", options);
  const { adapter, base: own } = options;
  if (adapter != null && own != null)
    throw new WebertError("bad_input", "adapter, base: expected one of the two options, got both");
  const kept = new Map<string, CachedFile>();
  const only = { ...options, local_files_only: true, progress_callback: null };
  const other = { ...only, revision: null, subfolder: null };
  const place = await (own == null ? placeOf(platform, model, only) : placeOf(platform, own, other));
  const added = adapter == null ? own != null && model : adapter;
  const adapterPlace = added && (await placeOf(platform, added, own == null ? other : only));
  const base = place.kind === "url" ? place.base : "";
  const seen = (url: string, store: Store) =>
    kept.set(url, {
      file: base && url.startsWith(base) ? decodeURIComponent(url.slice(base.length)) : url,
      drop: () => store.drop(url),
    });
  const machine: typeof platform.machine = {
    ...platform.machine,
    async store(place) {
      const store = await platform.machine.store(place);
      return store && noting(store, (url) => seen(url, store));
    },
  };
  const reading = control(only);
  const stored = (place: Place) => openFolder(place.kind === "url" ? { ...place, fetch: false } : place, machine);
  const folder = await stored(place);
  const adapterFolder = adapterPlace ? await stored(adapterPlace) : undefined;
  const hub = hubOf(own ?? model);
  const weights = async () => {
    const config = await readConfig(folder, reading);
    const onnx = onnxChoice(chosenDtype(options).file, options);
    const found = await openWeights(folder, reading, config, onnx).catch((error: unknown) =>
      fromOrigin(error, folder, { place: { ...place, fetch: false } as Place, hub }, machine, reading),
    );
    for await (const { bytes } of found.files()) void bytes; // opening each file is enough; its bytes are ignored
  };
  const parts = await Promise.allSettled([
    weights(),
    adapterFolder
      ? readTokenizerOf(adapterFolder, folder, reading, task !== undefined)
      : readTokenizerFiles(folder, reading, task !== undefined),
    readModules(folder, reading),
    adapterFolder && readAdapter(adapterFolder, reading, () => {}),
  ]);
  throwIfAborted(reading.signal);
  return { kept: [...kept.values()], isWhole: parts.every(({ status }) => status === "fulfilled") };
}

/** Wraps a store so that it reports each file found in it. */
const noting = (store: Store, found: (url: string) => void): Store => ({
  ...store,
  async get(url) {
    const file = await store.get(url);
    if (file) found(url);
    return file;
  },
});
