// Two results compared.

import assert from "node:assert/strict";

/** Equal, except that numbers may differ by 1e-4: browsers and Node may use different SIMD, and a GPU adds in another order. */
export function alike(got, want, where) {
  if (typeof want === "number") return assert.ok(Math.abs(got - want) < 1e-4, `${where}: ${got}, expected ${want}`);
  if (typeof want !== "object" || want === null) return assert.equal(got, want, where);
  assert.deepEqual(Object.keys(got), Object.keys(want), where);
  for (const key of Object.keys(want)) alike(got[key], want[key], `${where}.${key}`);
}
