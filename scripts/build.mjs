// `npm run build`: builds dist/, the content of the package, from the crate and src/js.

import "./lib/node-version.mjs";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { locked } from "./lib/lock.mjs";
import { EXPORTS, mergeChunks, pairs } from "./lib/merge-chunks.mjs";
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

/** The names of the glues and bindgen's output for each. Binaries with the same glue must produce the same output. */
function glueFiles(variants) {
  return [...new Set(variants.map(({ glue }) => glue))].map((glue) => {
    const [first, ...others] = variants
      .filter((variant) => variant.glue === glue)
      .map(({ name }) => `target/wasm/${name}/glue/webert.js`);
    for (const other of others) {
      if (readFileSync(at(other), "utf8") !== readFileSync(at(first), "utf8")) {
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
    // engine/wasm.ts reads and compiles binaries, so the glue's own code for responses and URLs never runs.
    define: { Response: "undefined", Request: "undefined", URL: "undefined" },
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
    // If an entry may consist of several files, a glue is one of them. With parts, only the glue for search is: see entries/parts.ts.
    builder.onResolve({ filter: /^#glue\// }, ({ path }) => {
      const isFile = !whole && (path === "#glue/search" || !PARTED.includes(platform));
      if (isFile) return { path: `./webert_${path.slice(6)}.js`, external: true };
      return { path: whole && paths.size ? path : "#glue/none", namespace: "built" };
    });
    // Cloudflare and Vercel support this form.
    builder.onResolve({ filter: /^#module$/ }, () => ({ path: `./webert_${binary}.wasm?module`, external: true }));
    builder.onResolve({ filter: /^#(wasm\/|(train-)?worker-script$)/ }, ({ path }) => ({ path, namespace: "built" }));
    builder.onLoad({ filter: /\.safetensors\.index\.json$/ }, ({ path }) => ({
      contents: weightMapOf(path),
    }));
    builder.onLoad({ filter: /^#glue\//, namespace: "built" }, async ({ path }) => ({
      contents: await glueFactory(build, path.slice(6), whole ? paths : new Map()),
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

/** src/js to dist/*.js: the entries of package.json, the chunks that they fetch on demand, and the Worker's script. `variants` are the existing binaries. */
async function bundle(variants) {
  const { build } = await import("esbuild");
  const outdir = "target/bundle"; // the files are moved to dist/ at once from here, because pages may be reading there
  rmSync(at(outdir), { recursive: true, force: true });
  const glues = new Map(glueFiles(variants));
  // An entry with everything in one file contains only the glues that it uses.
  const slim = new Map([...glues].filter(([name]) => !name.endsWith("_full")));
  const full = new Map([...glues].filter(([name]) => name.endsWith("_full")));
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    sourcemap: "external", // nameMap names those that are packed
  };
  const entries = (named) => Object.entries(named).map(([out, path]) => ({ out, in: `src/js/${path}.ts` }));
  /** Entries and their chunks. */
  const split = (platform, named, options = {}) =>
    build({
      ...common,
      platform: "browser",
      splitting: true,
      chunkNames: "chunk-[hash]",
      entryPoints: entries(named),
      plugins: [ownRandom, builtModules(build, glues, platform, false)],
      ...options,
    });
  /** The same for pages: all chunks that the first entry imports at once are merged. */
  const splitForPages = async (platform, named) => {
    const folder = `${outdir}/${platform}`;
    // The names hold the platform: esbuild hashes a chunk before mergeChunks redirects its imports, so chunks of two platforms
    // could share a name and differ.
    const chunkNames = `chunk-${platform}_[hash]`;
    await split(platform, named, { outdir: folder, chunkNames });
    const [entry] = Object.keys(named);
    const core = await mergeChunks(build, at(folder), `${entry}.js`, { ...common, platform: "browser", chunkNames });
    if (PARTED.includes(platform)) writeParts(at(folder), `${entry}.js`, core);
    for (const name of readdirSync(at(folder))) {
      if (existsSync(at(`${outdir}/${name}`)))
        throw new Failure(`${name}: expected one platform, got a second (${platform})`);
      renameSync(at(`${folder}/${name}`), at(`${outdir}/${name}`));
    }
    rmSync(at(folder), { recursive: true });
  };
  /** One file with everything in it. */
  const whole = (platform, named, options = {}) =>
    build({
      ...common,
      platform: "browser",
      entryPoints: entries(named),
      plugins: [builtModules(build, slim, platform, true)],
      ...options,
    });
  try {
    for (const name of glues.keys()) {
      const factory = await glueFactory(build, name, glues);
      // Where a Worker's script finds it: see src/js/engine/glues.ts.
      const contents = slim.has(name)
        ? `${factory}\n(globalThis.webertGlues ??= {}).${name} = { default: make };`
        : factory;
      await build({
        ...common,
        platform: "neutral",
        stdin: { contents, sourcefile: `webert_${name}.js` },
        outdir: undefined,
        outfile: `${outdir}/webert_${name}.js`,
      });
    }
    // The one script has no glue: it imports the one that it needs, which the page also needs. Both scripts take code for few models from
    // the script of the glues: see engine/rare-code.ts.
    const withoutRare = {
      name: "without-rare",
      setup(builder) {
        builder.onResolve({ filter: /\/(adapters|onnx-files|origin|retrieval-folders|torch-files)\.js$/ }, () => ({
          path: "rare",
          namespace: "in-glues",
        }));
        builder.onLoad({ filter: /./, namespace: "in-glues" }, () => ({ contents: "export {};" }));
      },
    };
    const workerOf = (glues) => ({
      format: "iife",
      plugins: [withoutRare, builtModules(build, glues, "index", true)],
    });
    await whole("index", { worker: "engine/worker" }, workerOf(new Map()));
    await whole("index", { "worker-inline": "engine/worker" }, workerOf(slim));
    const plugins = [builtModules(build, full, "index", true)];
    await whole("index", { webert_glues: "engine/glues" }, { format: "iife", plugins });
    await whole("index", { "train-worker": "training/worker" }, { format: "iife", plugins });
    await splitForPages("index", {
      index: "index",
      compat: "compat",
      ...Object.fromEntries(MODELS.map((name) => [name, `entries/${name}`])),
    });
    await splitForPages("slim", { slim: "index" });
    await splitForPages("inline", { inline: "index" });
    for (const end of ["js", "js.map"]) rmSync(at(`${outdir}/worker-inline.${end}`)); // which inline.js has inside
    const withoutRedact = {
      name: "without-redact",
      setup: (builder) =>
        builder.onResolve({ filter: /\/redaction\/redact\.js$/ }, () => ({ path: at("src/js/redaction/none.ts") })),
    };
    const withoutSaved = {
      name: "without-saved",
      setup: (builder) =>
        builder.onResolve({ filter: /\/api\/saved\.js$/ }, () => ({ path: at("src/js/api/saved-none.ts") })),
    };
    await whole(
      "service-worker",
      { "service-worker": "index" },
      { plugins: [withoutRedact, withoutSaved, builtModules(build, slim, "service-worker", true)] },
    );
    const cpu = new Map([["cpu", glues.get("cpu")]]);
    for (const [name, binary] of Object.entries(EDGE)) {
      await whole(
        "edge",
        { [name]: "index-and-compat" },
        { plugins: [withoutSaved, builtModules(build, cpu, "edge", true, binary)] },
      );
    }
    for (const name of MODELS) {
      mkdirSync(at(`${outdir}/node-models`), { recursive: true });
      writeFileSync(
        at(`${outdir}/node-models/${name}.js`),
        `export default new URL("../../models/${name}/", import.meta.url).href;\n`,
      );
    }
    await build({
      ...common,
      platform: "neutral",
      packages: "external", // peer dependencies
      outdir: `${outdir}/integrations`,
      entryPoints: entries(Object.fromEntries(INTEGRATIONS.map((name) => [name, `integrations/${name}`]))),
      minify: false, // readable, because they are small and run on servers
    });
    await split(
      "node",
      {
        node: "index",
        "node-compat": "compat",
        cli: "cli/cli",
        "node-thread": "entries/node/thread",
        "node-worker": "entries/node/worker",
        "node-convert": "api/convert",
      },
      // Readable, because Node prints the line of an uncaught error.
      { platform: "node", chunkNames: "node-[hash]", minify: false },
    );
  } catch (error) {
    if (error.errors) throw new Failure("esbuild failed"); // esbuild has printed the reason
    throw error;
  }
  const made = readdirSync(at(outdir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, path, name }) => relative(at(outdir), join(parentPath ?? path, name)));
  for (const file of made) if (MAPPED.test(file)) nameMap(at(outdir), file);
  for (const file of made) {
    mkdirSync(dirname(at(`dist/${file}`)), { recursive: true });
    renameSync(at(`${outdir}/${file}`), at(`dist/${file}`));
  }
  for (const name of readdirSync(at("dist")))
    if (/\.js(\.map)?$/.test(name) && !made.includes(name)) rmSync(at(`dist/${name}`));
}

/** The vocabulary of the package's models, one token per line in order of ids. It has half the size of tokenizer.json, and no bundler treats it as code. */
function vocabulary() {
  const { model } = JSON.parse(readFileSync(at("models/minilm-mlm/tokenizer.json"), "utf8"));
  const tokens = Object.entries(model.vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([token]) => `${token}\n`);
  writeFileSync(at("dist/minilm-vocab.txt"), tokens.join(""));
}

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
  const relativeImport = /(?:from|import)\s*\(?\s*["'](\.[^"']*)["']/g;
  const seen = new Set();
  const copy = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    // Before TypeScript 5.7 the type has no parameter.
    const text = readFileSync(at(`${emitted}/${path}`), "utf8").replaceAll("Uint8Array<ArrayBuffer>", "Uint8Array");
    mkdirSync(dirname(at(`dist/${path}`)), { recursive: true });
    writeFileSync(
      at(`dist/${path}`),
      text.replaceAll(relativeImport, (whole) => whole.replace(/\.ts(["'])$/, ".js$1")),
    );
    for (const [, specifier] of text.matchAll(relativeImport)) {
      const next = normalize(join(dirname(path), `${specifier.replace(/(\.d)?\.[jt]s$/, "")}.d.ts`));
      if (!existsSync(at(`${emitted}/${next}`))) {
        throw new Failure(
          `The public type declarations need ${specifier} (from ${path}), which is not in the package.`,
        );
      }
      copy(next);
    }
  };
  copy("index.d.ts");
  copy("compat.d.ts");
  for (const name of INTEGRATIONS) copy(`integrations/${name}.d.ts`);
  // Programs without these types (lib without "dom", no @types/node) still compile. In other programs this adds nothing.
  const names = [
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
  writeFileSync(
    at("dist/globals.d.ts"),
    `${names.map((name) => `interface ${name} {}`).join("\n")}
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
  for (const path of INTEGRATIONS.map((name) => `dist/integrations/${name}.d.ts`))
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

/** Brings dist/ up to date and returns the toolchains. */
export async function build() {
  return locked(async () => {
    const tools = await setup();
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
