// Chooses between the CPU and the GPU.
import type { WasmPaths } from "../env.js";
import { WebertError } from "../errors.js";
import { besideGlues } from "../threads/builds.js";
import type { KernelCache } from "./kernels.js";
import type { Work } from "./slower-device.js";

/** The device of a model, and the reason for it. */
export interface Choice {
  device: "wasm" | "webgpu";
  reason: string;
  /** The GPU's description. */
  adapter?: string;
}

/** What "auto" knows besides the adapter. */
export interface Machinery {
  /** Where measured kernels are kept, and the script with the code that reads them. */
  cache?: KernelCache | undefined;
  glue?: string | undefined;
  /** Number of CPU threads that can be used. */
  threads: number;
}

/** The part of WebGPU that this file uses. The wasm side uses the rest. */
interface Adapter {
  info?: Partial<Record<"vendor" | "architecture" | "device" | "description", string>> & {
    isFallbackAdapter?: boolean;
  };
  /** Location of the field in browsers that do not have it in `info`. */
  isFallbackAdapter?: boolean;
}
interface Gpu {
  wgslLanguageFeatures?: unknown;
  requestAdapter(options: { powerPreference: "high-performance" }): Promise<Adapter | null>;
}

/** Names of software adapters: of Chromium, Mesa (two) and Windows. */
export const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render|software/i;

/**
 * Multiply-adds per token from which "auto" chooses a GPU that was not measured yet. A request to a GPU takes about 3 ms, whatever it computes:
 * commands go to another process and results come back. In 3 ms one CPU thread, at 25 billion multiply-adds a second,
 * reads 16 tokens with a model of this size. A GPU is faster for longer texts and larger models. MiniLM (6 layers of
 * 384) has 10.6 million.
 */
const WORTH = 4.7e6;

/**
 * Returns the device for a model: the requested one, or the best one for "auto". `config` is the model's config.json.
 * Throws `unsupported` if the requested device is not available.
 */
export async function choose(
  asked: string,
  config: () => Promise<Uint8Array>,
  machinery: Machinery = { threads: 1 },
): Promise<Choice> {
  if (asked === "wasm") return { device: "wasm", reason: "asked for by name" };
  const found = await findAdapter();
  if (asked === "webgpu") {
    if (typeof found === "string") throw new WebertError("unsupported", `device "webgpu": ${found}`);
    return { device: "webgpu", reason: `asked for by name (${nameOf(found)})`, adapter: nameOf(found) };
  }
  const { why } = await unfit(found, config, machinery);
  if (why) return cpuInstead(why);
  const adapter = nameOf(found as Adapter);
  return { device: "webgpu", reason: `auto chose the GPU (${adapter})`, adapter };
}

/** Imports the code for the kernels of a GPU. A Worker takes it from the script of the GPU's glue at this URL. */
export const gpuKernels = (glue: WasmPaths["gpu"]) => besideGlues("kernels", glue, () => import("./kernels.js"));

/** Returns the CPU in place of a GPU that cannot be used. */
export function cpuInstead(why: string): Choice {
  return { device: "wasm", reason: `auto chose the CPU: ${why}` };
}

/** Returns the reason why "auto" does not choose the adapter, if any. */
async function unfit(
  found: Adapter | string,
  config: () => Promise<Uint8Array>,
  { cache, glue, threads }: Machinery,
): Promise<{ why?: string }> {
  if (typeof found === "string") return { why: found };
  const name = nameOf(found);
  if ((found.info?.isFallbackAdapter ?? found.isFallbackAdapter) || SOFTWARE.test(name)) {
    return { why: `the adapter (${name}) is a software renderer` };
  }
  const work = workOf(await config());
  const kernels = cache && (await gpuKernels(glue));
  const kept = await kernels?.keptKernels(cache, name);
  if (kernels && kept) {
    const why = kernels.slowerThanCpu(kept, work, threads);
    return why ? { why: `${why} (${name})` } : {};
  }
  if (work.multiplyAdds < WORTH)
    return { why: `it answers sooner than the GPU (${name}) for a model as small as this` };
  return {};
}

/** Returns the adapter that the wasm side will use too; if no usable adapter exists, returns the reason. */
async function findAdapter(): Promise<Adapter | string> {
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: Gpu };
  // Runtimes that only resemble a browser have no such scope. The wasm side could not use their WebGPU.
  const isBrowser = "Window" in globalThis || "WorkerGlobalScope" in globalThis;
  if (!isBrowser) return "no WebGPU here: this is no browser";
  if (!gpu)
    return globalThis.isSecureContext === false
      ? "no WebGPU here: the page is not served by https"
      : "no WebGPU here: this browser has none, or not in this place";
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) return "no WebGPU here: there is no adapter";
  // The wasm side reads both. Chromium has GPUAdapter.info since version 127.
  const lacking = !adapter.info
    ? "GPUAdapter.info"
    : !gpu.wgslLanguageFeatures
      ? "GPU.wgslLanguageFeatures"
      : undefined;
  return lacking ? `this browser's WebGPU is too old: it lacks ${lacking}` : adapter;
}

/** Returns a browser's description of an adapter, which may be empty. */
function nameOf({ info = {} }: Adapter): string {
  const words = [info.vendor, info.architecture, info.device, info.description].filter(Boolean);
  return words.join(" ") || "its name is unknown";
}

/** Returns the work of an encoder's layers, without attention; Infinity if the config lacks the sizes. */
export function workOf(config: Uint8Array): Work {
  const text = new TextDecoder().decode(config);
  // JSON.parse would take seconds with a million labels.
  const size = (...names: string[]) => Number(new RegExp(`"(?:${names.join("|")})"\\s*:\\s*(\\d+)`).exec(text)?.[1]);
  const hidden = size("hidden_size", "dim");
  const layers = size("num_hidden_layers", "n_layers");
  const work = layers * hidden * (4 * hidden + 2 * size("intermediate_size", "hidden_dim"));
  return { multiplyAdds: Number.isFinite(work) ? work : Infinity, layers };
}
