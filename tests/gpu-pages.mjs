// Scripts that change WebGPU in a page and in its Workers before anything else runs there.

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
export function disguise() {
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
export function fragile() {
  const { requestDevice } = GPUAdapter.prototype;
  const { submit } = GPUQueue.prototype;
  const channel = new BroadcastChannel("fate");
  let device, doomed;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    return (device = await requestDevice.apply(this, args));
  };
  GPUQueue.prototype.submit = function (...args) {
    submit.apply(this, args);
    if (!doomed || args[0].length === 0) return;
    doomed = false;
    device.destroy();
  };
  globalThis.fate = async (when) => {
    if (!device) return;
    doomed = when === "later";
    if (when === "now") {
      device.destroy();
      await device.lost;
    }
    channel.postMessage("done");
  };
  channel.onmessage = ({ data }) => globalThis.fate(data);
}
