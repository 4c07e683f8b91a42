// Takes docs/page.png, the picture of the page that shared links and README.md show: `node www/tools/picture.mjs` after a build. Tests'
// Chromium takes it.

import "../../scripts/lib/node-version.mjs";
import { join } from "node:path";
import { main, root } from "../../scripts/lib/run.mjs";
import { serve } from "../../scripts/serve.mjs";
import { ensureBrowser } from "../../scripts/setup.mjs";

await main(async () => {
  const { chromium } = await import("playwright-core");
  const server = await serve();
  const browser = await chromium.launch({ executablePath: ensureBrowser("chromium"), args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, serviceWorkers: "block" });
  await page.goto(server.url);
  await page.locator(".took", { hasText: /^Answered in/ }).waitFor();
  await page.waitForTimeout(1500); // until nothing moves
  await page.screenshot({ path: join(root, "docs/page.png") });
  await browser.close();
  await server.close();
});
