// Runs the Rust tests on this machine: the test binaries beside each other, the longest first, and the examples of the documentation.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, constants, tmpdir } from "node:os";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { add, cargoCounts, none, withExit } from "./lib/counts.mjs";
import { FEATURES, PACKAGES } from "./lib/crates.mjs";
import { Failure, root, teeWhole, yieldTo } from "./lib/run.mjs";
import { ensureVulkan } from "./setup.mjs";

/** What cargo compiles and tests. */
const CHOSEN = ["--locked", ...FEATURES, ...PACKAGES];

/** The test binaries that run longest, the longest first. The binary that begins last would run alone. */
const LONG = ["gpu", "models", "tokenizer_families", "train_gpu", "training", "faults"];

/**
 * A list of jobs, functions that return promises, of which `lanes` run at the same time. `push(job, rank)`: jobs of a low rank begin first, none
 * before the promise `isFree` resolves. `end()` resolves when no job is left and rejects with the first error.
 */
export function jobs(lanes, isFree) {
  const waiting = [];
  const running = new Set();
  let failed;
  let isOpen = isFree === undefined;
  const opened = isFree?.then(() => {
    isOpen = true;
    begin();
  });
  const begin = () => {
    while (isOpen && running.size < lanes && waiting.length > 0 && failed === undefined) {
      const { job } = waiting.shift();
      const done = job()
        .catch((error) => {
          failed ??= { error };
        })
        .finally(() => {
          running.delete(done);
          begin();
        });
      running.add(done);
    }
  };
  return {
    push(job, rank) {
      waiting.push({ job, rank });
      waiting.sort((a, b) => a.rank - b.rank);
      begin();
    },
    async end() {
      await opened;
      while (running.size > 0) await Promise.race(running);
      if (failed) throw failed.error;
    },
  };
}

/**
 * Compiles the test binaries. If `yields`, the build comes first; the lints, which have the lowest priority, come after it. Calls
 * `made({ name, file, folder })` for each binary as soon as cargo has it; `folder` is its package's.
 */
async function compileTests(native, env, yields, made) {
  const args = ["test", "--no-run", "--message-format=json-render-diagnostics", ...CHOSEN];
  const child = spawn(native.cargo, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (yields) child.on("spawn", () => yieldTo(child, constants.priority.PRIORITY_BELOW_NORMAL));
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("{")) continue;
    const { reason, profile, executable, target, manifest_path } = JSON.parse(line);
    if (reason === "compiler-artifact" && profile.test && executable)
      made({ name: target.name, file: executable, folder: dirname(manifest_path) });
  }
  const [code] = await closed;
  if (code !== 0) throw new Failure("cargo test --no-run fails");
}

/**
 * Runs all tests and returns `{ passed, failed, skipped }`. The first binaries run while cargo compiles the others. With `isFree`, a promise,
 * the compilation yields to the build, and no test runs before the promise resolves.
 */
export async function testRust({ native }, isFree) {
  ensureVulkan();
  const env = {
    // Mesa complains at every start of a session without a folder for windows' sockets.
    XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? tmpdir(),
    // A score of binaries is linked: with the lines of backtraces, without types and variables for debuggers.
    CARGO_PROFILE_TEST_DEBUG: "line-tables-only",
    ...native.env,
  };
  const counts = none();
  const run = async (title, program, args, more) => {
    const { ok, text } = await teeWhole(program, args, title, { env, ...more });
    add(counts, withExit(cargoCounts(text), ok));
  };
  const list = jobs(availableParallelism(), isFree);
  const rank = (name) => (LONG.includes(name) ? LONG.indexOf(name) : LONG.length);
  try {
    await compileTests(native, env, isFree !== undefined, ({ name, file, folder }) => {
      list.push(() => run(name, file, [], { cwd: folder, yields: true }), rank(name));
    });
    list.push(() => run("examples of the documentation", native.cargo, ["test", "--doc", ...CHOSEN]), 0);
  } finally {
    await list.end();
  }
  return counts;
}
