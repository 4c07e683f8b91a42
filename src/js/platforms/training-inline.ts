// Training by webert/inline: with the Worker's script and the wasm files with all features inside.
import script from "#train-worker-script";
import type { Build } from "../api/env.js";
import type { TrainingApi } from "../api/training.js";
import { wasmPort } from "../engine/wasm-port.js";
import { unpacked } from "./inline.js";
import type { Platform } from "./platform.js";
import { browserTraining } from "./training-browser.js";

const WASM: Record<Build, () => Promise<{ default: string }>> = {
  simd128: () => import("#wasm/simd128_full"),
  relaxed: () => import("#wasm/relaxed_full"),
  simd128_threads: () => import("#wasm/simd128_threads_full"),
  relaxed_threads: () => import("#wasm/relaxed_threads_full"),
  webgpu: () => import("#wasm/webgpu_full"),
};
const SCHEME = "inline-full:";

const readWasm = async (url: string): Promise<Uint8Array<ArrayBuffer>> =>
  unpacked(WASM[url.slice(SCHEME.length) as Build]);

let worker: string | undefined;

/** Training on this platform. */
export const inlineTraining = (platform: Platform): TrainingApi =>
  browserTraining(platform, {
    wasmUrl: (build) => SCHEME + build,
    workerUrl: () => (worker ??= URL.createObjectURL(new Blob([script], { type: "text/javascript" }))),
    readWasm,
    greet(worker) {
      const port = wasmPort(readWasm);
      worker.postMessage({ wasm: port }, [port]);
    },
  });
