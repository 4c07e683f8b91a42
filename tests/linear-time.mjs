// Tests that `redact` needs time in proportion to the length of a text.
import assert from "node:assert/strict";
import { redact } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

/** Milliseconds of processor time so far. A shared machine interrupts the process, and a test must not fail for that. */
export const processorTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Checks that `redact` without a model and each step of its detectors take linear time for `before` and repetitions of each piece.
 * In quadratic time four times the text takes 16 times as long in every try; a try in linear time takes more than 8 times as long
 * only by accident. Returns the milliseconds of the longest step in 12,000 characters.
 */
export async function takesLinearTime(pieces, before = "") {
  const { DETECTORS } = await importTypeScript("src/js/redaction/detectors/detectors.ts");
  const steps = Object.values(DETECTORS).flatMap(({ find, steps = find ? [find] : [] }) => steps);
  assert.ok(steps.length > 100, String(steps.length));
  const times = [];
  for (const piece of pieces) {
    const of = (length) => `${before}${piece.repeat(length / piece.length)}@`;
    times.push(...(await linearTimes(steps, of)));
    await linearTimes([(text) => redact(text, { model: false })], of);
  }
  return Math.max(...times);
}

/** Milliseconds of each function for 12,000 characters, once these are linear. */
async function linearTimes(functions, of) {
  const best = [3_000, 12_000].map(() => functions.map(() => Infinity));
  const slow = () => functions.map((_, n) => n).filter((n) => best[1][n] + 0.2 > 8 * (best[0][n] + 0.2));
  for (const run of functions) await run(of(1_000)); // compiles its expressions
  for (let tries = 0; tries < 1 || (tries < 30 && slow().length); tries++)
    for (const [at, length] of [3_000, 12_000].entries())
      for (const [n, run] of functions.entries()) {
        const begun = processorTime();
        await run(of(length));
        best[at][n] = Math.min(best[at][n], processorTime() - begun);
      }
  const quadratic = slow().map((n) => `${functions[n]}: ${best[0][n]} ms, ${best[1][n]} ms of four times the text`);
  assert.deepEqual(quadratic, [], of(40));
  return best[1];
}
