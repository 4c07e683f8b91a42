// What Node has in a browser's place: models and wasm are read from disk.
import { pathToFileURL } from "node:url";
import { diskFolder, diskStore, placePath, readWasm } from "./disk.js";
import { openLocal } from "./engine-local.js";
import { env } from "./env.js";
import type { Machine } from "./loading.js";
import { packageFile } from "./node-files.js";
import { OWN_MODELS } from "./node-models.js";
import { threads } from "./node-threads.js";
import type { Platform } from "./platform.js";

const machine: Machine = { store: diskStore, disk: diskFolder, readWasm, threads };

Object.assign(env, { useFS: true, allowLocalModels: true });

export const platform: Platform = {
  machine,
  models: OWN_MODELS,
  wasmUrl: (build) => packageFile(`webert_${build}.wasm`).href,
  base: () => pathToFileURL("./").href,
  path: placePath,
  caching: () => env.useFSCache,
  openEngine: (spec, control) => openLocal(spec, control, machine),
};
