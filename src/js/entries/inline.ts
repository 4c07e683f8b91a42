// webert/inline: contains the Worker's script and the wasm files, for bundlers that copy no files.
import script from "#worker-script";
import { blobOf, wasmPort } from "../engine/wasm-port.js";
import type { WasmPaths } from "../env.js";
import { browserPlatform } from "./browser.js";
import { copiedModels } from "./copied-models.js";
import { pageWorkers } from "./workers.js";

/** The files, compressed by gzip, in base64. Each is a separate module; a page imports only one. */
const FILES: Partial<Record<keyof WasmPaths, () => Promise<{ default: string }>>> = {
  simd128: () => import("#wasm/simd128"),
  relaxed: () => import("#wasm/relaxed"),
  simd128_threads: () => import("#wasm/simd128_threads"),
  relaxed_threads: () => import("#wasm/relaxed_threads"),
  webgpu: () => import("#wasm/webgpu"),
  simd128_full: () => import("#wasm/simd128_full"),
  relaxed_full: () => import("#wasm/relaxed_full"),
  simd128_threads_full: () => import("#wasm/simd128_threads_full"),
  relaxed_threads_full: () => import("#wasm/relaxed_threads_full"),
  webgpu_full: () => import("#wasm/webgpu_full"),
  glues: () => import("#wasm/glues"),
};
const SCHEME = "inline:";

/** Returns the bytes of a file from the base64 text of its module. */
export async function unpacked(load: () => Promise<{ default: string }>): Promise<Uint8Array<ArrayBuffer>> {
  const { default: text } = await load();
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const readWasm = (url: string) => unpacked(FILES[url.slice(SCHEME.length) as keyof WasmPaths]!);

/** Returns a function that returns the URL of an inlined script. The first call creates the URL. */
export function urlOf(script: string): () => string {
  let url: string | undefined;
  return () => (url ??= URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
}

/** Lets a Worker read the inlined wasm files. */
export function greet(worker: Worker): void {
  const port = wasmPort(readWasm);
  worker.postMessage({ wasm: port }, [port]);
}

export const platform = browserPlatform({
  models: copiedModels("webert/inline has no model inside"),
  wasmUrl: (name) => (name in FILES ? SCHEME + name : undefined),
  readWasm,
  workers: pageWorkers({ workerUrl: urlOf(script), scriptUrl: blobOf(readWasm), greet }),
  training: async (platform) => (await import("./training-inline.js")).inlineTraining(platform),
  search: () => import("./search-inline.js"),
});
