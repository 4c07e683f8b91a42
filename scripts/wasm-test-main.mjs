// Runs the tests of one module that bindgen made from a test binary; the argument is its glue.
// It prints the same lines as `cargo test` for a native binary.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 has it behind this flag, later versions always

const glue = process.argv[2];

// wasm-bindgen-test records a test's console output, and prints through these two names.
globalThis.__wbgtest_og_console_log = console.log;
globalThis.__wbgtest_og_console_error = console.error;
const handlers = {};
for (const method of ["debug", "log", "info", "warn", "error"]) {
  console[method] = (...args) => handlers[method]?.(args);
}
globalThis.__wbg_test_invoke = (f) => f();

const module = await import(pathToFileURL(glue));
// The macro exports a test as `__wbgt_MODIFIERS_CRATE::PATH::NAME`.
const wasmFile = glue.replace(/\.js$/, "_bg.wasm");
const tests = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(wasmFile)))
  .map(({ name }) => name)
  .filter((name) => name.startsWith("__wbgt_"));

if (tests.length > 0) {
  const context = new module.WasmBindgenTestContext(false);
  for (const method of ["debug", "log", "info", "warn", "error"]) {
    handlers[method] = module[`__wbgtest_console_${method}`];
  }
  context.include_ignored(false);
  context.filtered_count(0);
  const ok = await context.run(tests.map((name) => module.__wasm[name]));
  process.exitCode = ok ? 0 : 1;
} else {
  globalThis.__wbgtest_og_console_log("no tests for wasm32");
}
