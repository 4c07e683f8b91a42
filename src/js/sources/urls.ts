// Where the package's files are that are fetched by their address. Each address is written out, since bundlers look for just
// this form, and copy the file. They are in functions, as there is no import.meta.url in scripts that are no modules.
import { type Build, env, type GlueFile } from "../env.js";
import { WebertError } from "../errors.js";

const WASM: Record<Build, () => URL> = {
  simd128: () => new URL("./webert_simd128.wasm", import.meta.url),
  relaxed: () => new URL("./webert_relaxed.wasm", import.meta.url),
  simd128_threads: () => new URL("./webert_simd128_threads.wasm", import.meta.url),
  relaxed_threads: () => new URL("./webert_relaxed_threads.wasm", import.meta.url),
  webgpu: () => new URL("./webert_webgpu.wasm", import.meta.url),
};

/** The URL of a wasm file of the package. */
export const wasmUrl = (build: Build): string => fileUrl(`webert_${build}.wasm`, WASM[build]).href;

const GLUE: Record<SmallGlue, () => URL> = {
  cpu: () => new URL("./webert_cpu.js", import.meta.url),
  threads: () => new URL("./webert_threads.js", import.meta.url),
  gpu: () => new URL("./webert_gpu.js", import.meta.url),
};
/** The glues of the binaries without all features. */
export type SmallGlue = Exclude<GlueFile, "glues">;

/** Returns the URL of a glue, which an engine's Worker imports; undefined for another name. */
export function glueUrl(name: string): string | undefined {
  const beside = GLUE[name as SmallGlue] as (() => URL) | undefined;
  return beside && fileUrl(`webert_${name}.js`, beside).href;
}

/** The URL of the Worker's script. */
export const workerUrl = (): string => fileUrl("worker.js", () => new URL("./worker.js", import.meta.url)).href;

/** A folder's URL with a slash at its end. */
export const folderUrl = (url: string, base: string): string => new URL(url.replace(/\/?$/, "/"), base).href;

/** The URL of a file of the package: below `env.base` where that is set, otherwise where its bundler put it. */
export function fileUrl(path: string, beside: () => URL): URL {
  const page = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (env.base !== null) return new URL(path, folderUrl(env.base, page));
  let url: string;
  try {
    url = new URL(beside().href, page).href; // Next's are relative to the page
  } catch (cause) {
    throw new WebertError(
      "not_found",
      `${path} has no address here, as this script is no module: import "webert/inline", or name a copy's folder in env.base`,
      { cause },
    );
  }
  // Vite's server bundles the package's code into a cache of its own, but leaves the files where they were.
  return new URL(
    url.replace(/\/\.vite\/(deps\w*|models)\//, (_, folder) => `/webert/${folder === "models" ? folder : "dist"}/`),
  );
}
