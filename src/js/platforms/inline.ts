// webert/inline: with the Worker's script and the wasm files inside, for bundlers that copy no files.
import script from "#worker-script";
import type { Build } from "../api/env.js";
import { wasmPort } from "../engine/wasm-port.js";
import { browserPlatform } from "./browser.js";
import { copiedModels } from "./copied-models.js";

/** The wasm files, compressed by gzip, in base64. Each is a module of its own, of which a page imports one. */
const WASM: Record<Build, () => Promise<{ default: string }>> = {
  simd128: () => import("#wasm/simd128"),
  relaxed: () => import("#wasm/relaxed"),
  simd128_threads: () => import("#wasm/simd128_threads"),
  relaxed_threads: () => import("#wasm/relaxed_threads"),
  webgpu: () => import("#wasm/webgpu"),
};
const SCHEME = "inline:";

/** A wasm file as the text of its module has it. */
export async function unpacked(load: () => Promise<{ default: string }>): Promise<Uint8Array<ArrayBuffer>> {
  const { default: text } = await load();
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const readWasm = async (url: string) => unpacked(WASM[url.slice(SCHEME.length) as Build]);

let worker: string | undefined;

export const platform = browserPlatform({
  models: copiedModels("webert/inline has no model inside"),
  wasmUrl: (build) => SCHEME + build,
  workerUrl: () => (worker ??= URL.createObjectURL(new Blob([script], { type: "text/javascript" }))),
  readWasm,
  training: async (platform) => (await import("./training-inline.js")).inlineTraining(platform),
  greet(worker) {
    const port = wasmPort(readWasm);
    worker.postMessage({ wasm: port }, [port]);
  },
});
