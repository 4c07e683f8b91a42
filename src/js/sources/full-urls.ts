// URLs of the binaries with all features and of their glues; see urls.ts.
import type { WasmPaths } from "../env.js";
import { fileUrl, glueUrl, wasmUrl as slimUrl } from "./urls.js";

const FULL: Partial<Record<keyof WasmPaths, () => URL>> = {
  simd128_full: () => new URL("./webert_simd128_full.wasm", import.meta.url),
  relaxed_full: () => new URL("./webert_relaxed_full.wasm", import.meta.url),
  simd128_threads_full: () => new URL("./webert_simd128_threads_full.wasm", import.meta.url),
  relaxed_threads_full: () => new URL("./webert_relaxed_threads_full.wasm", import.meta.url),
  webgpu_full: () => new URL("./webert_webgpu_full.wasm", import.meta.url),
  glues: () => new URL("./webert_glues.js", import.meta.url),
};

/** Returns the URL of any wasm file or glue of the package. */
export function wasmUrl(name: keyof WasmPaths): string {
  const glue = glueUrl(name);
  if (glue) return glue;
  const full = FULL[name];
  return full ? fileUrl(`webert_${name}.${name === "glues" ? "js" : "wasm"}`, full).href : slimUrl(name as never);
}
