// `npm test`: set-up, build and every check, or the named stages: lint, rust, wasm, js. `npm test -- long` runs all of these and the stage
// fuzz, a minute per target, which does not run by default.

import "./lib/node-version.mjs";
import { build } from "./build.mjs";
import { testFuzz } from "./fuzz.mjs";
import { add, none, summary } from "./lib/counts.mjs";
import { Failure, main, start } from "./lib/run.mjs";
import { lint } from "./lint.mjs";
import { setup } from "./setup.mjs";
import { testJs } from "./test-js.mjs";
import { testRust } from "./test-rust.mjs";
import { testWasm } from "./test-wasm.mjs";

// State for later compilations would cost an eighth of the processor time, and gigabytes. `cargo test` keeps it.
process.env.CARGO_INCREMENTAL ??= "0";

/** Each stage returns counts, except lint, which passes or throws. */
const stages = { rust: testRust, wasm: testWasm, js: testJs, lint };
/** The stages that run only on request. */
const longStages = { fuzz: () => testFuzz(60) };

await main(async () => {
  const asked = process.argv.slice(2);
  const all = { ...stages, ...longStages };
  const unknown = asked.find((name) => name !== "long" && !(name in all));
  if (unknown !== undefined) throw new Failure(`no stage ${unknown}; there are ${Object.keys(all).join(", ")}, long`);
  const isChosen = (name) => (asked.length === 0 ? name in stages : asked.includes(name) || asked.includes("long"));
  const chosen = Object.keys(all).filter(isChosen);

  const total = none();
  const lines = [];
  let broken = false;
  const timed = async (name, body) => {
    console.log(`\n── ${name}`);
    const start = performance.now();
    let outcome = "ok";
    try {
      const counts = await body();
      if (counts?.passed !== undefined) {
        if (counts.passed + counts.failed === 0) throw new Failure(`${name} ran no test`);
        add(total, counts);
        outcome = summary(counts);
      }
      return counts;
    } catch (error) {
      console.error(error instanceof Failure ? `\n${error.message}` : error);
      outcome = "FAILED";
      broken = true;
      return undefined;
    } finally {
      lines.push(`${name.padEnd(6)} ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${outcome}`);
    }
  };

  const onlyNative = chosen.every((name) => name === "rust" || name === "fuzz");
  // The build's last binary takes one core for a minute; the compilation of the Rust tests uses the other.
  let rust;
  let built;
  const isBuilt = new Promise((resolve) => (built = resolve));
  const begun = (tools) => {
    if (!chosen.includes("rust")) return;
    rust = testRust(tools, isBuilt);
    rust.catch(() => {}); // the stage throws it
  };
  const tools = await timed("build", onlyNative ? setup : () => build(begun));
  built();
  if (tools === undefined) {
    if (rust !== undefined) await timed("rust", () => rust);
  } else {
    // The last tests of a stage, and browsers, leave a part of the processors idle; clippy uses it.
    const isBeside = chosen.length > 1 && chosen.includes("lint");
    const linted = isBeside ? start(process.execPath, ["scripts/lint.mjs"], { isLow: true }) : undefined;
    const running = { rust, lint: linted?.done };
    for (const name of chosen) await timed(name, () => running[name] ?? all[name](tools));
  }

  // A stage that broke has no number of tests, but counts as a failure.
  if (broken) total.failed += 1;
  console.log(`\n${lines.join("\n")}\n\n${summary(total)}`);
  if (total.failed > 0) process.exitCode = 1;
  if (total.skipped > 0 && process.env.CI) {
    console.log("skipped tests prove nothing, so here they count as failures");
    process.exitCode = 1;
  }
});
