// `npm run soak -- ROUNDS [MODE ...]`: loads, calls and disposes of models again and again, aborts, loses GPUs, and uses servers that drop,
// stall, redirect and lie. A control loads once. Each mode has a process or a browser of its own, whose memory is measured after
// every round.
//
// It prints the slope of the memory that stays, by least squares, with its standard error: what a round leaves behind.

import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { Failure, isMain, main, root } from "../../scripts/lib/run.mjs";
import { BROWSER_MODES, measureInBrowser } from "./browser.mjs";
import { MODES } from "./node.mjs";

/** KiB by which a process may settle over any number of rounds: caches fill, and garbage is collected late. */
const SETTLING = 40 * 1024;

/** KiB that a round may leave behind. An engine that is not freed takes 46 MiB, a model over a shared one 1 MiB. */
const PER_ROUND = 64;

/**
 * The same for aborted loads. Memory of WebAssembly never shrinks: an aborted load that ends after the next one has begun leaves room for a
 * second engine of 25 MiB, once per process. The limit of 40 rounds allows one; a leak of an engine per abort is seven times as much.
 */
const ABORTS = { settling: 128 * 1024, perRound: 64 };

/** The same for a browser, whose processes settle by more. */
const BROWSER = { settling: 200 * 1024, perRound: 256 };

/** The slope per sample of the later three quarters of the samples, and its standard error. */
export function slope(samples) {
  const values = samples.slice(Math.floor(samples.length / 4));
  const count = values.length;
  const middle = (count - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const spread = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  const by = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0) / spread;
  const residual = values.reduce((sum, value, n) => sum + (value - mean - by * (n - middle)) ** 2, 0);
  return { by, error: Math.sqrt(residual / Math.max(1, count - 2) / spread) };
}

/**
 * The memory that stays: of each sample the least that it or a later one shows. What a round leaves behind is in all later samples; a
 * Worker that ends a moment late, or garbage that waits for its collection, is not.
 */
export function retained(samples) {
  let least = Number.POSITIVE_INFINITY;
  return samples
    .toReversed()
    .map((sample) => {
      least = Math.min(least, sample);
      return least;
    })
    .toReversed();
}

/**
 * Rounds after the judged ones. An aborted load keeps its memory for some rounds, up to 46 MiB: only samples that are followed
 * by this many others show what stays.
 */
const LATER = 15;

/** The allocator of the process: one arena, and memory goes back to the system as soon as it is free, so that none of it looks lost. */
const ALLOCATOR = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "65536", MALLOC_TRIM_THRESHOLD_: "65536" };

/** The samples of a mode in KiB, and its counts. */
async function measure(mode, rounds, driver) {
  if (mode in BROWSER_MODES) return measureInBrowser(mode, rounds, driver);
  const args = ["--expose-gc", "tests/soak/node.mjs", String(rounds + LATER), mode];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    maxBuffer: 1 << 26,
    env: { ...process.env, ...ALLOCATOR },
  });
  return JSON.parse(stdout);
}

/**
 * Runs the modes one after another and prints a line for each. Returns the modes that grow more than allowed, with their KiB per round.
 * `driver` computes WebGPU in a browser, as in `launchChromium`.
 */
export async function soak(rounds, modes, driver) {
  const grown = [];
  for (const mode of modes) {
    const { samples, outcomes } = await measure(mode, rounds, driver);
    const { by, error } = slope(retained(samples).slice(0, rounds));
    const mib = (kib) => `${(kib / 1024).toFixed(0)} MiB`;
    console.log(
      `${mode.padEnd(24)} ${rounds} rounds: ${by.toFixed(1)} ± ${error.toFixed(1)} KiB a round, ${mib(samples[0])} to ${mib(samples.at(-1))}`,
    );
    for (const [outcome, times] of Object.entries(outcomes ?? {})) console.log(`  ${outcome}: ${times}`);
    const usual = mode in BROWSER_MODES ? BROWSER : { settling: SETTLING, perRound: PER_ROUND };
    const { settling, perRound } = mode === "aborts" ? ABORTS : usual;
    const limit = perRound + settling / rounds;
    if (by - 2 * error > limit) grown.push(`${mode}: more than ${limit.toFixed(0)} KiB a round`);
  }
  return grown;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [rounds = "200", ...modes] = process.argv.slice(2);
    if (!/^[1-9]\d+$/.test(rounds)) throw new Failure(`${rounds} is no number of rounds, 10 at least`);
    const there = [...Object.keys(MODES), ...Object.keys(BROWSER_MODES)];
    const unknown = modes.find((mode) => !there.includes(mode));
    if (unknown !== undefined) throw new Failure(`no mode "${unknown}"; there are ${there.join("; ")}`);
    console.log(`${availableParallelism()} processors, Node ${process.version}`);
    const grown = await soak(Number(rounds), modes.length > 0 ? modes : there);
    if (grown.length > 0) throw new Failure(grown.join("\n"));
  });
}
