// Reads the numbers of passed, failed and skipped tests from the runners' output.

/** No tests yet. */
export const none = () => ({ passed: 0, failed: 0, skipped: 0 });

/** Adds `counts` to `total`. */
export function add(total, counts) {
  for (const key of Object.keys(total)) total[key] += counts[key];
}

/** The sum of the lines "test result: ok. 3 passed; 0 failed; 0 ignored; …" of cargo and of wasm-bindgen-test. */
export function cargoCounts(text) {
  const total = none();
  for (const line of text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/gm)) {
    const [passed, failed, skipped] = line.slice(1).map(Number);
    add(total, { passed, failed, skipped });
  }
  return total;
}

/** Reads node:test's closing lines, "ℹ pass 3" and so on. */
export function nodeCounts(text) {
  const count = (name) => Number(new RegExp(`^ℹ ${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  return {
    passed: count("pass"),
    failed: count("fail") + count("cancelled"),
    skipped: count("skipped") + count("todo"),
  };
}

/** A runner's counts, corrected by its exit code: a runner that died without naming a failed test counts as one failure. */
export const withExit = (counts, ok) => (ok || counts.failed > 0 ? counts : { ...counts, failed: 1 });

/** "3 passed, 0 failed", and the number of skipped tests if any. */
export const summary = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
