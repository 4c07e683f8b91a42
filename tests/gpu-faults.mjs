// A browser's GPU that says less of itself than it does, or is lost: scripts that a page and its Workers run before anything else.

/** Runs `script` in a page before anything else, and in every Worker that it starts. */
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
 * To whom chooses a device the adapter says nothing of being a program; the wasm side, which asks for a device first, is
 * told. Kernels for GPUs take a program many seconds.
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

/** Devices go when they are told to: "now", or "later", on their way with the next commands. Whoever did so answers. */
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
  // what another Worker's device has come to is heard, too
  channel.onmessage = ({ data }) => data !== "done" && globalThis.loseDevice(data);
}

/** Runs `scripts` in the project's page before anything else, and in its Worker, whose address its policy wants to be a file's. */
export async function everywhereInPage(page, ...scripts) {
  const text = scripts.map((script) => `(${script})();`).join("\n");
  await page.addInitScript(text);
  await page.context().route("**/worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${text}\n${await response.text()}` });
  });
}
