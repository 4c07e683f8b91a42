// Runs tests/*.test.mjs, several files at a time, each in a process of its own.

import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { add, nodeCounts, none, withExit } from "./lib/counts.mjs";
import { Failure, root, teeWhole } from "./lib/run.mjs";
import { ensurePrograms, ensureVulkan } from "./setup.mjs";

/** The imports of tests that use a browser all the time. The tests of tests/everywhere mostly install, bundle and run Node. */
const BROWSERS = /from "(\.\/(browser|undriven)\.mjs|playwright-core)"/;

/** The files that take longest, the longest first. A long file that begins last would be waited for alone. */
const LONG = [
  "webgpu",
  "page-measured",
  "soak",
  "everywhere",
  "page-gpu",
  "gpu-kernels",
  "page",
  "train-gpu",
  "judge-page",
  "pipelines",
  "find-page",
  "first-load",
  "measure",
  "blocks",
  "cli-files",
  "keyboard-page",
  "teach-page",
  "adapters-of-others",
];

/** Files whose browsers compute on a software GPU most of the time. Their time limits are generous, so they run as files without a browser do. */
const ON_GPU = ["gpu-kernels", "webgpu", "train-gpu", "page-gpu", "measure"];

/** Returns the names of all test files, LONG first, and whether each uses a browser all the time. */
function testFiles() {
  const names = readdirSync(join(root, "tests"))
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => name.slice(0, -".test.mjs".length))
    .sort();
  if (names.length === 0) throw new Failure("there is no tests/*.test.mjs");
  const missing = [...LONG, ...ON_GPU].find((name) => !names.includes(name));
  if (missing !== undefined) throw new Failure(`scripts/test-js.mjs: there is no tests/${missing}.test.mjs`);
  return [...LONG, ...names.filter((name) => !LONG.includes(name))].map((name) => {
    const file = `tests/${name}.test.mjs`;
    const usesBrowser = !ON_GPU.includes(name) && BROWSERS.test(readFileSync(join(root, file), "utf8"));
    return { file, usesBrowser };
  });
}

/**
 * Calls `run(file, yields)` for each of `files`, `{ file, usesBrowser }`. Beside one file with a browser run as many other files as there are
 * `cores`. These yield to it, because its tests have time limits, and use what it leaves: browsers often wait. When all other files have
 * begun, the files with browsers that are left run one per core.
 */
export async function inTurns(files, cores, run) {
  const browsers = files.filter(({ usesBrowser }) => usesBrowser);
  const others = files.filter(({ usesBrowser }) => !usesBrowser);
  /** The number of browsers. */
  let open = 0;
  const lane = async (isForBrowsers) => {
    const next = () => {
      if (isForBrowsers) return browsers.shift() ?? others.shift();
      return others.shift() ?? (open < cores ? browsers.shift() : undefined);
    };
    for (let found = next(); found; found = next()) {
      const { file, usesBrowser } = found;
      if (usesBrowser) open++;
      await run(file, !usesBrowser);
      if (usesBrowser) open--;
    }
  };
  await Promise.all([lane(true), ...Array.from({ length: cores }, () => lane(false))]);
}

/** Runs all test files and returns `{ passed, failed, skipped }`. Prints at the end which files took longest. */
export async function testJs() {
  ensureVulkan();
  const env = { ...ensurePrograms(), FORCE_COLOR: "0" };
  const counts = none();
  const times = [];
  await inTurns(testFiles(), availableParallelism(), async (file, yields) => {
    const start = performance.now();
    const args = ["--test", "--test-reporter=spec", file];
    const { ok, text } = await teeWhole(process.execPath, args, `── ${file}`, { env, yields });
    add(counts, withExit(nodeCounts(text), ok));
    times.push([(performance.now() - start) / 1000, file]);
  });
  times.sort(([a], [b]) => b - a);
  const slowest = times.slice(0, 12).map(([seconds, file]) => `${seconds.toFixed(1).padStart(6)} s  ${file}`);
  console.log(`\nthe slowest files\n${slowest.join("\n")}`);
  return counts;
}
