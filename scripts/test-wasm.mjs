// Runs the Rust tests of tests/*.rs as WebAssembly in Node: all of them with plain SIMD, and tests of computations with every set of target
// features.
//
// wasm-bindgen's own runner takes minutes to install. scripts/bindgen and wasm-test-main.mjs do the part that is needed here.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { add, cargoCounts, none, summary, withExit } from "./lib/counts.mjs";
import { Failure, isMain, main, root, runBeside, teeWhole } from "./lib/run.mjs";
import { buildable, buildBindgen, compile } from "./wasm.mjs";

/** The crate's tests: files and folders of tests/ that cargo compiles to a binary, with their text. */
const SUITES = readdirSync(join(root, "tests"), { withFileTypes: true })
  .map((entry) => (entry.isDirectory() ? `${entry.name}/main.rs` : entry.name))
  .filter((file) => file.endsWith(".rs") && existsSync(join(root, "tests", file)))
  .map((file) => ({
    name: file.replace(/(\/main)?\.rs$/, ""),
    text: readFileSync(join(root, "tests", file), "utf8"),
  }));

/** The suites for WebAssembly. The others need threads or files, which WebAssembly without shared memory does not support. */
const PORTABLE = SUITES.filter(({ text }) => !text.includes('#![cfg(not(target_arch = "wasm32"))]')).map(
  ({ name }) => name,
);

/** Suites of code that differs by instructions or threads. All other code is the same as in the first variant, which runs every suite. */
const COMPUTING = ["encoder", "kernels", "train_kernels", "training"];

/**
 * Compiles `suites` and the unit tests of the kernels for `variant` and returns `{ name, file }` of each binary. Other unit tests are native
 * only. Without threads the tests use Rust's own standard library, which need not be compiled: the smaller one differs in size alone.
 */
async function compileTests(tools, variant, suites) {
  const target = { ...variant, smallLibrary: false, isTest: true };
  const command = ["test", "--profile", "wasm-test", "--no-run", "-p"];
  const named = suites.flatMap((name) => ["--test", name]);
  return [
    ...(await compile(tools, target, [...command, "webert", "--features", "webert/train,webert/search", ...named])),
    // A command of its own: with both packages, `--lib` would also compile webert's unit tests. This crate has no feature for a backend.
    ...(await compile(tools, { ...target, backend: "" }, [...command, "webert-kernels", "--lib"])),
  ];
}

/** Runs the tests of one binary and returns its counts. */
async function runTests(bindgen, variant, { name, file }) {
  const folder = join(root, "target/wasm", variant.name, "tests", name);
  await runBeside(bindgen, ["node", file, folder, name]);
  const glue = join(folder, `${name}.js`);
  const { ok, text } = await teeWhole(
    process.execPath,
    ["scripts/wasm-test-main.mjs", glue],
    `${variant.name}: ${name}`,
  );
  return withExit(cargoCounts(text), ok);
}

/** Runs the tests of the compiled binaries of `variant`, one per core at a time, and returns their counts. */
async function runAll(bindgen, variant, binaries) {
  const counts = none();
  const left = [...binaries];
  const worker = async () => {
    for (let binary = left.shift(); binary !== undefined; binary = left.shift())
      add(counts, await runTests(bindgen, variant, binary));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  if (counts.passed === 0) throw new Failure(`no wasm test passed with ${variant.name}`);
  return counts;
}

/**
 * Runs the tests of all variants and returns `{ passed, failed, skipped }`. The next variant is compiled meanwhile, because the last tests of a
 * variant leave cores idle.
 */
export async function testWasm(tools) {
  const { program: bindgen, done } = buildBindgen(tools.native);
  await done;
  // Node has no WebGPU; the shaders and their backend are tested natively. Relaxed instructions and threads are tested one at a time, because
  // no line of Rust depends on both; tests/threads.test.mjs runs the binary that has both.
  const variants = buildable(tools).filter(
    ({ backend, threads, ownFeatures }) => backend === "cpu" && !(threads && ownFeatures),
  );
  const total = none();
  let running = Promise.resolve(none());
  for (const variant of variants) {
    const binaries = await compileTests(tools, variant, variant === variants[0] ? PORTABLE : COMPUTING);
    add(total, await running);
    running = runAll(bindgen, variant, binaries);
    running.catch(() => {}); // the error is thrown above or below, after the compilation that runs meanwhile
  }
  add(total, await running);
  return total;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const counts = await testWasm(await build());
    console.log(`\n${summary(counts)}`);
    if (counts.failed > 0) process.exitCode = 1;
  });
}
