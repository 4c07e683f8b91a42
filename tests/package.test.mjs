// What `npm pack` packs: the files, their size, and that a program finds them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const read = (name) => readFileSync(join(dist, name));
const distNames = (pattern) => readdirSync(dist).filter((name) => pattern.test(name));

test("the package holds exactly what it is meant to", () => {
  const [pack] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const paths = pack.files.map(({ path }) => path);
  for (const needed of ["package.json", "README.md", "CHANGELOG.md", "dist/index.js", "dist/index.d.ts", "dist/worker.js",
    "dist/node.js", "dist/webert_simd128.wasm", "dist/webert_relaxed.wasm", "models/minilm-mlm/model.safetensors"]) {
    assert.ok(paths.includes(needed), `${needed} is missing`);
  }
  assert.ok(paths.some((path) => path.startsWith("LICENSE")), "the licence is missing");
  const intended = /^(package\.json|README\.md|CHANGELOG\.md|LICENSE(-\w+)?(\.\w+)?|dist\/(index|worker|node|cli)\.js|dist\/(chunk|node)-\w+\.js|dist\/(\w+\/)*[\w-]+\.d\.ts|dist\/webert_(simd128|relaxed)\.wasm|models\/minilm-mlm\/(README\.md|model\.safetensors|[\w]+\.json))$/;
  assert.deepEqual(paths.filter((path) => !intended.test(path)), []);
});

test("no dependency", () => {
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
    assert.equal(manifest[kind], undefined, kind);
  }
});

test("a first load is under 200 kB brotli on every path", () => {
  const brotli = (name) => brotliCompressSync(read(name), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  const scripts = {
    browser: ["index.js", "worker.js", ...distNames(/^chunk-\w+\.js$/)],
    node: ["node.js", ...distNames(/^node-\w+\.js$/)],
  };
  for (const [path, names] of Object.entries(scripts)) {
    for (const wasm of ["webert_simd128.wasm", "webert_relaxed.wasm"]) {
      const bytes = [...names, wasm].reduce((sum, name) => sum + brotli(name), 0);
      console.log(`first load, ${path} with ${wasm}: ${bytes.toLocaleString("en")} bytes brotli`);
      assert.ok(bytes < 200_000, `${path} with ${wasm}: ${bytes} bytes`);
    }
  }
});

test("exports: types first, and every file there", () => {
  for (const [name, target] of Object.entries(manifest.exports)) {
    const conditions = typeof target === "string" ? { default: target } : target;
    if (typeof target !== "string") assert.equal(Object.keys(target)[0], "types", name);
    for (const path of Object.values(conditions)) {
      const found = path.includes("*") ? distNames(/\.wasm$/).length === 2 : existsSync(join(root, path));
      assert.ok(found, `${name}: ${path}`);
    }
  }
});

test("bundlers see the wasm and the worker as literals", () => {
  const text = (names) => names.map((name) => read(name).toString()).join("\n");
  const browser = text(["index.js", "worker.js", ...distNames(/^chunk-\w+\.js$/)]);
  const node = text(["node.js", ...distNames(/^node-\w+\.js$/)]);
  const url = (file) => new RegExp(`new URL\\("\\./${file.replace(".", "\\.")}",\\s*import\\.meta\\.url\\)`);
  // assert.match would print the whole bundle.
  assert.ok(new RegExp(`new Worker\\(${url("worker.js").source},\\s*\\{type:"module"`).test(browser), "the worker");
  for (const wasm of ["webert_simd128.wasm", "webert_relaxed.wasm"]) {
    assert.ok(url(wasm).test(browser), `${wasm} in a browser`);
    assert.ok(url(wasm).test(node), `${wasm} in Node`);
  }
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
