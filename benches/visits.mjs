// First visits with a model in five layouts, beside transformers.js: bytes over the network, seconds to the first vector, processor time and the
// peak of the page's memory, in Chromium with an empty cache. `npm run bench -- visits FOLDER PEER [ROUNDS]`: FOLDER is made by
// benches/visits.py, PEER is a folder in which @huggingface/transformers is installed.
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { launchChromium } from "../scripts/lib/chromium.mjs";
import { root } from "../scripts/lib/run.mjs";

const [models, peer, rounds = "3"] = process.argv.slice(2);
if (!peer) throw new Error("usage: npm run bench -- visits FOLDER PEER [ROUNDS]");
/** Bytes per millisecond of the network (50 Mbit/s), and milliseconds to the first byte of an answer. */
const [RATE, LATENCY] = [6250, 20];
const TYPES = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".json": "application/json",
};
const ROOTS = { dist: join(root, "dist"), models, peer: join(peer, "node_modules") };
/** Each layout with the options of webert. transformers.js reads ONNX files alone. */
const LAYOUTS = [
  ["safetensors", {}],
  ["pytorch", {}],
  ["onnx", {}],
  ["safetensors", { adapter: "/models/adapter/" }],
  ["sentence-transformers", {}],
];

const compressed = new Map();
let free = 0;
let sent = { code: 0, model: 0 };

/** Returns a file's bytes, code with brotli. */
async function bytesOf(path, isCode) {
  if (!isCode) return readFile(path);
  if (!compressed.has(path)) compressed.set(path, brotliCompressSync(await readFile(path)));
  return compressed.get(path);
}

/** Sends bytes at the rate of the network, which all answers share, and counts them. */
async function send(response, bytes, kind) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += 65_536) {
    const piece = bytes.subarray(at, at + 65_536);
    free = Math.max(free, performance.now()) + piece.length / RATE;
    await wait(free - performance.now());
    response.write(piece);
    sent[kind] += piece.length;
  }
  response.end();
}

const server = createServer(async (request, response) => {
  const [, place, ...rest] = normalize(decodeURIComponent(new URL(request.url, "http://host").pathname)).split("/");
  if (place === "") return response.setHeader("content-type", "text/html").end("<!doctype html><title>visit</title>");
  const path = join(ROOTS[place] ?? "", ...rest);
  const kind = place === "models" ? "model" : "code";
  await wait(LATENCY);
  if (!ROOTS[place] || !(await stat(path).catch(() => undefined))?.isFile()) return response.writeHead(404).end();
  const bytes = await bytesOf(path, kind === "code");
  const headers = {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "content-length": bytes.length,
  };
  if (kind === "code") headers["content-encoding"] = "br";
  response.writeHead(200, headers);
  if (request.method === "HEAD") return response.end();
  await send(response, bytes, kind);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}/`;

/** What each library does at a first visit, in the page. Both have their defaults, but one thread on the CPU. */
const VISITS = {
  webert: async (layout, options) => {
    const { pipeline } = await import("/dist/index.js");
    const embed = await pipeline("feature-extraction", `/models/${layout}/`, {
      device: "wasm",
      threads: 1,
      ...options,
    });
    const { data } = await embed("The first visit to a page.", { pooling: "mean", normalize: true });
    return { length: data.length, source: embed.info.source };
  },
  "transformers.js": async (layout) => {
    const { env, pipeline } = await import("/peer/@huggingface/transformers/dist/transformers.min.js");
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: "/models/" });
    const runtime = "/peer/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify";
    const wasmPaths = { mjs: `${runtime}.mjs`, wasm: `${runtime}.wasm` };
    Object.assign(env.backends.onnx.wasm, { numThreads: 1, wasmPaths });
    const embed = await pipeline("feature-extraction", layout, { device: "wasm" });
    const { data } = await embed("The first visit to a page.", { pooling: "mean", normalize: true });
    return { length: data.length };
  },
};

/** The largest resident memory of a process so far, in MiB. */
const peak = async (id) =>
  Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, "utf8").catch(() => ""))?.[1]) / 1024;

/** A visit in a fresh browser. */
async function visit(library, layout, options) {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    const session = await browser.newBrowserCDPSession();
    const renderers = async () =>
      (await session.send("SystemInfo.getProcessInfo")).processInfo.filter(({ type }) => type === "renderer");
    const before = new Map((await renderers()).map(({ id, cpuTime }) => [id, cpuTime]));
    sent = { code: 0, model: 0 };
    const start = performance.now();
    const { length, source } = await page.evaluate(
      `(${VISITS[library]})(${JSON.stringify(layout)}, ${JSON.stringify(options)})`,
    );
    const seconds = (performance.now() - start) / 1000;
    if (length !== 384) throw new Error(`expected a vector of 384 numbers, got ${length}`);
    // The page's process is the one that worked.
    const worked = (await renderers()).map(({ id, cpuTime }) => ({ id, work: cpuTime - (before.get(id) ?? 0) }));
    const { id, work } = worked.sort((a, b) => b.work - a.work)[0];
    return { seconds, work, memory: await peak(id), source, ...sent };
  } finally {
    await browser.close();
  }
}

/** Returns the quickest of some visits, or the first error. */
async function best(library, layout, options) {
  const visits = [];
  for (let round = 0; round < Number(rounds); round++) {
    try {
      visits.push(await visit(library, layout, options));
    } catch (error) {
      return { error: error.message.split("\n")[0] };
    }
  }
  const least = (name) => Math.min(...visits.map((visit) => visit[name]));
  return { ...visits[0], seconds: least("seconds"), work: least("work"), memory: least("memory") };
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
console.log("| layout | library | file | code, MB | model, MB | seconds | processor time, s | memory peak, MiB |");
console.log("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |");
for (const [layout, options] of LAYOUTS) {
  for (const library of Object.keys(VISITS)) {
    const { error, source, ...found } = await best(library, layout, options);
    const cells = error
      ? [error]
      : [
          source ?? "",
          megabytes(found.code),
          megabytes(found.model),
          found.seconds.toFixed(1),
          found.work.toFixed(1),
          found.memory.toFixed(0),
        ];
    console.log(`| ${layout}${options.adapter ? " + adapter" : ""} | ${library} | ${cells.join(" | ")} |`);
  }
}
server.closeAllConnections();
server.close();
