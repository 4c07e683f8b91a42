// `npm run build`: builds dist/, the content of the package, from the crate and src/js.

import "./lib/node-version.mjs";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { locked } from "./lib/lock.mjs";
import { EXPORTS, FROM, mergeChunks, pairs } from "./lib/merge-chunks.mjs";
import { writeParts } from "./lib/parts.mjs";
import { Failure, isMain, main, root, run } from "./lib/run.mjs";
import { MAPPED, nameMap } from "./lib/source-maps.mjs";
import { step } from "./lib/step.mjs";
import { weightMapModule } from "./lib/weight-map.mjs";
import { buildPage } from "./page.mjs";
import { setup } from "./setup.mjs";
import {
  binaryOf,
  buildable,
  buildVariant,
  buildVariants,
  fullVariants,
  isBuilt,
  searchVariant,
  variants,
} from "./wasm.mjs";

const MODELS = ["minilm-mlm", "minilm-embeddings", "minilm-entities", "minilm-sentiment", "minilm-topic"];
/** The binary of each entry for edge functions: workerd supports relaxed SIMD, Vercel's runtime on Node 20 does not. */
const EDGE = { workerd: "relaxed", "edge-light": "simd128" };
/** Adapters to interfaces of others: entries of their own without the code of the core. */
const INTEGRATIONS = ["fetch", "ai-sdk", "langchain", "orama", "stores", "semantic-embedder"];
/** The entries whose later code is in parts. */
const PARTED = ["index", "slim"];
const at = (path) => join(root, path);
/** In build order: binaries that a page fetches to run a model come first. */
const all = [...variants, searchVariant, ...fullVariants];
const sources = [
  "src/js",
  ...all.map(({ name }) => `target/wasm/${name}/glue`),
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "scripts/build.mjs",
  ...[
    "config",
    "tokenizer_config",
    "model.safetensors.index",
    "modules",
    "sentence_bert_config",
    "1_Pooling/config",
  ].flatMap((file) => MODELS.map((name) => `models/${name}/${file}.json`)),
];

/** Returns the text of a glue without comments: they contain indices into the binary's table of functions. */
const codeOf = (path) => readFileSync(at(path), "utf8").replace(/^ *\/\/ .*\n/gm, "");

/** The names of the glues and bindgen's output for each. Binaries with the same glue must produce the same output. */
function glueFiles(variants) {
  return [...new Set(variants.map(({ glue }) => glue))].map((glue) => {
    const [first, ...others] = variants
      .filter((variant) => variant.glue === glue)
      .map(({ name }) => `target/wasm/${name}/glue/webert.js`);
    for (const other of others) {
      if (codeOf(other) !== codeOf(first)) {
        throw new Failure(
          `${first} and ${other} differ, and both are to be the glue "${glue}".\n` +
            "What is exported to JavaScript must not depend on target features.",
        );
      }
    }
    return [glue, first];
  });
}

/** The module of a model's index, with the sizes of its files. */
function weightMapOf(path) {
  const index = JSON.parse(readFileSync(path, "utf8"));
  const files = [...new Set(Object.values(index.weight_map))];
  return weightMapModule(
    index,
    Object.fromEntries(files.map((file) => [file, statSync(join(dirname(path), file)).size])),
  );
}

const emptyDist = (pattern) => {
  mkdirSync(at("dist"), { recursive: true });
  for (const name of readdirSync(at("dist"))) if (pattern.test(name)) rmSync(at(`dist/${name}`));
};

