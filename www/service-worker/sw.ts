// The page's service worker: keeps every file that the network returns, and serves it if the network fails. The network comes first,
// because a file may have changed; an unchanged file costs one request.
export {};

declare const self: ServiceWorkerGlobalScope;

/** The files of the page and of the package's code, by paths relative to the page; written by scripts/page.mjs. */
declare const FILES: string[];

const CACHE = "webert-page";

/** Writes to the cache that are under way. */
const underway = new Set<Promise<void>>();

/** Headers that make threads possible, for hosts that do not send them. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOwn = request.url.startsWith(self.registration.scope);
  if (request.method !== "GET" || !isOwn || request.headers.has("range")) return;
  event.respondWith(
    answer(request, (work) => {
      underway.add(work);
      event.waitUntil(work.finally(() => underway.delete(work)));
    }),
  );
});

self.addEventListener("message", (event) => {
  if (event.data !== "keep") return;
  event.waitUntil(
    keepFiles()
      .then(() => Promise.all(underway))
      .then(() => event.source?.postMessage("kept")),
  );
});

/** Fetches from the network and keeps the response; serves the kept one if that fails. */
async function answer(request: Request, meanwhile: (work: Promise<void>) => void): Promise<Response> {
  try {
    const response = await fetch(request);
    if (response.status === 200 && response.type === "basic") meanwhile(keep(request.url, response.clone()));
    return isolated(request, response);
  } catch (error) {
    const kept = await caches.match(request.url.split("#")[0]!, { cacheName: CACHE, ignoreVary: true });
    if (!kept) throw error;
    return isolated(request, kept);
  }
}

/** Keeps a response unless it is already kept. A full disk or the visitor's settings may prevent it. */
async function keep(url: string, response: Response): Promise<void> {
  try {
    const cache = await caches.open(CACHE);
    const tag = response.headers.get("etag");
    const there = tag && (await cache.match(url, { ignoreVary: true }));
    if (there && there.headers.get("etag") === tag) await response.body?.cancel();
    else await cache.put(url, response);
  } catch {
    await response.body?.cancel().catch(() => {});
  }
}

/** Fetches the files that are not kept yet: views that were not opened, and the page itself. */
async function keepFiles(): Promise<void> {
  for (const path of FILES) {
    const { href: url } = new URL(path, self.registration.scope);
    if (await caches.match(url, { cacheName: CACHE, ignoreVary: true })) continue;
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) await keep(url, response);
  }
}

/** Adds the headers that let documents and Workers share memory and so use threads. */
function isolated(request: Request, response: Response): Response {
  const needs = request.mode === "navigate" || request.destination === "worker";
  if (!needs || response.type === "opaqueredirect" || response.headers.has("Cross-Origin-Embedder-Policy"))
    return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
