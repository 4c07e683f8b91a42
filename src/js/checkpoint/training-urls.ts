// Where the files of training are; see urls.ts. A page that does not train has no need of their addresses.
import type { Build } from "../api/env.js";
import { fileUrl } from "./urls.js";

const WASM: Record<Build, () => URL> = {
  simd128: () => new URL("./webert_simd128_full.wasm", import.meta.url),
  relaxed: () => new URL("./webert_relaxed_full.wasm", import.meta.url),
  simd128_threads: () => new URL("./webert_simd128_threads_full.wasm", import.meta.url),
  relaxed_threads: () => new URL("./webert_relaxed_threads_full.wasm", import.meta.url),
  webgpu: () => new URL("./webert_webgpu_full.wasm", import.meta.url),
};

/** The URL of a wasm file with all features. */
export const fullWasmUrl = (build: Build): string => fileUrl(`webert_${build}_full.wasm`, WASM[build]).href;

/** The URL of the script of Workers that train. */
export const trainWorkerUrl = (): string =>
  fileUrl("train-worker.js", () => new URL("./train-worker.js", import.meta.url)).href;
