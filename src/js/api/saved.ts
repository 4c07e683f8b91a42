// `saved`: models that are kept under names. This module is imported by its first call.
import type { Platform } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { packed, unpacked } from "../sources/one-file.js";
import { nameOf, openModelStore } from "../sources/saved-model.js";
import { kindOf } from "../values.js";

/** Models kept under names by `trainer.save({ name })`: in the Cache API, or in Node as files. */
export interface Saved {
  /** Returns the names of all kept models; in Node, the paths of those in a folder (by default the current one). */
  list(folder?: string): Promise<string[]>;
  /** Returns whether a model is kept under a name; in Node, whether the file at this path is a model in one file. */
  has(name: string): Promise<boolean>;
  /** Deletes a kept model. Returns whether it existed. In Node it deletes the file only if it is a model in one file. */
  delete(name: string): Promise<boolean>;
  /**
   * Returns a model as one file: safetensors whose metadata holds the config and the tokenizer.
   * @param model name of a kept model, or files with their weights in model.safetensors, as `trainer.save` returns them
   * @throws WebertError `not_found` if no model is kept under the name
   */
  export(model: string | { files: Record<string, Blob> }): Promise<Blob>;
  /**
   * Keeps a model that `export` returned under a name.
   * @throws WebertError `bad_input` if the file is not such a model
   */
  import(name: string, file: Blob): Promise<void>;
}

/** Creates `saved` for a platform. */
export function createSaved({ modelStore }: Platform): Saved {
  const open = () => openModelStore(modelStore);
  return {
    list: async (folder) => (await open()).list(folder),
    has: async (name) => (await open()).has(nameOf(name)),
    delete: async (name) => (await open()).drop(nameOf(name)),
    export: async (model) => {
      if (typeof model === "string") {
        const file = await (await open()).get(nameOf(model));
        await unpacked(file, `"${model}"`);
        return file;
      }
      const files = (model as { files?: unknown } | null)?.files;
      if (typeof files !== "object" || files === null)
        throw new WebertError("bad_input", `model: expected a name or { files }, got ${kindOf(model)}`);
      return packed(files as Record<string, Blob>);
    },
    // not written as a method, which the build would take for an import()
    import: async (name, file) => {
      nameOf(name);
      if (!(file instanceof Blob)) throw new WebertError("bad_input", `file: expected a Blob, got ${kindOf(file)}`);
      await unpacked(file, "the file");
      await (await open()).keep(name, file);
    },
  };
}
