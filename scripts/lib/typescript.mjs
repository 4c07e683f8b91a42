// Imports TypeScript modules for tests and scripts: modules of www/src and src/js that need neither DOM nor wasm.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./run.mjs";

/** The exports of a TypeScript file, by its path in the project. Its imports are bundled, except the package, of which it may only import types. */
export async function importTypeScript(path) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    logLevel: "error",
  });
  const folder = join(root, "target/typescript");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${path.replaceAll(/\W+/g, "-")}-${process.pid}.mjs`);
  writeFileSync(file, outputFiles[0].text);
  return import(pathToFileURL(file).href);
}
