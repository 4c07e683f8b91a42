// What trainers save.

/** Files of a checkpoint. They are a Source for `pipeline` and a folder for Hugging Face's libraries. */
export interface SavedFiles {
  files: Record<string, Blob>;
}

/** Options of `save`. */
export interface SaveOptions {
  /**
   * Type of the matrices. "fp16" is half the size. "q8" is a quarter of the size, and only webert loads it.
   * @default "fp32"
   */
  dtype?: "fp32" | "fp16" | "q8" | null;
  /**
   * Only with `peft`: whether to save the whole model with its adapters added to its weights, instead of the adapters.
   * @default false
   */
  merge?: boolean | null;
  /** Keeps the model under this name: in the Cache API, or in Node as a file at this path. */
  name?: string | null;
}
