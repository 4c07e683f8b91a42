// The files of `npm pack`, their sizes, and whether a program finds them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { checkTypes } from "./type-check.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const read = (name) => readFileSync(join(dist, name));
const distNames = (pattern) => readdirSync(dist).filter((name) => pattern.test(name));

/** True if the sources for binaries with threads were available; in CI the build fails without them. */
const withThreads = existsSync(join(dist, "webert_threads.js"));
/** The glue of each binary. */
const glues = {
  simd128: "cpu",
  relaxed: "cpu",
  webgpu: "gpu",
  ...(withThreads && { simd128_threads: "threads", relaxed_threads: "threads" }),
};
/** The pairs of a binary and its glue. */
const artefacts = Object.entries(glues).map(([build, glue]) => [`webert_${build}.wasm`, `webert_${glue}.js`]);
/** Binaries with all features, fetched on demand. */
const full = artefacts.map((names) => names.map((name) => name.replace(/(?=\.\w+$)/, "_full")));
/** The binary and glue for search. */
const searching = ["webert_search.wasm", "webert_search.js"];
/** The files that a file of dist imports at once, itself included; import() is not followed. */
function importedBy(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, next] of read(name)
    .toString()
    .matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g))
    importedBy(next, seen);
  return seen;
}
/** The scripts of parts of an entry for pages. */
const partsOf = (entry) => distNames(new RegExp(`^part-${entry}_\\w+\\.js$`));
/** The files of dist that a file can import at once or later, itself included. */
function reachedFrom(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, next] of read(name)
    .toString()
    .matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"\.\/([\w-]+\.js)"/g))
    reachedFrom(next, seen);
  return seen;
}
const isTraining = (name) => /expected a training checkpoint/.test(read(name).toString());
/** The script of parts that a page fetches with a pipeline, for its tokenizer. */
const ofATokenizer = (entry) => {
  const names = partsOf(entry).filter((name) => /tokenizerClassOf:/.test(read(name).toString()));
  assert.equal(names.length, 1, `${entry}: ${names}`);
  return names;
};
const ofAPage = (entry) => [...new Set([...importedBy(`${entry}.js`), ...ofATokenizer(entry), "worker.js"])];
/** The scripts of a first load but for the glue: on a page the page's and the Worker's; elsewhere the scripts of a model in the thread. */
const scripts = {
  "a page": ofAPage("index"),
  "a page without models": ofAPage("slim"),
  "a service worker": ["service-worker.js"],
  "a Cloudflare Worker": ["workerd.js"],
  "an edge function of Vercel's": ["edge-light.js"],
  "a page with all inside": [...importedBy("inline.js")],
};

/** Files that users and their bundlers need. */
const NEEDED = [
  "package.json",
  "README.md",
  "docs/transformers-js.md",
  "skills/webert/SKILL.md",
  "llms.txt",
  "CHANGELOG.md",
  "SECURITY.md",
  "dist/index.js",
  "dist/index.d.ts",
  "dist/worker.js",
  "dist/train-worker.js",
  "dist/measure.js",
  "dist/measure-worker.js",
  "dist/measure/measure.d.ts",
  "dist/webert_glues.js",
  "dist/slim.js",
  "dist/compat.js",
  "dist/compat.d.ts",
  "dist/node-compat.js",
  "dist/inline.js",
  "dist/service-worker.js",
  "dist/workerd.js",
  "dist/edge-light.js",
  "dist/minilm-vocab.txt",
  "dist/minilm-mlm.js",
  "dist/node-models/minilm-topic.js",
  "dist/node.js",
  "dist/node-thread.js",
  "dist/node-worker.js",
  ...["fetch", "ai-sdk", "langchain", "orama", "stores", "semantic-embedder"].map(
    (name) => `dist/integrations/${name}.js`,
  ),
  ...[...artefacts, ...full, searching].flat().map((name) => `dist/${name}`),
  "docs/search.md",
  "models/minilm-mlm/model.safetensors",
  "models/minilm-embeddings/adapter.safetensors",
  "models/minilm-entities/adapter.safetensors",
  "models/minilm-embeddings/1_Pooling/config.json",
  ...["sentiment", "topic"].flatMap((name) =>
    ["model.safetensors.index.json", "classifier.safetensors"].map((file) => `models/minilm-${name}/${file}`),
  ),
];

