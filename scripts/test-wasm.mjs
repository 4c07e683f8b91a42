// The Rust tests of tests/*.rs once more, as WebAssembly in Node, with each set of target features.
//
// wasm-bindgen's own runner takes minutes to install; scripts/bindgen and wasm-test-main.mjs do
// the part of it that is needed here.

import { basename, join } from "node:path";
import { spawnSync } from "node:child_process";
import { build } from "./build.mjs";
import { add, cargoCounts, none, summary, withExit } from "./lib/counts.mjs";
import { Failure, isMain, main, root, tee } from "./lib/run.mjs";
import { buildBindgen, cargoFor, variants } from "./wasm.mjs";

/** Compiles the tests for `variant`; gives `{ name, file }` of each binary. */
function compile(wasm, variant) {
  const { args, env } = cargoFor(wasm, variant);
  const done = spawnSync(wasm.cargo,
    ["test", "--locked", "--release", "--no-run", "--tests", "--message-format=json-render-diagnostics", ...args],
    { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Failure(`the tests do not compile for wasm32 (${variant.name})`);
  return done.stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.executable?.endsWith(".wasm"))
    .map((message) => ({ name: message.target.name, file: message.executable }));
}

/** Runs the tests of all variants; gives `{ passed, failed, skipped }`. */
export async function testWasm({ native, wasm }) {
  const bindgen = buildBindgen(native);
  const total = none();
  for (const variant of variants) {
    const before = total.passed;
    for (const { name, file } of compile(wasm, variant)) {
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
