// `npm run soak -- ROUNDS`: loads and disposes of a model again and again, in four modes, beside aborted loads and calls and
// a control that loads once. Each runs in a process of its own, whose memory is measured after every round.
//
// Printed is the slope of the resident memory by least squares, with its standard error: what a round leaves behind.

import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { Failure, isMain, main, root } from "./lib/run.mjs";

const TEXT = "Paris is the [MASK] of France.";

/** Calls of a control's round: they take about as long as a load. */
const CALLS = 10;

/** What a process settles to over any number of rounds, in KiB: caches fill, and the collector takes its time. */
const SETTLING = 40 * 1024;

/** What a round may leave behind all the same, in KiB. An engine that stays takes 46 MiB, a model over a shared one 1 MiB. */
const PER_ROUND = 64;

const load = (options) => async () => {
  const { pipeline } = await import("../dist/node.js");
  return async () => {
    const fill = await pipeline("fill-mask", undefined, { device: "wasm", ...options });
    await fill(TEXT);
    await fill.dispose();
  };
};

/** By name what prepares a mode; it gives what a round does. */
export const MODES = {
  control: async () => {
    const { pipeline } = await import("../dist/node.js");
    const fill = await pipeline("fill-mask", undefined, { device: "wasm", threads: 1 });
    return async () => {
      for (let call = 0; call < CALLS; call += 1) await fill(TEXT);
    };
  },
  worker: load({ worker: true, threads: 1 }),
  "worker, 2 threads": load({ worker: true, threads: 2 }),
  "this thread": load({ worker: false, threads: 1 }),
  "this thread, 2 threads": load({ worker: false, threads: 2 }),
  aborts: async () => {
    const { pipeline } = await import("../dist/node.js");
    let round = 0;
    return async () => {
      const stop = new AbortController();
      // from the first millisecond of a load to the middle of a call
      setTimeout(() => stop.abort(), (round++ * 37) % 400);
      const { signal } = stop;
      const options = { device: "wasm", threads: 1, worker: round % 2 === 0, signal };
      let fill;
      try {
        fill = await pipeline("fill-mask", undefined, options);
        await fill(Array(200).fill(TEXT), { signal });
      } catch (error) {
        if (error.code !== "aborted") throw error;
      }
      await fill?.dispose();
    };
  },
};

/** Resident memory in KiB after each of `rounds` rounds of a mode. */
async function measure(mode, rounds) {
  const round = await MODES[mode]();
  const samples = [];
  for (let n = 0; n < rounds; n += 1) {
    await round();
    // what ended a moment ago is collected a moment later
    await new Promise((done) => setTimeout(done, 5));
    globalThis.gc();
    samples.push(Math.round(process.memoryUsage().rss / 1024));
  }
  return samples;
}

/** Slope of the later three quarters of the samples, a sample, and its standard error. */
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

/** Runs the modes one after another; a line for each, and those that grow more than they may. */
export async function soak(rounds, modes = Object.keys(MODES)) {
  const limit = PER_ROUND + SETTLING / rounds;
  const grown = [];
  for (const mode of modes) {
    const args = ["--expose-gc", "scripts/soak.mjs", String(rounds), mode];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 1 << 26 });
    const samples = JSON.parse(stdout);
    const { by, error } = slope(samples);
    const mib = (kib) => `${(kib / 1024).toFixed(0)} MiB`;
    console.log(
      `${mode.padEnd(24)} ${rounds} rounds: ${by.toFixed(1)} ± ${error.toFixed(1)} KiB a round, ${mib(samples[0])} to ${mib(samples.at(-1))}`,
    );
    if (by - 2 * error > limit) grown.push(mode);
  }
  return { grown, limit };
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [rounds = "200", mode] = process.argv.slice(2);
    if (!/^[1-9]\d+$/.test(rounds)) throw new Failure(`${rounds} is no number of rounds, 10 at least`);
    if (mode !== undefined) {
      if (!(mode in MODES)) throw new Failure(`no mode ${mode}; there are ${Object.keys(MODES).join(", ")}`);
      console.log(JSON.stringify(await measure(mode, Number(rounds))));
      process.exit(); // threads that wait for work would keep the process
    }
    console.log(`${availableParallelism()} processors, Node ${process.version}`);
    const { grown, limit } = await soak(Number(rounds));
    if (grown.length > 0) throw new Failure(`more than ${limit.toFixed(0)} KiB a round: ${grown.join("; ")}`);
  });
}
