// Compiles a benchmark in Rust for WebAssembly, for benchmarks that run in Node.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, run } from "../../scripts/lib/run.mjs";
import { setup } from "../../scripts/setup.mjs";
import { buildBindgen, compile, optimize, variants } from "../../scripts/wasm.mjs";

/**
 * Compiles the benchmark `bench` of Cargo.toml for the build `name` (e.g. "relaxed"), optimised as the package's binaries, and imports its
 * glue. `args`: further arguments of cargo.
 */
export async function compiled(name, bench, args = []) {
  const tools = await setup();
  const variant = variants.find((variant) => variant.name === name);
  const [{ file }] = await compile(tools, variant, ["bench", "--no-run", "--bench", bench, ...args]);
  const folder = join("target/wasm", name, `bench-${bench}`);
  const { program, done } = buildBindgen(tools.native);
  await done;
  run(program, ["node", file, folder, "cpu"]);
  await optimize(variant, join(folder, "cpu_bg.wasm"), join(folder, "cpu_bg.wasm"));
  return import(pathToFileURL(join(root, folder, "cpu.js")));
}
