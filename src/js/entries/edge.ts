// webert on Cloudflare's Workers and Vercel's edge functions. These platforms compile no wasm from bytes, have no
// Worker, and import() only what the bundler saw. The one binary, for one CPU thread, is imported as a module.
import module from "#module";
import { withoutPauses } from "../abort.js";
import type { Machine } from "../engine/engine.js";
import { LocalEngine } from "../engine/local.js";
import { reading } from "../engine/reading.js";
import { WebertError } from "../errors.js";
import { copiedModels } from "./copied-models.js";
import type { EntryPlatform } from "./platform.js";

const SCHEME = "module:";
const BUILDS = ["simd128", "relaxed"].map((build) => SCHEME + build);

/** Returns the imported binary. It is one of the two single-threaded binaries, which share one glue. */
async function readWasm(url: string): Promise<WebAssembly.Module> {
  if (typeof WeakRef === "undefined")
    throw new WebertError(
      "unsupported",
      "there is no WeakRef here: on Cloudflare the compatibility_date has to be 2025-05-05 or later",
    );
  if (BUILDS.includes(url)) return module;
  throw new WebertError(
    "unsupported",
    `${url}: an edge function can use nothing but the binary for one thread that webert imports; env.wasmPaths has to be null`,
  );
}

const base = (): never => {
  throw new WebertError(
    "bad_input",
    "an edge function has no address that a relative one could be relative to: name the whole URL",
  );
};

const alone = (asked: number): never => {
  throw new WebertError("unsupported", `threads: ${asked}: an edge function has one thread`);
};

const machine: Machine = { ...reading, readWasm, threads: { cores: 1, start: () => alone(2) } };

withoutPauses();

export const platform: EntryPlatform = {
  machine,
  models: copiedModels("an edge function has no model inside, as the package's 25 MB are more than one may have"),
  wasmUrl: ((name) =>
    /^(simd128|relaxed|webgpu)(_threads)?$/.test(name) ? SCHEME + name : undefined) as EntryPlatform["wasmUrl"],
  base,
  path: async (path) => (/^\.{0,2}\//.test(path) ? base() : undefined),
  caching: () => false, // Cloudflare has a separate cache per data centre, and drops entries at any time
  createEngine: async ({ threads }) => (threads > 1 ? alone(threads) : new LocalEngine(machine)),
};
