// Loads and disposals free their memory: the short form of `npm run soak`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { retained, slope, soak } from "./soak/index.mjs";

test("computes the slope of the later samples with its error", () => {
  const line = Array.from({ length: 40 }, (_, n) => (n < 10 ? 500 : 7 * n));
  const { by, error } = slope(line);
  assert.ok(Math.abs(by - 7) < 1e-9 && error < 1e-9, `${by} ± ${error}`);
  const noisy = slope(line.map((value, n) => value + (n % 2 ? 30 : -30)));
  assert.ok(Math.abs(noisy.by - 7) < 2 * noisy.error && noisy.error > 0.1, `${noisy.by} ± ${noisy.error}`);
});

test("counts as retained what all later samples hold", () => {
  assert.deepEqual(retained([5, 90, 6, 7, 40, 8]), [5, 6, 6, 7, 8, 8]);
});

test("loads and disposals leave no memory behind", { timeout: 600_000 }, async () => {
  const modes = ["control", "worker", "worker, 2 threads", "this thread", "this thread, 2 threads"];
  assert.deepEqual(await soak(20, modes), []);
  assert.deepEqual(await soak(40, ["aborts"]), []);
});

test("faulty servers, lost GPUs and two tabs cause the right answer or a named error, and no leak", {
  timeout: 600_000,
}, async () => {
  assert.deepEqual(await soak(11, ["a bad server", "two tabs"]), []);
  // SwiftShader, on which the long form runs, compiles all shaders again in each round. Lavapipe keeps 1.6 MiB of each lost device in the GPU's
  // process; a round may leave 19 MiB here.
  assert.deepEqual(await soak(11, ["GPUs lost"], "lavapipe"), []);
});
