// What scripts/build.mjs makes and puts in the place of these names.

// The JavaScript that bindgen makes for the binaries: a function that makes it anew, as it holds the one instance that it is used with.
declare module "#glue/cpu" {
  export default function glue(): import("./engine/glue.js").Glue;
}
declare module "#glue/gpu" {
  export default function glue(): import("./engine/glue.js").Glue;
}
// Of the binary that searches.
declare module "#glue/search" {
  export default function glue(): import("./engine/glue.js").Glue;
}
// Of the binaries with all features.
declare module "#glue/cpu_full" {
  export default function glue(): import("./engine/glue.js").Glue;
}
declare module "#glue/gpu_full" {
  export default function glue(): import("./engine/glue.js").Glue;
}
declare module "#glue/threads_full" {
  export { default } from "#glue/threads";
}
declare module "#glue/threads" {
  type Glue = Omit<import("./engine/glue.js").Glue, "leaseThreads">;
  type Threaded = Glue & import("./threads/pool.js").PoolExports & ThreadExports;
  interface ThreadExports {
    initSync(of: { module: WebAssembly.Module; memory: WebAssembly.Memory; thread_stack_size: number }): {
      __wbindgen_thread_destroy(): void;
    };
    /** What a thread does until `stop_workers`. */
    run_worker(thread: number, ready: () => void): void;
    leave_after_trap(): void;
  }
  export default function glue(): Threaded;
}
/** What an entry runs on: a file of platforms/. */
declare module "#platform" {
  export const platform: import("./platforms/platform.js").Platform;
}
/** The one binary of an entry that imports it. */
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
