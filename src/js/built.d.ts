// What scripts/build.mjs makes and puts in the place of these names.

// The JavaScript that bindgen makes for the binaries: a function that makes it anew, as it holds the one instance that it is used with.
declare module "#glue/cpu" {
  export default function glue(): import("./engine/artefacts.js").Glue;
}
declare module "#glue/gpu" {
  export default function glue(): import("./engine/artefacts.js").Glue;
}
declare module "#glue/threads" {
  interface Threaded extends Omit<import("./engine/artefacts.js").Glue, "leaseThreads"> {
    initSync(of: { module: WebAssembly.Module; memory: WebAssembly.Memory; thread_stack_size: number }): {
      __wbindgen_thread_destroy(): void;
    };
    /** What a thread does until `stop_workers`. */
    run_worker(thread: number, ready: () => void): void;
    leave_after_trap(): void;
    /** The module and the memory of this instance. */
    shared(): [WebAssembly.Module, WebAssembly.Memory];
    stop_workers(): void;
    allow_workers(): void;
    spin_in_caller(): void;
    /** Drops the instance and its memory: see scripts/bindgen. */
    release(): void;
    Trial: new (threads: number, int8: boolean) => { run(times: number): void; free(): void };
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
declare module "#wasm/*" {
  const base64: string;
  export default base64;
}
