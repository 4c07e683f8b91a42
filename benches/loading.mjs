// `npm run bench -- loading FOLDER… [OPTIONS…]`: from a folder of weights to the first answer, in Chromium and in Node.
//
// Chromium visits a page with feature-extraction once per round, and the weights come from the Cache API after the first
// visit, if its quota has room. Prints the least and the median of the later visits: from the call of pipeline() to the answer, by the clock and
// in processor time of all processes of Chromium, and the private memory of the page's process. Node reads the folder in
// a process of its own.
//
// --rounds N    visits with kept weights (default 7)
// --dtype NAME  fp32 or q8 (default q8)
// --isolated    serves the page cross-origin isolated, so that it may use threads
// --only NAME   chromium or node

import { spawnSync } from "node:child_process";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium, privateMemory } from "../scripts/lib/chromium.mjs";
import { root } from "../scripts/lib/run.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    dtype: { type: "string", default: "q8" },
    isolated: { type: "boolean", default: false },
    only: { type: "string" },
  },
});
const { dtype, isolated } = values;
const rounds = Number(values.rounds);
const folders = positionals.length ? positionals.map((folder) => resolve(folder)) : [join(root, "models/minilm-mlm")];
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const least = (numbers) => Math.min(...numbers);
const both = (numbers) => `${least(numbers).toFixed(0)} / ${median(numbers).toFixed(0)} ms`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Serves dist/ under /dist/ and folder n under /n/model/resolve/main/, as the Hub does. */
async function serving() {
  const sent = new Map();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const headers = {
      "content-type": TYPES[extname(path)] ?? (path === "/" ? "text/html" : "application/octet-stream"),
      ...(isolated && {
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
      }),
    };
    if (path === "/") return response.writeHead(200, headers).end("<!doctype html>");
    const [, first, ...rest] = path.replace("/model/resolve/main", "").split("/");
    const folder = first === "dist" ? join(root, "dist") : folders[Number(first)];
    const file = folder && !rest.includes("..") && join(folder, ...rest);
    const size = file && statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) return response.writeHead(404, headers).end();
    response.writeHead(200, { ...headers, "content-length": size });
    if (request.method === "HEAD") return response.end();
    sent.set(first, (sent.get(first) ?? 0) + size);
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, sent, url: `http://127.0.0.1:${server.address().port}/` };
}

/** Loads the folder in a page. Returns milliseconds and facts. Runs in the page. */
async function visit([folder, dtype]) {
  const { env, pipeline } = await import("/dist/index.js");
  env.remoteHost = location.origin; // only models of the Hub are kept
  const start = performance.now();
  const extract = await pipeline("feature-extraction", folder, { dtype, device: "wasm" });
  const loaded = performance.now() - start;
  await extract("Which model answers first?", { pooling: "mean" });
  const first = performance.now() - start;
  const again = performance.now();
  await extract("Which model answers again?", { pooling: "mean" });
  return { loaded, first, second: performance.now() - again, info: extract.info };
}

/** Returns the processor time of all processes of Chromium in milliseconds. */
async function processorTime(session) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1e3, 0);
}

async function inChromium() {
  const { server, sent, url } = await serving();
  const browser = await launchChromium();
  const session = await browser.newBrowserCDPSession();
  for (const [n, folder] of folders.entries()) {
    const context = await browser.newContext();
    const visits = [];
    for (let round = -1; round < rounds; round++) {
      const page = await context.newPage();
      await page.goto(url);
      if (round === 0) sent.clear();
      const before = await processorTime(session);
      const seen = await page.evaluate(visit, [`${n}/model`, dtype]);
      const cpu = (await processorTime(session)) - before;
      const memory = 1024 * Math.max(...(await privateMemory(session, ["renderer"])), 0);
      if (round >= 0) visits.push({ ...seen, cpu, memory });
      await page.close();
    }
    const { info } = visits[0];
    const of = (name) => visits.map((seen) => seen[name]);
    console.log(
      `Chromium ${browser.version()}, ${folder}, ${info.dtype}, ${info.threads} threads, weights ${megabytes(info.bytes)}\n` +
        `  loaded ${both(of("loaded"))}, first answer ${both(of("first"))}, processor time ${both(of("cpu"))}, ` +
        `next answer ${both(of("second"))}, memory ${megabytes(median(of("memory")))}, ` +
        `${megabytes((sent.get(String(n)) ?? 0) / rounds)} of the folder fetched again per visit`,
    );
    await context.close();
  }
  await browser.close();
  server.close();
}

/** What a process of Node runs. */
const PROGRAM = `
const [, library, folder, dtype] = process.argv;
const { pipeline } = await import(library);
const cpu = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b) / 1e3;
const [start, before] = [performance.now(), cpu()];
const extract = await pipeline("feature-extraction", folder, { dtype, device: "wasm", threads: 1 });
const loaded = performance.now() - start;
await extract("Which model answers first?", { pooling: "mean" });
const [first, used] = [performance.now() - start, cpu() - before];
const [again, beforeAgain] = [performance.now(), cpu()];
await extract("Which model answers again?", { pooling: "mean" });
const second = cpu() - beforeAgain;
console.log(JSON.stringify({ loaded, first, second, cpu: used, memory: process.resourceUsage().maxRSS * 1024, info: extract.info }));
process.exit();
`;

function inNode() {
  const library = new URL("../dist/node.js", import.meta.url).href;
  for (const folder of folders) {
    const visits = Array.from({ length: rounds }, () => {
      const args = ["--input-type=module", "-e", PROGRAM, library, folder, dtype];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      if (!stdout) throw new Error(stderr);
      return JSON.parse(stdout);
    });
    const { info } = visits[0];
    const of = (name) => visits.map((seen) => seen[name]);
    console.log(
      `Node ${process.versions.node}, ${folder}, ${info.dtype}, 1 thread, weights ${megabytes(info.bytes)}\n` +
        `  loaded ${both(of("loaded"))}, first answer ${both(of("first"))}, processor time ${both(of("cpu"))}, ` +
        `next answer ${both(of("second"))} of processor time, greatest memory ${megabytes(median(of("memory")))}`,
    );
  }
}

if (values.only !== "node") await inChromium();
if (values.only !== "chromium") inNode();
