// Models under `env.localModelPath`.
import { env } from "../env.js";
import { reader } from "./reader.js";
import type { Place, PlacePath } from "./source.js";
import type { Control, Reading } from "./types.js";

/**
 * Returns the folder of a model named `owner/name` under `env.localModelPath`; undefined if local models are not
 * allowed or the folder does not exist. If models may be fetched, the folder counts as existing only if it has a
 * config.json.
 */
export async function localPlace(
  platform: { path: PlacePath; machine: Reading },
  model: string,
  control: Control,
): Promise<Place | undefined> {
  if (!env.allowLocalModels) return undefined;
  const root = env.localModelPath.replace(/\/?$/, "/");
  const isPath = /^(\.{0,2}\/|[a-z][a-z\d+.-]+:)/i.test(root);
  const place = await platform.path(`${isPath ? root : `./${root}`}${model}`);
  if (!place || !env.allowRemoteModels) return place && { ...place, name: model };
  const { openFolder, readFile } = await reader();
  const folder = await openFolder(place, platform.machine);
  const found = await readFile(folder, "config.json", { signal: control.signal }).catch(() => undefined);
  return found && { ...place, name: model };
}
