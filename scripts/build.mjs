// `npm run build`: the crate and src/js become dist/, which is what the package holds.

import "./lib/node-version.mjs";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Failure, isMain, main, root, run } from "./lib/run.mjs";
import { locked } from "./lib/lock.mjs";
import { step } from "./lib/step.mjs";
import { setup } from "./setup.mjs";
import { buildVariant, variants } from "./wasm.mjs";

const at = (path) => join(root, path);
const sources = ["src/js", "target/wasm/glue", "package.json", "package-lock.json", "tsconfig.json", "scripts/build.mjs"];

/** src/js imports one glue for all binaries: they have to agree on it. */
function shareGlue() {
  const [first, ...others] = variants.map(({ name }) => `target/wasm/${name}/glue`);
  mkdirSync(at("target/wasm/glue"), { recursive: true });
  for (const file of ["webert.js", "webert.d.ts"]) {
    const text = readFileSync(at(`${first}/${file}`), "utf8");
    for (const other of others) {
      if (readFileSync(at(`${other}/${file}`), "utf8") !== text) {
        throw new Failure(`${first}/${file} and ${other}/${file} differ, and src/js can only import one of them.\n`
          + "What is exported to JavaScript must not depend on target features.");
      }
    }
    copyFileSync(at(`${first}/${file}`), at(`target/wasm/glue/${file}`));
  }
}

const emptyDist = (pattern) => {
  mkdirSync(at("dist"), { recursive: true });
  for (const name of readdirSync(at("dist"))) if (pattern.test(name)) rmSync(at(`dist/${name}`));
};

/** src/js to dist/*.js: index and worker for browsers, node (and cli) for Node. */
async function bundle() {
  const { build } = await import("esbuild");
  emptyDist(/\.js(\.map)?$/);
  const common = {
    absWorkingDir: root, outdir: "dist", bundle: true, format: "esm", splitting: true, target: "es2022",
    minify: true, legalComments: "none", logLevel: "warning",
    sourcemap: "external", // not packed, so the code must not point to them; scripts/serve.mjs does
  };
  const entries = (names) => names.map((name) => `src/js/${name}.ts`).filter((path) => existsSync(at(path)));
  try {
    await build({ ...common, platform: "browser", entryPoints: entries(["index", "worker"]), chunkNames: "chunk-[hash]" });
    await build({ ...common, platform: "node", entryPoints: entries(["node", "cli"]), chunkNames: "node-[hash]" });
  } catch (error) {
    if (error.errors) throw new Failure("esbuild failed"); // which it has explained by itself
    throw error;
  }
}

/** The type declarations that index.d.ts reaches; the other files of src/js are nobody's business. */
function declarations() {
  const emitted = "target/types";
  rmSync(at(emitted), { recursive: true, force: true });
  run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--noEmit", "false",
    "--emitDeclarationOnly", "--declaration", "--rootDir", "src/js", "--outDir", emitted]);
  emptyDist(/\.d\.ts$/);
  const relativeImport = /(?:from|import)\s*\(?\s*["'](\.[^"']*)["']/g;
  const seen = new Set();
  const copy = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(at(`${emitted}/${path}`), "utf8");
    mkdirSync(dirname(at(`dist/${path}`)), { recursive: true });
    writeFileSync(at(`dist/${path}`), text.replaceAll(relativeImport, (whole) => whole.replace(/\.ts(["'])$/, ".js$1")));
    for (const [, specifier] of text.matchAll(relativeImport)) {
      const next = normalize(join(dirname(path), specifier.replace(/(\.d)?\.[jt]s$/, "") + ".d.ts"));
      if (!existsSync(at(`${emitted}/${next}`))) {
        throw new Failure(`The public type declarations need ${specifier} (from ${path}), which is not in the package.`);
      }
      copy(next);
    }
  };
  copy("index.d.ts");
}

/** Brings dist/ up to date; gives the toolchains. */
export async function build() {
  return locked(async () => {
    const tools = await setup();
    for (const variant of variants) await buildVariant(variant, tools);
    shareGlue();
    await step("bundle", { inputs: sources, outputs: ["dist/index.js", "dist/worker.js", "dist/node.js"] }, bundle);
    await step("types", { inputs: sources, outputs: ["dist/index.d.ts"] }, declarations);
    return tools;
  });
}

if (isMain(import.meta.url)) await main(build);
