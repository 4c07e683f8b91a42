// Builds src/js over tests/fake-wasm.mjs, to test it alone in Node.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");

/**
 * Builds the package into a folder of its own, `dir`, and imports it. `webert` is the package, `wasm` the fake wasm side, and `fetching` and
 * `internal` (remote, protocol, local) are modules that the package does not export.
 */
export async function buildOverFake() {
  const dir = await mkdtemp(join(tmpdir(), "webert-js-"));
  await build({
    absWorkingDir: root,
    outdir: dir,
    bundle: true,
    format: "esm",
    splitting: true,
    platform: "node",
    logLevel: "error",
    outExtension: { ".js": ".mjs" },
    external: ["#glue/*"],
    alias: { "#platform": "./src/js/entries/node.ts" },
    entryPoints: {
      node: "src/js/index.ts",
      remote: "src/js/engine/remote.ts",
      protocol: "src/js/engine/protocol.ts",
      local: "src/js/engine/local.ts",
      fetching: "src/js/sources/fetching.ts",
      fake: "tests/fake-wasm.mjs",
    },
  });
  for (const name of ["simd128", "relaxed", "webgpu"].flatMap((name) => [name, `${name}_full`]))
    await writeFile(join(dir, `webert_${name}.wasm`), "");
  await writeFile(join(dir, "package.json"), '{ "type": "module", "imports": { "#glue/*": "./glue.mjs" } }');
  await writeFile(join(dir, "glue.mjs"), 'import * as fake from "./fake.mjs";\nexport default () => fake;\n');
  const load = (name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href);
  const internal = { ...(await load("remote")), ...(await load("protocol")), ...(await load("local")) };
  const [webert, wasm, fetching] = await Promise.all(["node", "fake", "fetching"].map(load));
  return { dir, webert, wasm, fetching, internal };
}

/** Runs `body` as in a browser with a GPU. `wasm` is the fake wasm side; `requestAdapter` describes the GPU. */
export async function withGpu(wasm, requestAdapter, body) {
  const { navigator } = globalThis;
  const is = (value) => ({ value, configurable: true, writable: true });
  Object.defineProperties(globalThis, {
    Window: is(class {}),
    navigator: is({ gpu: { requestAdapter, wgslLanguageFeatures: {} } }),
  });
  try {
    await body();
  } finally {
    delete globalThis.Window;
    Object.defineProperty(globalThis, "navigator", is(navigator));
    wasm.state.gpu = "well";
  }
}
