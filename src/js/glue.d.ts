// The JavaScript that bindgen makes for the binaries with threads; scripts/build.mjs says where it is.
declare module "#glue" {
  /** The module and the memory of this instance. */
  export function shared(): [WebAssembly.Module, WebAssembly.Memory];
  export function dismiss(): void;
  export function admit(): void;
  export function stay_awake(): void;
  /** Drops the instance and its memory: see scripts/bindgen. */
  export function release(): void;
  export class Trial {
    constructor(threads: number, int8: boolean);
    run(times: number): void;
    free(): void;
  }
  export default function init(from: object): Promise<unknown>;
}
