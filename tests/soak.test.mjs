// Loads and disposals free their memory: the short form of `npm run soak`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { slope, soak } from "../scripts/soak/index.mjs";

test("a slope is that of the later samples, with its error", () => {
  const line = Array.from({ length: 40 }, (_, n) => (n < 10 ? 500 : 7 * n));
  const { by, error } = slope(line);
  assert.ok(Math.abs(by - 7) < 1e-9 && error < 1e-9, `${by} ± ${error}`);
  const noisy = slope(line.map((value, n) => value + (n % 2 ? 30 : -30)));
  assert.ok(Math.abs(noisy.by - 7) < 2 * noisy.error && noisy.error > 0.1, `${noisy.by} ± ${noisy.error}`);
});

test("what is loaded and disposed of leaves nothing behind", { timeout: 600_000 }, async () => {
  assert.deepEqual(
    await soak(20, ["control", "worker", "worker, 2 threads", "this thread", "this thread, 2 threads", "aborts"]),
    [],
  );
});

test("a server with each of its faults, a GPU that is lost, two tabs: the right answer or an error by name, and nothing left behind", {
  timeout: 600_000,
}, async () => {
  assert.deepEqual(await soak(11, ["a bad server", "GPUs lost", "two tabs"]), []);
});
