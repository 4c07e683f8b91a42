// The soak modes in Node. `node --expose-gc tests/soak/node.mjs ROUNDS MODE` runs one mode in this process and prints its memory.

import { isMain } from "../../scripts/lib/run.mjs";
import { badServer } from "./bad-server.mjs";

const TEXT = "Paris is the [MASK] of France.";

/** Calls per round of the control; they take about as long as a load. */
const CALLS = 10;

const load = (options) => async () => {
  const { pipeline } = await import("../../dist/node.js");
  return async () => {
    const fill = await pipeline("fill-mask", undefined, { device: "wasm", ...options });
    await fill(TEXT);
    await fill.dispose();
  };
};

/** By name, functions that prepare a mode. Each returns the function of a round. */
export const MODES = {
  control: async () => {
    const { pipeline } = await import("../../dist/node.js");
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
    const { pipeline } = await import("../../dist/node.js");
    // A first round of each kind to the end, so that no later one is the first to compile and to fill caches.
    for (const worker of [true, false]) await (await load({ worker, threads: 1 })())();
    let round = 0;
    let latest = 0;
    const soakOne = async () => {
      const stop = new AbortController();
      let stoppedAt;
      // from the first millisecond of a load to the middle of a call
      const timer = setTimeout(
        () => {
          stoppedAt = performance.now();
          stop.abort();
        },
        (round++ * 37) % 400,
      );
      const { signal } = stop;
      const options = { device: "wasm", threads: 1, worker: round % 2 === 0, signal };
      let fill;
      try {
        fill = await pipeline("fill-mask", undefined, options);
        await fill(Array(200).fill(TEXT), { signal });
      } catch (error) {
        if (error.code !== "aborted") throw error;
        latest = Math.max(latest, performance.now() - stoppedAt);
      }
      clearTimeout(timer);
      await fill?.dispose();
    };
    soakOne.end = () => ({ "milliseconds from an abort to the rejection, at most": Math.ceil(latest) });
    return soakOne;
  },
  "a bad server": async () => {
    const { env, pipeline } = await import("../../dist/node.js");
    Object.assign(env, { useFSCache: false, useBrowserCache: false });
    const folder = new URL("../../models/minilm-topic/", import.meta.url);
    const { url, close, next } = await badServer(new URL("../", folder));
    const text = "The team won the final by three goals.";
    const load = (options) => pipeline("text-classification", `${url}minilm-topic/`, { threads: 1, ...options });
    const truth = await (async () => {
      const classify = await load();
      const [{ label }] = await classify(text);
      await classify.dispose();
      return label;
    })();
    const outcomes = {};
    let round = 0;
    const soakOne = async () => {
      const fault = next(round++);
      let outcome;
      try {
        const classify = await load({ signal: AbortSignal.timeout(4000) });
        const [{ label }] = await classify(text);
        await classify.dispose();
        if (label !== truth) throw new Error(`${fault}: ${label} is not ${truth}`);
        outcome = "answered";
      } catch (error) {
        if (error.name !== "WebertError") throw error;
        outcome = error.code;
      }
      const name = `${fault}: ${outcome}`;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
    };
    soakOne.end = () => {
      close();
      return outcomes;
    };
    return soakOne;
  },
};

/** Resident memory in KiB after each of `rounds` rounds of a mode, and its counts. */
async function measure(mode, rounds) {
  const round = await MODES[mode]();
  const samples = [];
  for (let n = 0; n < rounds; n += 1) {
    await round();
    // recently freed memory is collected a moment later
    await new Promise((done) => setTimeout(done, 5));
    globalThis.gc();
    samples.push(Math.round(process.memoryUsage().rss / 1024));
  }
  return { samples, outcomes: round.end?.() };
}

if (isMain(import.meta.url)) {
  const [rounds, mode] = process.argv.slice(2);
  console.log(JSON.stringify(await measure(mode, Number(rounds))));
  process.exit(); // idle threads would keep the process alive
}
