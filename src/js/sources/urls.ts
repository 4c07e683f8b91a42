// URLs of the package's files. Each URL is written out, because bundlers recognize only this form and copy the file.
// The URLs are in functions, because import.meta.url does not exist in classic scripts.
import { type Build, env, type GlueFile } from "../env.js";
import { WebertError } from "../errors.js";

const WASM: Record<Build, () => URL> = {
  simd128: () => new URL("./webert_simd128.wasm", import.meta.url),
  relaxed: () => new URL("./webert_relaxed.wasm", import.meta.url),
  simd128_threads: () => new URL("./webert_simd128_threads.wasm", import.meta.url),
  relaxed_threads: () => new URL("./webert_relaxed_threads.wasm", import.meta.url),
  webgpu: () => new URL("./webert_webgpu.wasm", import.meta.url),
};

/** Returns the URL of a wasm file of the package. */
export const wasmUrl = (build: Build): string => fileUrl(`webert_${build}.wasm`, WASM[build]).href;

const GLUE: Record<SmallGlue, () => URL> = {
  cpu: () => new URL("./webert_cpu.js", import.meta.url),
  threads: () => new URL("./webert_threads.js", import.meta.url),
  gpu: () => new URL("./webert_gpu.js", import.meta.url),
};
/** The glues of the binaries that do not have all features. */
export type SmallGlue = Exclude<GlueFile, "glues">;

/** Returns the URL of a glue, which an engine's Worker imports; undefined for another name. */
export function glueUrl(name: string): string | undefined {
  const beside = GLUE[name as SmallGlue] as (() => URL) | undefined;
  return beside && fileUrl(`webert_${name}.js`, beside).href;
}

/** Returns the URL of the Worker's script. */
export const workerUrl = (): string => fileUrl("worker.js", () => new URL("./worker.js", import.meta.url)).href;

/** Returns a folder's URL with a slash at its end. */
export const folderUrl = (url: string, base: string): string => new URL(url.replace(/\/?$/, "/"), base).href;

/** Returns the URL of a file of the package: below `env.base` if it is set, otherwise where the bundler put it. */
export function fileUrl(path: string, beside: () => URL): URL {
  const page = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (env.base !== null) return new URL(path, folderUrl(env.base, page));
  let url: string;
  try {
    url = new URL(beside().href, page).href; // Next's URLs are relative to the page
  } catch (cause) {
    throw new WebertError(
      "not_found",
      `${path} has no address here, as this script is no module: import "webert/inline", or name a copy's folder in env.base`,
      { cause },
    );
  }
  // Vite's server bundles the package's code into its own cache, but leaves the other files in place.
  return new URL(
    url.replace(/\/\.vite\/(deps\w*|models)\//, (_, folder) => `/webert/${folder === "models" ? folder : "dist"}/`),
  );
}
