import { WebertError } from "../errors.js";

/** What a model is computed on, and why that. */
export interface Choice {
  device: "wasm" | "webgpu";
  reason: string;
}

/** As much of WebGPU as is looked at here: the rest is the wasm side's. */
interface Adapter {
  info?: Partial<Record<"vendor" | "architecture" | "device" | "description", string>> & {
    isFallbackAdapter?: boolean;
  };
  /** Where browsers had it before it went into `info`. */
  isFallbackAdapter?: boolean;
}
interface Gpu {
  wgslLanguageFeatures?: unknown;
  requestAdapter(options: { powerPreference: "high-performance" }): Promise<Adapter | null>;
}

/** Names of adapters that are programs: Chromium's, Mesa's two, Windows'. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render|software/i;

/**
 * Multiply-adds a token takes, from which on "auto" takes a GPU. A request costs a GPU about 3 ms, whatever there is to
 * compute: commands cross to another process and results come back. In that time one thread of a CPU, at 25 billion
 * multiply-adds a second, has read a text of 16 tokens in a model of this size; a longer text or a larger model is
 * read sooner by any GPU. MiniLM (6 layers of 384) has 10.6 million.
 */
const WORTH = 4.7e6;

/** The device for a model: the one asked for, or for "auto" the best there is. `config` is the model's config.json. Throws `unsupported` where the one asked for is not to be had. */
export async function choose(asked: string, config: () => Promise<Uint8Array>): Promise<Choice> {
  if (asked === "wasm") return { device: "wasm", reason: "asked for by name" };
  const found = await findAdapter();
  if (asked === "webgpu") {
    if (typeof found === "string") throw new WebertError("unsupported", `device "webgpu": ${found}`);
    return { device: "webgpu", reason: `asked for by name (${nameOf(found)})` };
  }
  const { why } = await unfit(found, config);
  if (why) return cpuInstead(why);
  return { device: "webgpu", reason: `auto chose the GPU (${nameOf(found as Adapter)})` };
}

/** The CPU, in place of a GPU that will not do. */
export function cpuInstead(why: string): Choice {
  return { device: "wasm", reason: `auto chose the CPU: ${why}` };
}

/** Why "auto" does not take the adapter, if it does not. */
async function unfit(found: Adapter | string, config: () => Promise<Uint8Array>): Promise<{ why?: string }> {
  if (typeof found === "string") return { why: found };
  const name = nameOf(found);
  if ((found.info?.isFallbackAdapter ?? found.isFallbackAdapter) || SOFTWARE.test(name)) {
    return { why: `the adapter (${name}) is a software renderer` };
  }
  const work = workPerToken(await config());
  if (work < WORTH) return { why: `it answers sooner than the GPU (${name}) for a model as small as this` };
  return {};
}

/** The adapter that the wasm side will be given, too; where there is none that it can use, why. */
async function findAdapter(): Promise<Adapter | string> {
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: Gpu };
  // What only looks like a browser has no such scope, and the wasm side could not use its WebGPU.
  const isBrowser = "Window" in globalThis || "WorkerGlobalScope" in globalThis;
  if (!isBrowser) return "no WebGPU here: this is no browser";
  if (!gpu)
    return globalThis.isSecureContext === false
      ? "no WebGPU here: the page is not served by https"
      : "no WebGPU here: this browser has none, or not in this place";
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) return "no WebGPU here: there is no adapter";
  // The wasm side reads both. Chromium has the first since 127.
  const lacking = !adapter.info
    ? "GPUAdapter.info"
    : !gpu.wgslLanguageFeatures
      ? "GPU.wgslLanguageFeatures"
      : undefined;
  return lacking ? `this browser's WebGPU is too old: it lacks ${lacking}` : adapter;
}

/** What a browser tells of an adapter, which may be nothing. */
function nameOf({ info = {} }: Adapter): string {
  const words = [info.vendor, info.architecture, info.device, info.description].filter(Boolean);
  return words.join(" ") || "its name is not told";
}

/** Multiply-adds of the encoder's layers for one token, attention left out; Infinity where the file does not say. */
function workPerToken(config: Uint8Array): number {
  const text = new TextDecoder().decode(config);
  // not by JSON.parse, which takes seconds where there are a million labels
  const size = (...names: string[]) => Number(new RegExp(`"(?:${names.join("|")})"\\s*:\\s*(\\d+)`).exec(text)?.[1]);
  const hidden = size("hidden_size", "dim");
  const work =
    size("num_hidden_layers", "n_layers") * hidden * (4 * hidden + 2 * size("intermediate_size", "hidden_dim"));
  return Number.isFinite(work) ? work : Infinity;
}
