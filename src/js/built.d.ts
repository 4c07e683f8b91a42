// Modules that scripts/build.mjs substitutes for these names.

// JavaScript that bindgen generates for the binaries. Each module is a function that creates a new glue, because a
// glue holds the single instance it is used with.
declare module "#glue/cpu" {
  export default function glue(): import("./threads/glue.js").Glue;
}
declare module "#glue/gpu" {
  export default function glue(): import("./threads/glue.js").Glue;
}
// Glue of the search binary.
declare module "#glue/search" {
  export default function glue(): import("./threads/glue.js").Glue;
}
// Glues of the binaries with all features.
declare module "#glue/cpu_full" {
  export default function glue(): import("./threads/glue.js").Glue;
}
declare module "#glue/gpu_full" {
  export default function glue(): import("./threads/glue.js").Glue;
}
declare module "#glue/threads_full" {
  export { default } from "#glue/threads";
}
declare module "#glue/threads" {
  type Glue = Omit<import("./threads/glue.js").Glue, "leaseThreads">;
  type Threaded = Glue & import("./threads/pool.js").PoolExports & ThreadExports;
  interface ThreadExports {
    initSync(of: { module: WebAssembly.Module; memory: WebAssembly.Memory; thread_stack_size: number }): {
      __wbindgen_thread_destroy(): void;
    };
    /** Runs a thread of the pool until `stop_workers`. */
    run_worker(thread: number, ready: () => void): void;
    leave_after_trap(): void;
  }
  export default function glue(): Threaded;
}
/** The platform of an entry: a file of platforms/. */
declare module "#platform" {
  export const platform: import("./entries/platform.js").EntryPlatform;
}
/** The only binary of an entry that imports it as a module. */
declare module "#module" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "#worker-script" {
  const script: string;
  export default script;
}
declare module "#train-worker-script" {
  const script: string;
  export default script;
}
declare module "#wasm/*" {
  const base64: string;
  export default base64;
}
// The parts of the code of an entry for pages, and their place: see scripts/lib/parts.mjs.
declare module "#parts" {
  export const table: {
    /** Imports a script by its URL. Bundlers leave it as it is. */
    importUrl(url: string): Promise<unknown>;
    /** Begins the names under which the scripts of this build register. */
    key: string;
    /** Begins the scripts' names in the package. */
    prefix: string;
    /** URLs of the scripts, by their letters. */
    scripts: Record<string, () => URL>;
    /** URLs of other files, by their paths from the package's code. */
    urls: Record<string, () => URL>;
  };
  export const holder: {
    /** Returns the exports of the code that is loaded at once. */
    core(): Record<string, unknown>;
    load?(name: string): Promise<Record<string, unknown>>;
  };
}
