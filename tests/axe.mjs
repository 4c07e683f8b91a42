// Runs axe-core over a page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The violations in a part of the page, one line each; empty if axe finds none. */
export async function violations(page, part = "html") {
  // evaluated by the debugger: the page's policy permits no script of another origin
  await page.evaluate(await source);
  return page.evaluate(async (part) => {
    const { violations } = await globalThis.axe.run(part, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    );
  }, part);
}
