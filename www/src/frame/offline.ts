import type { App } from "../app.ts";

/** Milliseconds that a first visit waits for the service worker. It cannot keep files that are fetched before it runs. */
const PATIENCE = 800;

/**
 * Starts the service worker. It keeps all files that the page fetches for the next visit, also without a network. Resolves once it
 * runs, or cannot run. After the model is loaded, it fetches the rest of the page.
 */
export async function keepForOffline(app: App): Promise<void> {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return; // a private window of some browsers, or a page without https
  try {
    const registration = await serviceWorker.register("sw.js");
    if (!serviceWorker.controller && !registration.active) await untilControlled(serviceWorker);
    serviceWorker.addEventListener("message", ({ data }) => {
      if (data === "kept") app.kept.value = true;
    });
    serviceWorker.startMessages();
    const stop = app.status.subscribe((status) => {
      if (status.kind !== "ready") return;
      queueMicrotask(() => stop());
      serviceWorker.ready.then(({ active }) => active?.postMessage("keep"));
    });
  } catch {
    // not allowed here: the page then needs a network each time
  }
}

/** Waits until the worker controls this page, at most PATIENCE. */
const untilControlled = (serviceWorker: ServiceWorkerContainer): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    serviceWorker.addEventListener("controllerchange", () => (clearTimeout(timer), resolve()), { once: true });
  });
