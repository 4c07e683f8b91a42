// The soak modes in Chromium: lost GPUs, and two tabs over one cache.

import { launchChromium, privateMemory } from "../../scripts/lib/chromium.mjs";
import { serve } from "../../scripts/serve.mjs";

const TEXT = "Paris is the [MASK] of France.";

/** A page of the project's server that contains only the definitions of `body`, a function that runs in the page. */
async function blank(profile, url, body) {
  const page = await profile.newPage();
  await page.goto(`${url}icon.svg`); // a document without a script
  await page.evaluate(body, TEXT);
  return page;
}

/** By name, functions that prepare a mode in a fresh profile. Each returns the function of a round. */
export const BROWSER_MODES = {
  "GPUs lost": async (profile, url) => {
    const page = await blank(profile, url, async (text) => {
      const { requestDevice } = GPUAdapter.prototype;
      let device;
      GPUAdapter.prototype.requestDevice = async function (...args) {
        device = await requestDevice.apply(this, args);
        return device;
      };
      const { pipeline } = await import("/dist/index.js");
      const fill = await pipeline("fill-mask", undefined, { device: "webgpu", worker: false });
      const answer = async () => JSON.stringify(await fill(text));
      const truth = await answer();
      globalThis.round = async () => {
        device.destroy();
        await device.lost;
        let found;
        try {
          found = await answer();
        } catch (error) {
          if (error.code !== "device_lost") throw error;
          found = await answer(); // the current call ends, the next one is answered
        }
        if (found !== truth) throw new Error(`${found} is not ${truth}`);
        globalThis.gc();
      };
    });
    return () => page.evaluate(() => globalThis.round());
  },
  "two tabs": async (profile, url) => {
    const tab = () =>
      blank(profile, url, async (text) => {
        const { pipeline } = await import("/dist/index.js");
        globalThis.round = async () => {
          const fill = await pipeline("fill-mask", undefined, { device: "wasm", threads: 1 });
          const [{ token_str }] = await fill(text);
          await fill.dispose();
          if (token_str !== "capital") throw new Error(token_str);
          globalThis.gc();
        };
      });
    const tabs = await Promise.all([tab(), tab()]);
    return () => Promise.all(tabs.map((page) => page.evaluate(() => globalThis.round())));
  },
};

/** Memory in KiB after each of `rounds` rounds of a mode, in a browser of its own, whose WebGPU `driver` computes. */
export async function measureInBrowser(mode, rounds, driver) {
  const server = await serve({});
  const browser = await launchChromium(["--js-flags=--expose-gc"], driver);
  try {
    const profile = await browser.newContext({ serviceWorkers: "block" });
    const round = await BROWSER_MODES[mode](profile, server.url);
    const session = await browser.newBrowserCDPSession();
    const samples = [];
    for (let n = 0; n < rounds; n += 1) {
      await round();
      const sizes = await privateMemory(session, ["renderer", "GPU"]);
      samples.push(sizes.reduce((sum, size) => sum + size, 0));
    }
    return { samples };
  } finally {
    await browser.close();
    await server.close();
  }
}