test("the package holds exactly the expected files", () => {
  const [pack] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const paths = pack.files.map(({ path }) => path);
  for (const needed of NEEDED) {
    assert.ok(paths.includes(needed), `${needed} is missing`);
  }
  assert.ok(
    paths.some((path) => path.startsWith("LICENSE")),
    "the licence is missing",
  );
  const intended =
    /^(package\.json|llms\.txt|skills\/webert\/SKILL\.md|docs\/(((notes|recipes)\/)?[\w-]+\.md|models\.json|page\.png)|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE(-\w+)?(\.\w+)?|dist\/(index|slim|compat|inline|service-worker|workerd|edge-light|((train|measure)-)?worker|measure|node|cli)\.js|dist\/(node-models\/)?minilm-(mlm|embeddings|entities|sentiment|topic)\.js|dist\/minilm-vocab\.txt|dist\/integrations\/[\w-]+\.js|dist\/(chunk|node|part)-\w+\.js|dist\/(index|slim|compat|inline|service-worker|(train-)?worker|minilm-\w+|(chunk|part)-\w+)\.js\.map|dist\/webert_((cpu|gpu|threads)(_full)?|glues|search)\.js|dist\/(\w+\/)*[\w-]+\.d\.ts|dist\/webert_((simd128|relaxed|webgpu|simd128_threads|relaxed_threads)(_full)?|search)\.wasm|models\/minilm-(mlm|embeddings|entities|sentiment|topic)\/(README\.md|(model|classifier|adapter)\.safetensors|(1_Pooling\/)?[\w]+\.json|model\.safetensors\.index\.json))$/;
  assert.deepEqual(
    paths.filter((path) => !intended.test(path)),
    [],
  );
  const named = paths.filter(
    (path) => /^dist\/.*\.js$/.test(path) && /sourceMappingURL=/.test(read(path.slice(5)).toString()),
  );
  assert.deepEqual(
    named.map((path) => `${path}.map`).filter((path) => !paths.includes(path)),
    [],
    "maps that scripts name",
  );
});

test("the package's models share one encoder and have at most 25 MB of weights", () => {
  const size = (...path) => statSync(join(root, "models", ...path)).size;
  let total = size("minilm-mlm", "model.safetensors");
  for (const [name, file] of [
    ["sentiment", "classifier.safetensors"],
    ["topic", "classifier.safetensors"],
    ["entities", "adapter.safetensors"],
    ["embeddings", "adapter.safetensors"],
  ]) {
    const folder = join(root, `models/minilm-${name}`);
    const { weight_map } = JSON.parse(readFileSync(join(folder, "model.safetensors.index.json"), "utf8"));
    assert.deepEqual([...new Set(Object.values(weight_map))].sort(), ["../minilm-mlm/model.safetensors", file]);
    total += size(`minilm-${name}`, file);
  }
  assert.ok(total <= 25e6, `${total} bytes`);
});

test("the package's word table has a row for each token, and none that no text gives", () => {
  const tokenizer = JSON.parse(readFileSync(join(root, "models/minilm-mlm/tokenizer.json"), "utf8"));
  const tokens = Object.keys(tokenizer.model.vocab);
  assert.deepEqual(
    tokens.filter((token) => /^\[unused/.test(token)),
    [],
  );
  for (const name of ["mlm", "sentiment", "topic", "entities", "embeddings"]) {
    const config = JSON.parse(readFileSync(join(root, `models/minilm-${name}/config.json`), "utf8"));
    assert.equal(config.vocab_size, tokens.length, name);
  }
  const file = readFileSync(join(root, "models/minilm-mlm/model.safetensors"));
  const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE())).toString());
  assert.deepEqual(header["bert.embeddings.word_embeddings.weight"].shape, [tokens.length, 384]);
  assert.deepEqual(header["cls.predictions.bias"].shape, [tokens.length]);
});

test("the package has no dependency", () => {
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
    assert.equal(manifest[kind], undefined, kind);
  }
});

/**
 * Returns the most bytes of JavaScript and wasm with brotli that a path may have. The wasm of an entry with everything inside
 * is text, which takes a quarter more. An edge function is one file, with the code that pages fetch later, and nobody downloads it to
 * answer. The binary for WebGPU also measures and tests the variants of its kernels. `first-load.test.mjs` measures what a browser
 * fetches.
 */
const limitOf = (path, wasm) =>
  (path === "a page with all inside"
    ? 304_000
    : path.startsWith("a page")
      ? 263_000
      : path.startsWith("a service")
        ? 284_000
        : 575_000) + (wasm === "webert_webgpu.wasm" ? 25_100 : 0);

