// Types of the JavaScript that bindgen generates. They are in a separate file because the public types must not
// reach the generated modules.
import type { LeaseThreads } from "./pool.js";

/** Generated JavaScript of a binary: its exports, and the function that instantiates them. */
export interface Glue {
  default(from: {
    module_or_path: WebAssembly.Module | Uint8Array;
    memory?: WebAssembly.Memory;
  }): Promise<{ memory: WebAssembly.Memory }>;
  /** Only in binaries with threads. */
  leaseThreads?: LeaseThreads;
}

/** A glue module: a function that creates a new glue. */
export type GlueModule = { default(): Glue };
