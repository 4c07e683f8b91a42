// How many tests passed and failed, read from what the runners print.

/** The sum of cargo's lines "test result: ok. 3 passed; 0 failed; …", which wasm-bindgen-test prints too. */
export function cargoCounts(text) {
  const counts = { passed: 0, failed: 0 };
  for (const [, passed, failed] of text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
  }
  return counts;
}

/** node:test's closing lines "ℹ pass 3" and so on. A skipped test is a failed one: nothing proved it. */
export function nodeCounts(text) {
  const count = (name) => Number(new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail") + count("cancelled") + count("skipped") + count("todo") };
}
