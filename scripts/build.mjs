// `npm run build`: the crate and src/js become dist/, which is what the package holds.

import "./lib/node-version.mjs";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Failure, isMain, main, root, run } from "./lib/run.mjs";
import { locked } from "./lib/lock.mjs";
import { step } from "./lib/step.mjs";
import { setup } from "./setup.mjs";
import { binaryOf, buildable, buildVariant, isBuilt, variants } from "./wasm.mjs";

const at = (path) => join(root, path);
const sources = ["src/js", "package.json", "package-lock.json", "tsconfig.json", "scripts/build.mjs"];

const glueOf = ({ name }) => `target/wasm/${name}/glue/webert.js`;
const bundledGlue = ({ glue }) => `dist/webert_${glue}.js`;

const emptyDist = (pattern) => {
  mkdirSync(at("dist"), { recursive: true });
  for (const name of readdirSync(at("dist"))) if (pattern.test(name)) rmSync(at(`dist/${name}`));
};

/** Bundles into dist/ with what all bundles have in common. */
async function esbuild(options) {
  const { build } = await import("esbuild");
  try {
    await build({
      absWorkingDir: root, outdir: "dist", bundle: true, format: "esm", splitting: true, target: "es2022",
      minify: true, legalComments: "none", logLevel: "warning",
      sourcemap: "external", // not packed, so the code must not point to them; scripts/serve.mjs does
      ...options,
    });
  } catch (error) {
    if (error.errors) throw new Failure("esbuild failed"); // which it has explained by itself
    throw error;
  }
}

/** src/js to dist/*.js: index and worker for browsers, node and cli for Node. */
async function bundle() {
  emptyDist(/^(?!webert_).*\.js(\.map)?$/);
  // Entries are what keeps its name: what pages and programs import, and what is fetched on demand.
  const entries = (named) => Object.entries(named).map(([out, name]) => ({ out, in: `src/js/${name}.ts` }));
  await esbuild({ platform: "browser", entryPoints: entries({ index: "index", worker: "worker", thread: "thread", convert: "convert" }), chunkNames: "chunk-[hash]" });
  await esbuild({ platform: "node", entryPoints: entries({ node: "node", cli: "cli", "node-thread": "node-thread", "node-convert": "convert" }), chunkNames: "node-[hash]" });
  leaveImports();
}

/** The glue of a binary, dist/webert_GLUE.js. */
async function bundleGlue(variant) {
  const from = variant.glue === "threads" ? "src/js/team.ts" : glueOf(variant);
  await esbuild({ platform: "neutral", entryPoints: { [`webert_${variant.glue}`]: from }, alias: { "#glue": at(glueOf(variant)) } });
  leaveImports();
}

/** Makes a binary and the glue that it is loaded with: one for all that share it, which have to agree on it. */
async function buildWithGlue(variant, chosen, tools) {
  await buildVariant(variant, tools);
  const first = chosen.find(({ glue }) => glue === variant.glue);
  if (readFileSync(at(glueOf(variant)), "utf8") !== readFileSync(at(glueOf(first)), "utf8")) {
    throw new Failure(`${glueOf(first)} and ${glueOf(variant)} differ, and both are to be the glue "${variant.glue}".\n`
      + "What is exported to JavaScript must not depend on target features.");
  }
  const files = { inputs: [...sources, glueOf(first)], outputs: [bundledGlue(variant)] };
  if (variant === first) await step(`glue ${variant.glue}`, files, () => bundleGlue(first));
}

/** Marks every import() of an address, as for bundlers to leave alone: minifying takes the marks away. */
function leaveImports() {
  for (const name of readdirSync(at("dist")).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(at(`dist/${name}`), "utf8");
    const marked = text.replaceAll(/\bimport\((\w+)\)/g, "import(/*webpackIgnore:true*//*@vite-ignore*/$1)");
    if (marked !== text) writeFileSync(at(`dist/${name}`), marked);
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

/** The code and the binaries up to and with the one named `last`; gives those that can be built, and the toolchains. */
async function buildUntil(last) {
  const tools = await setup();
  const chosen = buildable(tools);
  for (const variant of variants.filter((variant) => !chosen.includes(variant))) {
    for (const file of [binaryOf(variant), bundledGlue(variant)]) rmSync(at(file), { force: true }); // made when it could be
  }
  await step("bundle", { inputs: sources, outputs: ["dist/index.js", "dist/worker.js", "dist/node.js"] }, bundle);
  for (const variant of chosen) {
    await buildWithGlue(variant, chosen, tools);
    if (variant.name === last) break;
  }
  return { tools, chosen };
}

/** Brings dist/ up to date; gives the toolchains. */
export async function build() {
  return locked(async () => {
    const { tools } = await buildUntil();
    await step("types", { inputs: sources, outputs: ["dist/index.d.ts"] }, declarations);
    return tools;
  });
}

/**
 * Makes what the page needs at first: the code, and the binary that every browser can use. Gives the files that are still to be built;
 * what there is of them in dist/ is of older sources, and goes.
 */
export async function buildFirst() {
  return locked(async () => {
    const { tools, chosen } = await buildUntil("simd128");
    const later = chosen.filter((variant) => !isBuilt(variant, tools));
    const glues = later.map(bundledGlue).filter((file) => file !== bundledGlue(chosen[0]));
    const files = [...later.map(binaryOf), ...new Set(glues)];
    for (const file of files) rmSync(at(file), { force: true });
    return files;
  });
}

if (isMain(import.meta.url)) await main(build);
