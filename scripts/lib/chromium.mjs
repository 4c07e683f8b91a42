// Chromium as tests and soaks use it.

import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { ensureBrowser } from "../setup.mjs";

const ARGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // WebGPU without a GPU: the software adapter.
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
];

/** Starts a Chromium that has WebGPU; gives Playwright's Browser. `more`: further arguments of its command line. */
export const launchChromium = (more = []) =>
  chromium.launch({
    executablePath: ensureBrowser("chromium"),
    args: [...ARGS, ...more],
    // Its own --headless would be the old mode, which has no WebGPU.
    ignoreDefaultArgs: ["--headless"],
    headless: true,
  });

/**
 * Memory in KiB that each process of the types ("renderer", "GPU") has for itself; none where the system does not tell (Linux does).
 * `session`: a CDP session of the browser's.
 */
export async function privateMemory(session, types) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = [];
  for (const { id } of processInfo.filter(({ type }) => types.includes(type))) {
    const text = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
    const kilobytes = [...text.matchAll(/^Private_\w+: +(\d+) kB/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
    if (kilobytes) sizes.push(kilobytes);
  }
  return sizes;
}
