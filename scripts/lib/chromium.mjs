// Chromium for tests and soaks.

import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { ensureBrowser } from "../setup.mjs";
import { chromiumOnLavapipe, lavapipeEnv } from "./lavapipe.mjs";
import { Failure } from "./run.mjs";

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

/** What starts the Chromium whose software GPU has `driver`. Without lavapipe it is SwiftShader, which computes the same and takes longer. */
function programWith(driver) {
  const own = ensureBrowser("chromium");
  if (driver === "swiftshader") return { executablePath: own };
  try {
    return { executablePath: chromiumOnLavapipe(own), env: lavapipeEnv() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.warn(`SwiftShader computes instead of lavapipe: ${error.message}`);
    return { executablePath: own };
  }
}

/**
 * Starts a Chromium with WebGPU and returns Playwright's Browser. `more`: further command-line arguments. `driver`: "swiftshader", Chromium's
 * own, or "lavapipe", Mesa's.
 */
export const launchChromium = (more = [], driver = "swiftshader") =>
  chromium.launch({
    ...programWith(driver),
    args: [...ARGS, ...more],
    // Playwright's own --headless is the old mode, without WebGPU.
    ignoreDefaultArgs: ["--headless"],
    headless: true,
  });

/**
 * Private memory in KiB of each process of the types (e.g. "renderer", "GPU"); empty if the system does not report it (Linux does).
 * `session`: a CDP session of the browser. `written`: counts only what the process has written. The browser's own code, up to 35 MB, is
 * private to a process while no other one runs it.
 */
export async function privateMemory(session, types, { written = false } = {}) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = [];
  for (const { id } of processInfo.filter(({ type }) => types.includes(type))) {
    const text = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
    const kilobytes = [...text.matchAll(written ? /^Private_Dirty: +(\d+) kB/gm : /^Private_\w+: +(\d+) kB/gm)].reduce(
      (sum, [, size]) => sum + Number(size),
      0,
    );
    if (kilobytes) sizes.push(kilobytes);
  }
  return sizes;
}
