// The Rust tests of tests/*.rs once more, as WebAssembly in Node, with each set of target features.
//
// wasm-bindgen's own runner takes minutes to install; scripts/bindgen and wasm-test-main.mjs do
// the part of it that is needed here.

import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { build } from "./build.mjs";
import { add, cargoCounts, none, summary, withExit } from "./lib/counts.mjs";
import { Failure, isMain, main, root, tee } from "./lib/run.mjs";
import { buildable, buildBindgen, compile } from "./wasm.mjs";

/** Tests of what WebAssembly without shared memory does not have, threads or files; they are empty there. */
const NATIVE = ["examples", "faults", "fuzz", "interface", "threads"];

/** Where memory is shared: those of what then computes by other instructions. All else is the same code as without threads. */
const SHARED = ["--lib", ...["encoder", "kernels", "train_kernels", "training"].flatMap((name) => ["--test", name])];

/** Compiles the tests for `variant`; gives `{ name, file }` of each binary. */
function compileTests(tools, variant) {
  return compile(tools, variant, [
    "test",
    "--release",
    "--no-run",
    ...(variant.threads ? SHARED : ["--tests"]),
    "--features",
    "webert/train",
    "-p",
    "webert",
    "-p",
    "webert-kernels",
  ]).filter(({ name }) => !NATIVE.includes(name));
}

/** Runs the tests of all variants; gives `{ passed, failed, skipped }`. */
export async function testWasm(tools) {
  const { program: bindgen, done } = buildBindgen(tools.native);
  await done;
  const total = none();
  // Node has no WebGPU; the shaders and what is around them run natively.
  for (const variant of buildable(tools).filter(({ backend }) => backend === "cpu")) {
    const before = total.passed;
    for (const { name, file } of compileTests(tools, variant)) {
      console.log(`\n${variant.name}: ${name}`);
      const folder = join(root, "target/wasm", variant.name, "tests", name);
      const made = spawnSync(bindgen, ["node", file, folder, name], { stdio: "inherit" });
      if (made.status !== 0) throw new Failure(`bindgen failed on ${basename(file)}`);
      const { ok, text } = await tee(process.execPath, ["scripts/wasm-test-main.mjs", join(folder, `${name}.js`)]);
      add(total, withExit(cargoCounts(text), ok));
    }
    if (total.passed === before) throw new Failure(`no wasm test passed with ${variant.name}`);
  }
  return total;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const counts = await testWasm(await build());
    console.log(`\n${summary(counts)}`);
    if (counts.failed > 0) process.exitCode = 1;
  });
}
