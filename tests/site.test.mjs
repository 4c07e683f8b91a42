// The site on a static host: in a subfolder, without headers. Its links have targets, and the page answers there, with
// threads from the second visit on.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { after, test } from "node:test";
import { root } from "../scripts/lib/run.mjs";
import { linkOnSite, makeSite } from "../scripts/site.mjs";
import { violations } from "./axe.mjs";
import { withPage } from "./browser.mjs";

const folder = `target/site-test-${process.pid}`;
await makeSite(folder, { url: "https://example.org/demo/", withReference: false });
after(() => rm(join(root, folder), { recursive: true, force: true }));

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A host that serves only files, under /demo/. */
async function hosted(body) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    const file = path.startsWith("/demo/") && join(root, folder, path.slice(6), path.endsWith("/") ? "index.html" : "");
    const content = file && (await readFile(file).catch(() => undefined));
    response.writeHead(content ? 200 : 404, {
      "Content-Type": types[extname(file || "")] ?? "application/octet-stream",
    });
    response.end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await body(`http://127.0.0.1:${server.address().port}/demo/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("every link of the guides, except to the reference, leads to a file of the site and a heading in it", async () => {
  const guides = join(root, folder, "guides");
  let links = 0;
  for (const name of (await readdir(guides)).filter((name) => name.endsWith(".html"))) {
    const text = await readFile(join(guides, name), "utf8");
    for (const [, target] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^https?:|^\.\.\/api\//.test(target)) continue;
      const [path, hash] = target.split("#");
      const file = path === "" ? join(guides, name) : join(dirname(join(guides, name)), path);
      assert.ok(existsSync(file), `${name}: ${target}`);
      if (hash) assert.match(await readFile(file, "utf8"), new RegExp(`id="${hash}"`), `${name}: ${target}`);
      links++;
    }
  }
  assert.ok(links > 100);
  assert.equal(linkOnSite("docs/training.md#rows", "README.md"), "training.html#rows");
  assert.equal(linkOnSite("performance.md", "docs/quantization.md"), "performance.html");
  assert.equal(linkOnSite("models/minilm-mlm/README.md", "README.md"), undefined);
});

test("every guide of docs/ has a page on the site", async () => {
  const sources = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  assert.ok(sources.length > 5);
  for (const name of sources) {
    const page = linkOnSite(name, "docs/any.md");
    assert.ok(page && existsSync(join(root, folder, "guides", page)), `docs/${name}`);
  }
});

test("the navigation lists each guide once", async () => {
  const text = await readFile(join(root, folder, "guides/index.html"), "utf8");
  const [nav] = /<nav aria-label="Guides">.*?<\/nav>/s.exec(text);
  const targets = [...nav.matchAll(/href="([^"]+)"/g)].map(([, target]) => target);
  assert.ok(targets.length > 10);
  assert.deepEqual(targets, [...new Set(targets)]);
});

test("no row of a table in docs/ appears twice", async () => {
  const sources = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  for (const name of sources) {
    const rows = (await readFile(join(root, "docs", name), "utf8")).match(/^\|.*[^|\s-].*\|$/gm) ?? [];
    const long = rows.filter((row) => row.length > 80);
    assert.deepEqual(
      long.filter((row, i) => long.indexOf(row) !== i),
      [],
      `docs/${name}`,
    );
  }
});

test("shared links show a picture by its full address, and the site has no file that no page fetches", async () => {
  const text = await readFile(join(root, folder, "index.html"), "utf8");
  assert.match(text, /og:image" content="https:\/\/example\.org\/demo\/share\.png"/);
  assert.match(text, /og:url" content="https:\/\/example\.org\/demo\/"/);
  const files = await readdir(join(root, folder), { recursive: true });
  assert.ok(files.includes("share.png"));
  assert.deepEqual(
    files.filter((name) => /\.d\.ts$|dist\/(node|cli|((chunk|part)-)?(inline|slim)\w*)\.js(\.map)?$/.test(name)),
    [],
  );
  const scripts = files.filter((name) => /dist\/(index|chunk|part|worker|train-worker).*\.js$/.test(name));
  assert.ok(scripts.length > 10);
  assert.deepEqual(
    scripts.filter((name) => !files.includes(`${name}.map`)),
    [],
    "scripts whose map is missing, which they name",
  );
});

test("answers in a folder on a host without headers, with threads from the second visit on; guides are accessible", async () => {
  await hosted(async (url) => {
    await withPage({ path: url, context: { serviceWorkers: "allow" }, allowErrors: true }, async (page) => {
      const answered = () => page.locator(".took", { hasText: /^Answered in/ }).waitFor({ timeout: 60_000 });
      await answered();
      assert.equal(await page.evaluate(() => crossOriginIsolated), false);
      await page.reload();
      await answered();
      assert.equal(await page.evaluate(() => crossOriginIsolated), true);
      await page.getByRole("link", { name: "Use it in your own page" }).click();
      await page.getByRole("heading", { name: "webert", level: 1 }).waitFor();
      assert.deepEqual(await violations(page), []);
      await page.getByRole("navigation", { name: "Guides" }).getByRole("link", { name: "Training" }).click();
      await page.getByRole("heading", { name: "Training", level: 1 }).waitFor();
    });
  });
});
