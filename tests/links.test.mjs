// Each link in the packed documents leads to a file of the package.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

test("relative links of packed documents resolve in the package", () => {
  const [{ files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const paths = files.map(({ path }) => path);
  const documents = paths.filter((path) => path.endsWith(".md"));
  assert.ok(documents.includes("README.md") && documents.length > 3);
  for (const document of documents) {
    for (const [, link] of readFileSync(`${root}${document}`, "utf8").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|#)/.test(link)) continue;
      const target = posix.join(posix.dirname(document), link.split("#")[0]);
      assert.ok(
        paths.some((path) => path === target || path.startsWith(`${target}/`)),
        `${document} links to ${link}, which is not in the package`,
      );
    }
  }
});
