// `npm run fuzz -- TARGET SECONDS` runs a fuzz target under libFuzzer, guided by coverage, on the stable compiler.
// `npm run fuzz -- all 60` runs each for 60 seconds. Without arguments it lists the targets.
//
// Findings go to fuzz/artifacts, inputs that reach new code to fuzz/corpus; git ignores both. Put a failing input into fuzz/seeds once it is
// fixed.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { none } from "./lib/counts.mjs";
import { capture, Failure, isMain, main, root, run, tee } from "./lib/run.mjs";
import { toolchain } from "./toolchain.mjs";

// The flags of cargo-fuzz without AddressSanitizer, which requires a nightly compiler and finds nothing in safe Rust.
const coverage = [
  "--cfg fuzzing",
  "-Cpasses=sancov-module",
  "-Cllvm-args=-sanitizer-coverage-level=4",
  "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table",
  "-Cllvm-args=-sanitizer-coverage-trace-compares",
  "-Ccodegen-units=1",
];

// Longer inputs take more time and find no more.
const maxLength = { index: 4096, tokenizer_json: 24_576, safetensors: 8192, vocab: 4096 };

const targets = readdirSync(join(root, "fuzz/fuzz_targets")).map((name) => name.replace(/\.rs$/, ""));

/** Builds all targets and returns the folder of the programs. */
function build() {
  const { native } = toolchain();
  const target = /^host: (\S+)/m.exec(capture(native.env.RUSTC ?? "rustc", ["-vV"]) ?? "")?.[1];
  if (target === undefined) throw new Failure("rustc does not say what it compiles for");
  const folder = join(root, "target/fuzz");
  run(native.cargo, ["build", "--release", "--locked", "--target", target, "--target-dir", folder], {
    cwd: join(root, "fuzz"),
    env: { ...native.env, RUSTFLAGS: coverage.join(" ") },
  });
  return join(folder, target, "release");
}

/** Runs a target and returns the number of inputs it ran. */
async function fuzz(programs, target, seconds) {
  const folders = ["corpus", "artifacts"].map((kind) => join(root, "fuzz", kind, target));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const [corpus, artifacts] = folders;
  const options = [
    `-max_total_time=${seconds}`,
    `-max_len=${maxLength[target] ?? 512}`,
    `-dict=${join(root, "fuzz/dictionary.txt")}`,
    `-artifact_prefix=${artifacts}/`,
    "-timeout=10", // an input that takes seconds is a failure
    "-rss_limit_mb=2048", // an input that takes more memory is a failure as well
    "-malloc_limit_mb=512",
    "-print_final_stats=1",
    "-verbosity=0",
  ];
  const seeds = join(root, "fuzz/seeds", target);
  console.log(`── ${target}`);
  // libFuzzer writes to stderr, which the shell sends along with stdout
  const line = [join(programs, target), ...options, corpus, seeds];
  const { ok, text } = await tee("sh", ["-c", '"$0" "$@" 2>&1', ...line]);
  if (!ok) throw new Failure(`${target} fails; the input is in fuzz/artifacts/${target}`);
  const executed = Number(/stat::number_of_executed_units: (\d+)/.exec(text)?.[1]);
  if (!(executed > 0)) throw new Failure(`${target} ran no input`);
  return executed;
}

/** Runs every target for `seconds` each, as a stage of the tests. Returns the number of passed and failed targets. */
export async function testFuzz(seconds) {
  const programs = build();
  const counts = none();
  for (const target of targets) {
    try {
      await fuzz(programs, target, seconds);
      counts.passed += 1;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.error(error.message);
      counts.failed += 1;
    }
  }
  return counts;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [asked, seconds = "60"] = process.argv.slice(2);
    if (asked === undefined) return console.log(`npm run fuzz -- TARGET SECONDS\ntargets: all, ${targets.join(", ")}`);
    if (asked !== "all" && !targets.includes(asked)) {
      throw new Failure(`no target ${asked}; there are all, ${targets.join(", ")}`);
    }
    if (!/^[1-9]\d*$/.test(seconds)) throw new Failure(`${seconds} is no number of seconds`);
    const programs = build();
    const lines = [];
    for (const target of asked === "all" ? targets : [asked]) {
      const executed = await fuzz(programs, target, seconds);
      lines.push(`${target.padEnd(16)} ${executed.toLocaleString("en").padStart(12)} inputs in ${seconds} s`);
    }
    console.log(lines.join("\n"));
  });
}
