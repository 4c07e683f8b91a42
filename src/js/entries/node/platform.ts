// The platform of Node: models and wasm files are read from disk.
import { pathToFileURL } from "node:url";
import type { Machine } from "../../engine/engine.js";
import { LocalEngine } from "../../engine/local.js";
import { env, GLUES } from "../../env.js";
import type { EntryPlatform } from "../platform.js";
import { diskFolder, diskStore, placePath, readWasm } from "./disk.js";
import { packageFile } from "./files.js";
import { OWN_MODELS } from "./models.js";
import { threads } from "./threads.js";

const machine: Machine = { store: diskStore, disk: diskFolder, readWasm, threads };

Object.assign(env, { useFS: true, allowLocalModels: true });

export const platform: EntryPlatform = {
  machine,
  models: OWN_MODELS,
  wasmUrl: (name) => packageFile(`webert_${name}.${(GLUES as readonly string[]).includes(name) ? "js" : "wasm"}`).href,
  base: () => pathToFileURL("./").href,
  path: placePath,
  caching: () => env.useFSCache,
  createEngine: async () => new LocalEngine(machine),
  training: async (platform) => (await import("./training.js")).nodeTraining(platform),
  search: () => import("./search.js"),
};
