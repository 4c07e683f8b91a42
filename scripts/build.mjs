// `npm run build`: the crate and src/js become dist/, which is what the package holds.

import "./lib/node-version.mjs";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Failure, isMain, main, root, run } from "./lib/run.mjs";
import { locked } from "./lib/lock.mjs";
import { step } from "./lib/step.mjs";
import { setup } from "./setup.mjs";
import { buildable, buildVariant, variants } from "./wasm.mjs";

const at = (path) => join(root, path);
const sources = ["src/js", ...variants.map(({ name }) => `target/wasm/${name}/glue`), "package.json", "package-lock.json", "tsconfig.json", "scripts/build.mjs"];

/** The names of the glues and what bindgen made for each: one for all binaries that share it, which have to agree on it. */
function glueFiles(variants) {
  return [...new Set(variants.map(({ glue }) => glue))].map((glue) => {
    const [first, ...others] = variants.filter((variant) => variant.glue === glue).map(({ name }) => `target/wasm/${name}/glue/webert.js`);
    for (const other of others) {
      if (readFileSync(at(other), "utf8") !== readFileSync(at(first), "utf8")) {
        throw new Failure(`${first} and ${other} differ, and both are to be the glue "${glue}".\n`
          + "What is exported to JavaScript must not depend on target features.");
      }
    }
    return [glue, first];
  });
}

const emptyDist = (pattern) => {
  mkdirSync(at("dist"), { recursive: true });
  for (const name of readdirSync(at("dist"))) if (pattern.test(name)) rmSync(at(`dist/${name}`));
};

/** src/js to dist/*.js: index and worker for browsers, node and cli for Node. */
async function bundle(variants) {
  const { build } = await import("esbuild");
  emptyDist(/\.js(\.map)?$/);
  const common = {
    absWorkingDir: root, outdir: "dist", bundle: true, format: "esm", splitting: true, target: "es2022",
    minify: true, legalComments: "none", logLevel: "warning",
    sourcemap: "external", // not packed, so the code must not point to them; scripts/serve.mjs does
  };
  // Entries are what keeps its name: what pages and programs import, and what is fetched on demand.
  const entries = (named) => Object.entries(named).map(([out, name]) => ({ out, in: `src/js/${name}.ts` }));
  try {
    await build({ ...common, platform: "browser", entryPoints: entries({ index: "index", worker: "worker", thread: "thread", convert: "convert" }), chunkNames: "chunk-[hash]" });
    for (const [glue, path] of glueFiles(variants)) {
      const from = glue === "threads" ? "src/js/team.ts" : path;
      await build({ ...common, platform: "neutral", entryPoints: { [`webert_${glue}`]: from }, alias: { "#glue": at(path) } });
    }
    await build({ ...common, platform: "node", entryPoints: entries({ node: "node", cli: "cli", "node-thread": "node-thread", "node-convert": "convert" }), chunkNames: "node-[hash]" });
  } catch (error) {
    if (error.errors) throw new Failure("esbuild failed"); // which it has explained by itself
    throw error;
  }
  leaveImports();
}

/** Marks every import() of an address, as for bundlers to leave alone: minifying takes the marks away. */
function leaveImports() {
  for (const name of readdirSync(at("dist")).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(at(`dist/${name}`), "utf8");
    writeFileSync(at(`dist/${name}`), text.replaceAll(/\bimport\((\w+)\)/g, "import(/*webpackIgnore:true*//*@vite-ignore*/$1)"));
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
    const chosen = buildable(tools);
    for (const variant of chosen) await buildVariant(variant, tools);
    await step("bundle", { inputs: sources, outputs: ["dist/index.js", "dist/worker.js", "dist/node.js"], facts: chosen }, () => bundle(chosen));
    await step("types", { inputs: sources, outputs: ["dist/index.d.ts"] }, declarations);
    return tools;
  });
}

if (isMain(import.meta.url)) await main(build);