/** A glue as a function that makes it for one instance, again at each call; scripts/wasm.mjs lists the glues. */
export async function glueFactory(build, name, paths) {
  const path = paths.get(name);
  // The binary is missing as well: the CPU runs without threads, and in place of the GPU.
  if (!path)
    return `export default () => { throw Object.assign(new Error("the package was built without ${name}"), { code: "unsupported" }); };`;
  const {
    outputFiles: [{ text }],
  } = await build({
    entryPoints: [at(path)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minifySyntax: true,
    // engine/wasm.ts reads and compiles binaries, and frees objects. The glue's own code for responses and URLs, its warnings about them and
    // its disposal by `using` never run.
    define: { Response: "undefined", Request: "undefined", URL: "undefined", "Symbol.dispose": "undefined" },
    pure: ["console.warn"],
  });
  const exported = pairs(EXPORTS.exec(text)[1]).map(([local, as]) => `${as}: ${local}`);
  return `export default function make() { ${text.replace(EXPORTS, `return { ${exported} };`)}\n}`;
}

/**
 * Resolves the names that src/js/built.d.ts declares, for an entry on a platform. `paths` are the glues; a call of a missing glue is an
 * error. `binary` is the binary that an edge function imports.
 */
const builtModules = (build, paths, platform, whole, binary) => ({
  name: "built",
  setup(builder) {
    builder.onResolve({ filter: /^#platform$/ }, () => ({ path: at(`src/js/entries/${platform}.ts`) }));
    builder.onResolve({ filter: /^#parts$/ }, ({ path }) => ({ path, external: true }));
    // If an entry may consist of several files, a glue is one of them.
    builder.onResolve({ filter: /^#glue\// }, ({ path }) =>
      whole ? { path, namespace: "built" } : { path: `./webert_${path.slice(6)}.js`, external: true },
    );
    // A script without glues, and a page with parts, import glues by their URLs: see entries/parts.ts.
    if (whole ? !paths.size : PARTED.includes(platform)) {
      builder.onResolve({ filter: /\/own-glues\.js$/ }, () => ({ path: "own-glues", namespace: "built" }));
      builder.onLoad({ filter: /^own-glues$/, namespace: "built" }, () => ({ contents: "export const GLUES = {};" }));
    }
    // Cloudflare and Vercel support this form.
    builder.onResolve({ filter: /^#module$/ }, () => ({ path: `./webert_${binary}.wasm?module`, external: true }));
    builder.onResolve({ filter: /^#(wasm\/|(train-)?worker-script$)/ }, ({ path }) => ({ path, namespace: "built" }));
    builder.onLoad({ filter: /\.safetensors\.index\.json$/ }, ({ path }) => ({
      contents: weightMapOf(path),
    }));
    builder.onLoad({ filter: /^#glue\//, namespace: "built" }, async ({ path }) => ({
      contents: await glueFactory(build, path.slice(6), paths),
    }));
    builder.onLoad({ filter: /^#(train-)?worker-script$/, namespace: "built" }, ({ path }) => ({
      contents: readFileSync(
        at(`target/bundle/${path === "#worker-script" ? "worker-inline" : "train-worker"}.js`),
        "utf8",
      ),
      loader: "text",
    }));
    builder.onLoad({ filter: /^#wasm\//, namespace: "built" }, ({ path }) => {
      const name = path.slice(6);
      const file = at(name === "glues" ? "target/bundle/webert_glues.js" : `dist/webert_${name}.wasm`);
      const contents = existsSync(file) ? gzipSync(readFileSync(file), { level: 9 }).toString("base64") : "";
      return { contents, loader: "text" };
    });
  },
});

/**
 * Gives fill-mask a copy of the random generator. A chunk that fill-mask and `webert/compat` shared could not be a part: see
 * entries/parts.ts.
 */
const ownRandom = {
  name: "own-random",
  setup(builder) {
    builder.onResolve({ filter: /\/tensor\/random\.js$/ }, ({ importer, resolveDir }) =>
      importer.endsWith("fill-mask.ts")
        ? { path: join(resolveDir, "../tensor/random.ts"), namespace: "own" }
        : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "own" }, ({ path }) => ({
      contents: readFileSync(path, "utf8"),
      loader: "ts",
      resolveDir: dirname(path),
    }));
  },
};

/** The files are moved to dist/ at once from here, because pages may be reading there. */
const BUNDLE = "target/bundle";

/** Options of every build with esbuild. */
const COMMON = {
  absWorkingDir: root,
  outdir: BUNDLE,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8", // an escape takes six bytes, and redaction has many words of other scripts
  legalComments: "none",
  logLevel: "warning",
  sourcemap: "external", // nameMap names those that are packed
};

const entryPoints = (named) => Object.entries(named).map(([out, path]) => ({ out, in: `src/js/${path}.ts` }));
const isFull = (name) => name.endsWith("_full");

/** Replaces each module whose path matches `filter` by the file `by`. */
const replacing = (name, filter, by) => ({
  name,
  setup: (builder) => builder.onResolve({ filter }, () => ({ path: at(by) })),
});
const withoutSaved = replacing("without-saved", /\/api\/saved\.js$/, "src/js/api/saved-none.ts");
const withoutNames = replacing(
  "without-names",
  /\/given-name-list\.js$/,
  "src/js/redaction/detectors/no-given-name-list.ts",
);
const withoutRedact = replacing("without-redact", /\/redaction\/redact\.js$/, "src/js/redaction/none.ts");

/** Replaces each module whose path matches `filter` by an empty one. */
const withoutCode = (filter) => ({
  name: "without-code",
  setup(builder) {
    builder.onResolve({ filter }, () => ({ path: "rare", namespace: "in-glues" }));
    builder.onLoad({ filter: /./, namespace: "in-glues" }, () => ({ contents: "export {};" }));
  },
});
/** A Worker takes this code from the script of the glues: see src/js/engine/rare-code.ts. */
const withoutRare = withoutCode(/\/(adapters|onnx-files|origin|retrieval-folders|torch-files)\.js$/);
/** One with glues by their URLs takes this code from the GPU's glue. */
const withoutKernels = withoutCode(/^\.\/kernels\.js$/);
/** Entries without the binaries with all features refuse adapters before they import the code for them. */
const withoutAdapters = withoutCode(/\/sources\/adapters\.js$/);

/** Builds over esbuild's `build` and the glues' paths by name. */
function buildsOver(build, glues) {
  const some = (isIn) => new Map([...glues].filter(([name]) => isIn(name)));
  /** Entries and their chunks. */
  const split = (platform, named, options = {}) =>
    build({
      ...COMMON,
      platform: "browser",
      splitting: true,
      chunkNames: "chunk-[hash]",
      entryPoints: entryPoints(named),
      plugins: [ownRandom, builtModules(build, glues, platform, false)],
      ...options,
    });
  /** One file with everything in it: `inside` are the glues, `binary` and `plugins` are for the platform. */
  const whole = (platform, named, inside, { binary, plugins = [], ...options } = {}) =>
    build({
      ...COMMON,
      platform: "browser",
      entryPoints: entryPoints(named),
      plugins: [...plugins, builtModules(build, inside, platform, true, binary)],
      ...options,
    });
  // An entry with everything in one file contains only the glues that it uses.
  return { build, split, whole, glues, slim: some((name) => !isFull(name)), full: some(isFull), some };
}

/** Adds the code for the kernels of a GPU to its glue: see `gpuKernels` in src/js/engine/device.ts. */
const KERNELS = '\nimport * as kernels from "./src/js/engine/kernels.ts";\nglobalThis.webertGlues.kernels = kernels;';

/** Writes the glues that pages and Workers import by their URLs. */
async function bundleGlues({ build, glues, slim }) {
  for (const name of glues.keys()) {
    const factory = await glueFactory(build, name, glues);
    // Where a Worker's script finds it: see src/js/engine/glues.ts.
    const contents = slim.has(name)
      ? `${factory}\n(globalThis.webertGlues ??= {}).${name} = { default: make };${name === "gpu" ? KERNELS : ""}`
      : factory;
    await build({
      ...COMMON,
      platform: "neutral",
      stdin: { contents, sourcefile: `webert_${name}.js`, resolveDir: root },
      outdir: undefined,
      outfile: `${BUNDLE}/webert_${name}.js`,
    });
  }
}

/** Writes the scripts of Workers, and the script of the glues. */
async function bundleWorkers({ whole, slim, full }) {
  const worker = { format: "iife", plugins: [withoutRare] };
  // The one script has no glue: it imports the one that it needs, which the page also needs.
  const plugins = [withoutRare, withoutKernels];
  await whole("index", { worker: "engine/worker" }, new Map(), { ...worker, plugins });
  await whole("index", { "worker-inline": "engine/worker" }, slim, worker);
  await whole("index", { webert_glues: "engine/glues" }, full, { format: "iife" });
  await whole("index", { "train-worker": "training/worker" }, full, { format: "iife" });
}

/** Writes webert/measure and its Worker's script, which has the glue of the GPU's binary with all features. */
async function bundleMeasure({ whole, some }) {
  await whole("index", { measure: "measure/measure" }, new Map(), { minify: false });
  await whole(
    "index",
    { "measure-worker": "measure/worker" },
    some((name) => name === "gpu_full"),
    { format: "iife" },
  );
}

/** Writes entries for pages and their chunks. All chunks that the first entry imports at once are merged. */
async function splitForPages({ build, split }, platform, named) {
  const folder = `${BUNDLE}/${platform}`;
  // The names hold the platform: esbuild hashes a chunk before mergeChunks redirects its imports, so chunks of two platforms
  // could share a name and differ.
  const chunkNames = `chunk-${platform}_[hash]`;
  await split(platform, named, { outdir: folder, chunkNames });
  const [entry] = Object.keys(named);
  const core = await mergeChunks(build, at(folder), `${entry}.js`, { ...COMMON, platform: "browser", chunkNames });
  if (PARTED.includes(platform)) writeParts(at(folder), `${entry}.js`, core);
  for (const name of readdirSync(at(folder))) {
    if (existsSync(at(`${BUNDLE}/${name}`)))
      throw new Failure(`${name}: expected one platform, got a second (${platform})`);
    renameSync(at(`${folder}/${name}`), at(`${BUNDLE}/${name}`));
  }
  rmSync(at(folder), { recursive: true });
}

/** Writes the entries for browsers. */
async function bundleForBrowsers(builds) {
  await splitForPages(builds, "index", {
    index: "index",
    compat: "compat",
    ...Object.fromEntries(MODELS.map((name) => [name, `entries/${name}`])),
  });
  await splitForPages(builds, "slim", { slim: "index" });
  await splitForPages(builds, "inline", { inline: "index" });
  for (const end of ["js", "js.map"]) rmSync(at(`${BUNDLE}/worker-inline.${end}`)); // which inline.js has inside
  const plugins = [withoutRedact, withoutSaved, withoutAdapters];
  await builds.whole("service-worker", { "service-worker": "index" }, builds.slim, { plugins });
}

/** Writes the entries for edge functions and Node, and the adapters to others' interfaces. */
async function bundleForServers({ build, split, whole, some }) {
  const cpu = some((name) => name === "cpu");
  for (const [name, binary] of Object.entries(EDGE))
    await whole("edge", { [name]: "index-and-compat" }, cpu, {
      binary,
      plugins: [withoutSaved, withoutAdapters, withoutNames],
    });
  mkdirSync(at(`${BUNDLE}/node-models`), { recursive: true });
  for (const name of MODELS)
    writeFileSync(
      at(`${BUNDLE}/node-models/${name}.js`),
      `export default new URL("../../models/${name}/", import.meta.url).href;\n`,
    );
  await build({
    ...COMMON,
    platform: "neutral",
    packages: "external", // peer dependencies
    outdir: `${BUNDLE}/integrations`,
    entryPoints: entryPoints(Object.fromEntries(INTEGRATIONS.map((name) => [name, `integrations/${name}`]))),
    minify: false, // readable, because they are small and run on servers
  });
  const node = {
    node: "index",
    "node-compat": "compat",
    cli: "cli/cli",
    "node-thread": "entries/node/thread",
    "node-worker": "entries/node/worker",
    "node-convert": "api/convert",
  };
  // Readable, because Node prints the line of an uncaught error.
  await split("node", node, { platform: "node", chunkNames: "node-[hash]", minify: false });
}

/** Names the source maps that are packed, moves the bundle's files to dist/, and removes the scripts there that are not among them. */
function publish() {
  const made = readdirSync(at(BUNDLE), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, path, name }) => relative(at(BUNDLE), join(parentPath ?? path, name)));
  for (const file of made) if (MAPPED.test(file)) nameMap(at(BUNDLE), file);
  for (const file of made.filter((name) => name.endsWith(".js")))
    for (const [, , , chunk] of readFileSync(at(`${BUNDLE}/${file}`), "utf8").matchAll(FROM))
      if (!made.includes(chunk))
        throw new Failure(`${file}: expected ${chunk} beside it, but a page has it only in a part`);
  for (const file of made) {
    mkdirSync(dirname(at(`dist/${file}`)), { recursive: true });
    renameSync(at(`${BUNDLE}/${file}`), at(`dist/${file}`));
  }
  for (const name of readdirSync(at("dist")))
    if (/\.js(\.map)?$/.test(name) && !made.includes(name)) rmSync(at(`dist/${name}`));
}

/** src/js to dist/*.js: the entries of package.json, the chunks that they fetch on demand, and the Worker's script. `variants` are the existing binaries. */
async function bundle(variants) {
  const { build } = await import("esbuild");
  rmSync(at(BUNDLE), { recursive: true, force: true });
  const builds = buildsOver(build, new Map(glueFiles(variants)));
  try {
    await bundleGlues(builds);
    await bundleWorkers(builds);
    await bundleForBrowsers(builds);
    await bundleForServers(builds);
    await bundleMeasure(builds);
  } catch (error) {
    if (error.errors) throw new Failure("esbuild failed"); // esbuild has printed the reason
    throw error;
  }
  publish();
}

/** The vocabulary of the package's models, one token per line in order of ids. It has half the size of tokenizer.json, and no bundler treats it as code. */
function vocabulary() {
  const { model } = JSON.parse(readFileSync(at("models/minilm-mlm/tokenizer.json"), "utf8"));
  const tokens = Object.entries(model.vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([token]) => `${token}\n`);
  writeFileSync(at("dist/minilm-vocab.txt"), tokens.join(""));
}

/** An import of a file beside the importing one. */
const RELATIVE = /(?:from|import)\s*\(?\s*["'](\.[^"']*)["']/g;

/** Copies a declaration file of the folder `emitted` to dist/, with the files that it imports. `seen` are the copied files. */
function copyDeclaration(emitted, path, seen) {
  if (seen.has(path)) return;
  seen.add(path);
  // Before TypeScript 5.7 the type has no parameter.
  const text = readFileSync(at(`${emitted}/${path}`), "utf8").replaceAll(
    /Uint8Array<ArrayBuffer(Like)?>/g,
    "Uint8Array",
  );
  mkdirSync(dirname(at(`dist/${path}`)), { recursive: true });
  writeFileSync(
    at(`dist/${path}`),
    text.replaceAll(RELATIVE, (whole) => whole.replace(/\.ts(["'])$/, ".js$1")),
  );
  for (const [, specifier] of text.matchAll(RELATIVE)) {
    const next = normalize(join(dirname(path), `${specifier.replace(/(\.d)?\.[jt]s$/, "")}.d.ts`));
    if (!existsSync(at(`${emitted}/${next}`))) {
      throw new Failure(`The public type declarations need ${specifier} (from ${path}), which is not in the package.`);
    }
    copyDeclaration(emitted, next, seen);
  }
}

/** Types that programs may lack (lib without "dom", no @types/node). In other programs the declarations add nothing. */
const GLOBALS = [
  "AbortSignal",
  "Blob",
  "ErrorEvent",
  "File",
  "FileList",
  "MessageEvent<T = any>",
  "ReadableStream<R = any>",
  "Request",
  "Response",
  "TransformStream<I = any, O = any>",
  "URL",
  "Worker",
];

/** The type declarations that index.d.ts reaches; the other files of src/js are private. */
function declarations() {
  const emitted = "target/types";
  rmSync(at(emitted), { recursive: true, force: true });
  run(process.execPath, [
    "node_modules/typescript/bin/tsc",
    "-p",
    "tsconfig.json",
    "--noEmit",
    "false",
    "--emitDeclarationOnly",
    "--declaration",
    "--rootDir",
    "src/js",
    "--outDir",
    emitted,
  ]);
  emptyDist(/\.d\.ts$/);
  const seen = new Set();
  for (const name of ["index", "compat", "measure/measure", ...INTEGRATIONS.map((name) => `integrations/${name}`)])
    copyDeclaration(emitted, `${name}.d.ts`, seen);
  writeFileSync(
    at("dist/globals.d.ts"),
    `${GLOBALS.map((name) => `interface ${name} {}`).join("\n")}
declare namespace WebAssembly {
  interface Memory {}
  interface Module {}
}
`,
  );
  writeFileSync(
    at("dist/index.d.ts"),
    `/// <reference path="./globals.d.ts" />\n${readFileSync(at("dist/index.d.ts"), "utf8")}`,
  );
  for (const path of ["dist/measure/measure.d.ts", ...INTEGRATIONS.map((name) => `dist/integrations/${name}.d.ts`)])
    writeFileSync(at(path), `/// <reference path="../globals.d.ts" />\n${readFileSync(at(path), "utf8")}`);
  writeFileSync(
    at("dist/own-model.d.ts"),
    'import type { Source } from "./index.js";\ndeclare const model: Source;\nexport default model;\n',
  );
}

/** The code over the existing binaries, the vocabulary, and the page over them. */
async function code(variants) {
  await step(
    "bundle",
    {
      inputs: sources,
      outputs: [
        "dist/index.js",
        "dist/worker.js",
        "dist/service-worker.js",
        "dist/workerd.js",
        "dist/edge-light.js",
        "dist/node.js",
      ],
      facts: variants,
    },
    () => bundle(variants),
  );
  await step(
    "vocabulary",
    { inputs: ["models/minilm-mlm/tokenizer.json", "scripts/build.mjs"], outputs: ["dist/minilm-vocab.txt"] },
    vocabulary,
  );
  await buildPage();
}

/** Brings dist/ up to date and returns the toolchains. Calls `begun(tools)` before it compiles anything. */
export async function build(begun = () => {}) {
  return locked(async () => {
    const tools = await setup();
    begun(tools);
    const chosen = buildable(tools, all);
    await buildVariants(chosen, tools);
    await code(chosen);
    await step("types", { inputs: sources, outputs: ["dist/index.d.ts"] }, declarations);
    return tools;
  });
}

/**
 * Makes the first parts of the page: the binary that every browser can use, and the code over it and over binaries that already exist.
 * Removes binaries of older sources. Returns the binaries that are still to be built.
 */
export async function buildFirst() {
  return locked(async () => {
    const tools = await setup();
    const chosen = buildable(tools, all);
    await buildVariant(chosen[0], tools);
    const there = chosen.filter((variant) => isBuilt(variant, tools));
    for (const variant of all.filter((variant) => !there.includes(variant)))
      rmSync(at(binaryOf(variant)), { force: true });
    await code(there);
    return chosen.filter((variant) => !there.includes(variant)).map(binaryOf);
  });
}

if (isMain(import.meta.url)) await main(build);
