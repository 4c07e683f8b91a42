// Counts the changes of models that are kept under names, so that a loaded model can be told from a newer one.
import type { NamedStore } from "./named-store.js";

const versions = new Map<string, number>();

/** Returns a number that changes when this program keeps or deletes a model under a name. */
export const versionOf = (name: string): number => versions.get(name) ?? 0;

/** Returns a store whose changes are counted. */
export function counted(store: NamedStore): NamedStore {
  const changed = (name: string) => void versions.set(name, versionOf(name) + 1);
  return {
    ...store,
    keep: (name, blob) => store.keep(name, blob).finally(() => changed(name)),
    drop: (name) => store.drop(name).finally(() => changed(name)),
  };
}
