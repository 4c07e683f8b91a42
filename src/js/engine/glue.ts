// What bindgen makes for a binary; apart from where it is found, which the public types must not reach.
import type { LeaseThreads } from "../threads/pool.js";

/** The JavaScript that bindgen made for a binary: its exports, and the function that instantiates them. */
export interface Glue {
  default(from: {
    module_or_path: WebAssembly.Module | Uint8Array;
    memory?: WebAssembly.Memory;
  }): Promise<{ memory: WebAssembly.Memory }>;
  /** Where there are threads. */
  leaseThreads?: LeaseThreads;
}