/** The one binary that an edge function imports. */
const OF_EDGE = { "a Cloudflare Worker": "webert_relaxed.wasm", "an edge function of Vercel's": "webert_simd128.wasm" };

test("keeps a first load on the CPU under 263 kB of brotli on every path of a page, or 304 kB with everything inside", () => {
  const sizes = new Map(); // each file is part of several paths
  const brotli = (name) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    if (!sizes.has(name)) sizes.set(name, brotliCompressSync(read(name), { params }).length);
    return sizes.get(name);
  };
  for (const [path, names] of Object.entries(scripts)) {
    for (const [wasm, glue] of artefacts.filter(([wasm]) => (OF_EDGE[path] ?? wasm) === wasm)) {
      // If all is inside, the wasm file is a chunk of text; for pages the glue is a file.
      const inside = gzipSync(read(wasm), { level: 9 }).toString("base64");
      const more =
        path === "a page with all inside"
          ? distNames(/^chunk-\w+\.js$/).filter((name) => read(name).includes(inside))
          : path.startsWith("a page")
            ? [wasm, glue]
            : [wasm];
      const bytes = [...names, ...more].reduce((sum, name) => sum + brotli(name), 0);
      console.log(`first load, ${path} with ${wasm}: ${bytes.toLocaleString("en")} bytes brotli`);
      assert.ok(more.length > 0 && bytes < limitOf(path, wasm), `${path} with ${wasm}: ${bytes} bytes`);
    }
  }
});

