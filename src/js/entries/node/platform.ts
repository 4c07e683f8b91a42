// The platform of Node: models and wasm files are read from disk.
import { pathToFileURL } from "node:url";
import { LocalEngine } from "../../engine/local.js";
import { RemoteEngine } from "../../engine/remote.js";
import { env, GLUES, hasOwnFetch } from "../../env.js";
import { WebertError } from "../../errors.js";
import type { Place } from "../../sources/source.js";
import type { EntryPlatform } from "../platform.js";
import { placePath } from "./disk.js";
import { packageFile } from "./files.js";
import { machine } from "./machine.js";
import { OWN_MODELS } from "./models.js";
import { startNodeWorker } from "./worker-port.js";

Object.assign(env, { useFS: true, allowLocalModels: true });

/** Returns whether a model runs in a Worker: only if the caller asks for it. */
function usesWorker(place: Place, { worker }: { worker?: boolean | null }): boolean {
  if (!worker) return false;
  if (place.kind === "url" && (place.isCustom || hasOwnFetch()))
    throw new WebertError(
      "unsupported",
      "worker: a Worker can call neither env.fetch nor env.customCache of this thread",
    );
  return true;
}

export const platform: EntryPlatform = {
  machine,
  models: OWN_MODELS,
  wasmUrl: (name) => packageFile(`webert_${name}.${(GLUES as readonly string[]).includes(name) ? "js" : "wasm"}`).href,
  base: () => pathToFileURL("./").href,
  path: placePath,
  caching: () => env.useFSCache,
  usesWorker,
  createEngine: async (_, inWorker) =>
    inWorker ? new RemoteEngine(startNodeWorker("engine")) : new LocalEngine(machine),
  modelStore: async () => {
    const [{ diskStore }, { isOneFile, START_BYTES }] = await Promise.all([
      import("./named-store.js"),
      import("../../sources/one-file.js"),
    ]);
    return diskStore(START_BYTES, isOneFile);
  },
  training: async (platform) => (await import("./training.js")).nodeTraining(platform),
  search: () => import("./search.js"),
};
