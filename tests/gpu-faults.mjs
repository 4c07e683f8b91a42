// A browser's GPU that reports less than it has, or is lost: scripts that a page and its Workers run before all other code.

/** Runs `script` in a page before all other code, and in every Worker that the page starts. */
export const everywhere = (page, script) =>
  page.addInitScript(
    `(${(script) => {
      script();
      const Own = Worker;
      globalThis.Worker = function (url, options) {
        const address = JSON.stringify(new URL(url, location.href).href);
        const text = `const early = []; onmessage = (event) => early.push(event);
      (${script})(); await import(${address}); for (const event of early) onmessage(event);`;
        return new Own(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), options);
      };
    }})(${script})`,
  );

/**
 * The adapter hides from the code that chooses a device that it is a software adapter. The wasm side, which requests a device first, still
 * learns it. Kernels for real GPUs take a software adapter many seconds.
 */
export function hideSoftwareAdapter() {
  const { requestDevice } = GPUAdapter.prototype;
  const asked = new WeakSet();
  GPUAdapter.prototype.requestDevice = function (...args) {
    asked.add(this);
    return requestDevice.apply(this, args);
  };
  const info = { vendor: "acme", architecture: "test-gpu", device: "", description: "", isFallbackAdapter: false };
  const { get } = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "info");
  Object.defineProperty(GPUAdapter.prototype, "info", {
    get() {
      return asked.has(this) ? get.call(this) : info;
    },
  });
}

/**
 * The adapter claims to be hardware, to all code. Time limits over 9 s are multiplied by ten, because a software adapter is many times slower.
 */
export function claimHardware() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, delay, ...rest) => setTimeout(work, delay > 9000 ? 10 * delay : delay, ...rest);
  Object.defineProperty(GPUAdapterInfo.prototype, "isFallbackAdapter", { get: () => false });
  Object.defineProperty(GPUAdapter.prototype, "isFallbackAdapter", { get: () => false });
}

/** Devices are lost on command: "now", or "later", with the next commands. The page or Worker with such a device replies. */
export function makeDevicesLosable() {
  const { requestDevice } = GPUAdapter.prototype;
  const { submit } = GPUQueue.prototype;
  const channel = new BroadcastChannel("lose-device");
  let device, losesNext;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    return (device = await requestDevice.apply(this, args));
  };
  GPUQueue.prototype.submit = function (...args) {
    submit.apply(this, args);
    if (!losesNext || args[0].length === 0) return;
    losesNext = false;
    device.destroy();
  };
  globalThis.loseDevice = async (when) => {
    if (!device) return;
    losesNext = when === "later";
    if (when === "now") {
      device.destroy();
      await device.lost;
    }
    channel.postMessage("done");
  };
  // losses of another Worker's device arrive as well
  channel.onmessage = ({ data }) => data !== "done" && globalThis.loseDevice(data);
}

/** Runs `scripts` in the project's page before all other code, and in its Worker, whose URL must be a file's by the page's policy. */
export async function everywhereInPage(page, ...scripts) {
  const text = scripts.map((script) => `(${script})();`).join("\n");
  await page.addInitScript(text);
  await page.context().route("**/worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${text}\n${await response.text()}` });
  });
}