test("the package's models share one tokenizer, equal to the vocabulary for pages", async () => {
  const held = execFileSync("git", ["ls-files", "models"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => path.endsWith("tokenizer.json"));
  assert.deepEqual(held, ["models/minilm-mlm/tokenizer.json"]);
  const { AutoTokenizer } = await import("../dist/node.js");
  const files = {
    "vocab.txt": read("minilm-vocab.txt"),
    "tokenizer_config.json": readFileSync(join(root, "models/minilm-mlm/tokenizer_config.json")),
  };
  const [whole, short] = await Promise.all([
    AutoTokenizer.from_pretrained(join(root, "models/minilm-sentiment")),
    AutoTokenizer.from_pretrained({ files }),
  ]);
  const texts = [
    "Caf\u00e9, \u4e2d\u6587 and [MASK] [UNK]!",
    "unaffable ##ing \u0130stanbul",
    readFileSync(join(root, "README.md"), "utf8"),
  ];
  const options = { return_tensor: false, return_offsets_mapping: true, return_special_tokens_mask: true };
  for (const text of texts) assert.deepEqual(short(text, options), whole(text, options));
  assert.equal(short.model_max_length, whole.model_max_length);
  for (const tokenizer of [whole, short]) await tokenizer.dispose?.();
});

test("exports: types first, and every file there", () => {
  for (const [name, target] of Object.entries(manifest.exports)) {
    const conditions = typeof target === "string" ? { default: target } : target;
    if (typeof target !== "string") assert.equal(Object.keys(target)[0], "types", name);
    for (const path of Object.values(conditions)) {
      const found =
        path === "./dist/*.wasm"
          ? distNames(/\.wasm$/).length === artefacts.length + full.length + 1
          : existsSync(
              join(
                root,
                path.replace(
                  "*",
                  path.startsWith("./models/")
                    ? `minilm-mlm/${path.endsWith("json") ? "config" : "model"}`
                    : "minilm-topic",
                ),
              ),
            );
      assert.ok(found, `${name}: ${path}`);
    }
  }
});

test("bundlers see each file that a page fetches as a literal, and no other URL", () => {
  const text = (names) => names.map((name) => read(name).toString()).join("\n");
  const url = (file) => new RegExp(`new URL\\("${file.replaceAll(".", "\\.")}",\\s*import\\.meta\\.url\\)`);
  const models = (name) => text([...importedBy(`minilm-${name}.js`)]);
  for (const entry of ["index.js", "slim.js", "service-worker.js"]) {
    const code = text([...importedBy(entry)]);
    // assert.match would print the whole bundle.
    for (const [wasm] of artefacts) assert.ok(url(`./${wasm}`).test(code), `${wasm} in ${entry}`);
    // a service worker starts no Worker
    for (const worker of [url("./worker.js"), /\bnew Worker\(/])
      assert.equal(worker.test(code), entry !== "service-worker.js", `${worker} in ${entry}`);
    // a service worker has no glue for them
    const glues = ["cpu", "threads", "gpu", "glues"].map((name) => `./webert_${name}.js`);
    for (const file of [...glues, ...full.map(([wasm]) => `./${wasm}`)])
      assert.equal(url(file).test(code), entry !== "service-worker.js", `${file} in ${entry}`);
    assert.equal(/minilm/.test(code), entry !== "slim.js", entry);
  }
  for (const [name, file] of [
    ["mlm", "mlm/model"],
    ["embeddings", "mlm/model"],
    ["embeddings", "embeddings/adapter"],
    ["entities", "mlm/model"],
    ["entities", "entities/adapter"],
    ["sentiment", "mlm/model"],
    ["sentiment", "sentiment/classifier"],
    ["topic", "topic/classifier"],
  ]) {
    assert.ok(url(`../models/minilm-${file}.safetensors`).test(models(name)), `${file} in ${name}`);
    assert.ok(url("./minilm-vocab.txt").test(models(name)), `vocabulary in ${name}`);
  }
  for (const name of distNames(/\.js$/)) {
    const code = read(name).toString();
    // no bundler reads worker.js, which webert/inline has as text
    const isRead = name !== "worker.js" && !importedBy("inline.js").has(name);
    // What a page imports by its URL is marked, so that bundlers leave it alone.
    const isLeft = (found) => /webpackIgnore: true .*turbopackIgnore: true .*@vite-ignore/.test(found);
    for (const found of code.match(isRead ? /\bimport\([^)]+\)/g : /\bimport\([^)]{2,}\)/g) ?? [])
      assert.ok(isLeft(found) || /^import\("\.\/[\w-]+\.js"\)$/.test(found), `${name}: ${found}`);
    // A bundler would replace a bare import.meta.url by a path of its own machine.
    if (!/^node|^cli/.test(name))
      assert.deepEqual(
        code.replaceAll(/new URL\("[^"]+",\s*import\.meta\.url\)/g, "").match(/import\.meta/g),
        null,
        name,
      );
  }
});

test("worker.js and service-worker.js are one file each; worker.js addresses nothing", () => {
  const worker = read("worker.js").toString();
  new Script(worker); // a module's import, export or import.meta would not run in a script
  assert.deepEqual(worker.match(/\bimport\([^)]/g)?.length, 1, "what a page names by its URL");
  assert.ok(!/\bimport\(["'`]|\bnew URL\("/.test(worker));
  assert.deepEqual([...importedBy("service-worker.js")], ["service-worker.js"]);
  assert.ok(!/\bimport\([^)]/.test(read("service-worker.js").toString()));
});

test("a page imports one file beside its entry at once", () => {
  for (const entry of ["index.js", "slim.js", "inline.js"]) assert.equal(importedBy(entry).size, 2, entry);
});

test("an entry for pages splits no code for bundlers, and has one core", () => {
  const hasCore = (name) => /this\.name="WebertError"/.test(read(name).toString());
  for (const entry of ["index", "slim"]) {
    const names = [...importedBy(`${entry}.js`)];
    for (const name of names) assert.ok(!/\bimport\("/.test(read(name).toString()), name);
    assert.equal(names.filter(hasCore).length, 1, entry);
    const code = names.map((name) => read(name).toString()).join("\n");
    assert.ok(partsOf(entry).length > 5, entry);
    for (const name of partsOf(entry)) {
      new Script(read(name).toString()); // bundlers copy it, and may treat it as a script
      assert.ok(!hasCore(name), `a second core in ${name}`);
      assert.ok(read(name).length > 4096, `${name}: Vite would make it a data: URL`);
      assert.ok(code.includes(`new URL("./${name}",import.meta.url)`), name);
    }
  }
});

test("lazily imported chunks of webert/inline import its own core", () => {
  const reached = [...reachedFrom("inline.js")];
  assert.ok(reached.length > 10);
  assert.deepEqual(
    reached.filter((name) => /^chunk-/.test(name) && !name.startsWith("chunk-inline_")),
    [],
  );
  assert.ok(reached.some((name) => read(name).length > 200_000));
});

test("code for Node is readable, because Node prints the line of an uncaught error", () => {
  for (const name of distNames(/^(node|cli)[-\w]*\.js$/)) {
    const longest = Math.max(
      ...read(name)
        .toString()
        .split("\n")
        .map((line) => line.length),
    );
    assert.ok(longest < 2000 || /papaparse/i.test(read(name).toString()), `${name}: a line of ${longest} characters`);
  }
});

/** A source map's paths of sources with their contents. */
const sourcesOf = ({ sources, sourcesContent }) => new Map(sources.map((path, n) => [path, sourcesContent[n]]));

test("the code of pages names source maps that hold the sources and find the line of each message", () => {
  const scripts = distNames(
    /^(index|slim|inline|compat|service-worker|(train-)?worker|minilm-\w+|(chunk|part)-\w+)\.js$/,
  );
  assert.ok(scripts.length > 60);
  let found = 0;
  for (const name of scripts) {
    const code = read(name).toString();
    assert.ok(code.endsWith(`\n//# sourceMappingURL=${name}.map\n`), name);
    const json = JSON.parse(read(`${name}.map`));
    const sources = sourcesOf(json);
    for (const [path, text] of sources) {
      assert.match(path, /^(\.\.\/(src\/js|models)|generated)\//, name);
      if (path.startsWith("../src/js/"))
        assert.equal(text, readFileSync(join(root, path.slice(3)), "utf8"), `${path} in ${name}`);
    }
    const map = new SourceMap(json);
    for (const [row, line] of code.length < 900_000 ? code.split("\n").entries() : []) {
      for (const { 1: message, index } of line.matchAll(/"([A-Za-z][A-Za-z ]* [A-Za-z ]{10,})"/g)) {
        const { originalSource, originalLine } = map.findEntry(row, index);
        if (originalSource.startsWith("generated/")) continue; // a Worker's script as text
        assert.ok(sources.get(originalSource).split("\n")[originalLine].includes(message), `${message} in ${name}`);
        found += 1;
      }
    }
  }
  assert.ok(found > 300, `${found} messages`);
});

test("only training fetches the training code", () => {
  for (const names of Object.values(scripts)) for (const name of names) assert.ok(!isTraining(name), name);
  assert.ok(distNames(/^part-\w+\.js$/).some(isTraining) && distNames(/^node-\w+\.js$/).some(isTraining));
  const worker = read("train-worker.js").toString();
  new Script(worker);
  assert.ok(!/\bimport\([^)]|\bnew URL\("/.test(worker), "train-worker.js is one file, and addresses nothing");
});

test("only searching fetches the search code", () => {
  const isSearching = (name) => /the index file names no model|of version/.test(read(name).toString());
  for (const names of Object.values(scripts)) for (const name of names) assert.ok(!isSearching(name), name);
  const url = /new URL\("\.\/webert_search\.wasm",\s*import\.meta\.url\)/;
  assert.ok([...importedBy("index.js")].some((name) => url.test(read(name).toString())));
  assert.ok(partsOf("index").some(isSearching));
  const bytes = searching.reduce((sum, name) => sum + brotliCompressSync(read(name)).length, 0);
  assert.ok(bytes < 70_000, `${bytes} bytes of brotli`);
});

test("each entry for edge functions is one file that imports its binary as a module", () => {
  for (const [name, binary] of [
    ["workerd", "relaxed"],
    ["edge-light", "simd128"],
  ]) {
    const code = read(`${name}.js`).toString();
    assert.deepEqual(
      [...code.matchAll(/\bimport\b\s*[\w$]+\s+from\s*"([^"]+)"/g)].map(([, path]) => path),
      [`./webert_${binary}.wasm?module`],
    );
    assert.ok(!/\bimport\([^)]|import\.meta|\bnew URL\("/.test(code), name);
  }
});

test("types have no parameter that TypeScript 5.4 does not know", () => {
  const names = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".d.ts"));
  assert.ok(names.length > 20);
  for (const name of names) assert.doesNotMatch(read(name).toString(), /Uint8Array</, name);
});

test("a strict TypeScript program finds the types", () => {
  const folder = join(root, "target/consumer");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "program.ts"),
    'import * as webert from "webert";\nimport topic from "webert/models/minilm-topic";\n' +
      'import { pipeline } from "webert/slim";\nexport const names: string[] = Object.keys(webert);\n' +
      'export const answer = async (): Promise<string> => (await (await pipeline("text-classification", topic))("a text"))[0]!.label;\n',
  );
  checkTypes(folder, ["es2022", "es2022,dom"]);
});
