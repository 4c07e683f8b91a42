// What `npm pack` packs: the files, their size, and that a program finds them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const read = (name) => readFileSync(join(dist, name));
const distNames = (pattern) => readdirSync(dist).filter((name) => pattern.test(name));

/** Whether there was what binaries with threads are built of; in CI the build fails without it. */
const withThreads = existsSync(join(dist, "webert_threads.js"));
/** Which glue goes with each binary. */
const glues = {
  simd128: "cpu", relaxed: "cpu", webgpu: "gpu",
  ...(withThreads && { simd128_threads: "threads", relaxed_threads: "threads" }),
};
/** The pairs of a binary and its glue. */
const artefacts = Object.entries(glues).map(([build, glue]) => [`webert_${build}.wasm`, `webert_${glue}.js`]);
/** The other scripts of each platform: its entries and the chunks they share. */
const scripts = {
  browser: ["index.js", "worker.js", "thread.js", ...distNames(/^chunk-\w+\.js$/)],
  node: ["node.js", ...distNames(/^node-(?!convert)\w+\.js$/)], // convert is fetched when it is called
};

test("the package holds exactly what it is meant to", () => {
  const [pack] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const paths = pack.files.map(({ path }) => path);
  for (const needed of ["package.json", "README.md", "docs/transformers-js.md", "CHANGELOG.md", "SECURITY.md", "dist/index.js", "dist/index.d.ts", "dist/worker.js", "dist/thread.js",
    "dist/node.js", "dist/node-thread.js", ...artefacts.flat().map((name) => `dist/${name}`), "models/minilm-mlm/model.safetensors",
    ...["sentiment", "topic"].flatMap((name) => ["model.safetensors.index.json", "classifier.safetensors"].map((file) => `models/minilm-${name}/${file}`))]) {
    assert.ok(paths.includes(needed), `${needed} is missing`);
  }
  assert.ok(paths.some((path) => path.startsWith("LICENSE")), "the licence is missing");
  const intended = /^(package\.json|docs\/[\w-]+\.md|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE(-\w+)?(\.\w+)?|dist\/(index|worker|thread|convert|node|cli)\.js|dist\/(chunk|node)-\w+\.js|dist\/webert_(cpu|gpu|threads)\.js|dist\/(\w+\/)*[\w-]+\.d\.ts|dist\/webert_(simd128|relaxed|webgpu|simd128_threads|relaxed_threads)\.wasm|models\/minilm-(mlm|sentiment|topic)\/(README\.md|(model|classifier)\.safetensors|[\w]+\.json|model\.safetensors\.index\.json))$/;
  assert.deepEqual(paths.filter((path) => !intended.test(path)), []);
});

test("the classifiers share the masked model's encoder and add less than 1 MB each", () => {
  for (const name of ["sentiment", "topic"]) {
    const folder = join(root, `models/minilm-${name}`);
    const { weight_map } = JSON.parse(readFileSync(join(folder, "model.safetensors.index.json"), "utf8"));
    assert.deepEqual([...new Set(Object.values(weight_map))].sort(), ["../minilm-mlm/model.safetensors", "classifier.safetensors"]);
    const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    assert.ok(bytes < 1e6, `${name}: ${bytes} bytes`);
  }
});

test("no dependency", () => {
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
    assert.equal(manifest[kind], undefined, kind);
  }
});

test("a first load is under 256 kB brotli on every path", () => {
  const brotli = (name) => brotliCompressSync(read(name), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  for (const [path, names] of Object.entries(scripts)) {
    for (const artefact of artefacts) {
      const bytes = [...names, ...artefact].reduce((sum, name) => sum + brotli(name), 0);
      console.log(`first load, ${path} with ${artefact[0]}: ${bytes.toLocaleString("en")} bytes brotli`);
      assert.ok(bytes < 256_000, `${path} with ${artefact[0]}: ${bytes} bytes`);
    }
  }
});

test("exports: types first, and every file there", () => {
  for (const [name, target] of Object.entries(manifest.exports)) {
    const conditions = typeof target === "string" ? { default: target } : target;
    if (typeof target !== "string") assert.equal(Object.keys(target)[0], "types", name);
    for (const path of Object.values(conditions)) {
      const found = path.includes("*") ? distNames(/\.wasm$/).length === artefacts.length : existsSync(join(root, path));
      assert.ok(found, `${name}: ${path}`);
    }
  }
});

test("bundlers see the wasm, its glue and the Workers as literals", () => {
  const text = (names) => names.map((name) => read(name).toString()).join("\n");
  const browser = text(scripts.browser);
  const node = text(scripts.node);
  const url = (file) => new RegExp(`new URL\\("\\./${file.replace(".", "\\.")}",\\s*import\\.meta\\.url\\)`);
  // assert.match would print the whole bundle.
  const worker = (script) => new RegExp(`new Worker\\(${url(script).source},\\s*\\{type:"module"`);
  for (const script of ["worker.js", "thread.js"]) assert.ok(worker(script).test(browser), script);
  assert.ok(url("node-thread.js").test(node), "node-thread.js");
  for (const file of new Set(artefacts.flat())) {
    assert.ok(url(file).test(browser), `${file} in a browser`);
    assert.ok(url(file).test(node), `${file} in Node`);
  }
  // An import() that they could follow would split the Worker's script, one that they cannot would trouble them.
  const imports = `${read("worker.js")}${browser}`.match(/\bimport\([^)]*\)/g).filter((found) => !/^import\("\.\/(chunk|convert)/.test(found));
  assert.ok(imports.length > 0);
  for (const found of imports) assert.match(found, /^import\(\/\*webpackIgnore:true\*\/\/\*@vite-ignore\*\/\w+\)$/);
});

test("a strict program finds the types", () => {
  const folder = join(root, "target/consumer");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), 'import * as webert from "webert";\nexport const names: string[] = Object.keys(webert);\n');
  for (const [module, moduleResolution] of [["esnext", "bundler"], ["nodenext", "nodenext"]]) {
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--ignoreConfig", "--noEmit", "--strict", "--target", "es2022",
      "--lib", "es2022,esnext.disposable,dom", "--types", "", "--module", module, "--moduleResolution", moduleResolution,
      "program.ts"], { cwd: folder, stdio: "inherit" });
  }
});
