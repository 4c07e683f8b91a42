// `webert serve` as a process on 127.0.0.1: clients, wrong requests, clients that hang up, and its end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../scripts/lib/run.mjs";
import { client } from "./integrations/clients.mjs";

const running = new Set();
after(() => Promise.all([...running].map(({ child }) => child.kill("SIGKILL"))));

/** A server in a process of its own, when it is ready. */
async function served(words = [], { env = {}, port = 0 } = {}) {
  const args = [join(root, "dist/cli.js"), "serve", ...words, "--port", String(port)];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const server = { child, url: "", out: "", err: "" };
  server.over = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
  running.add(server);
  child.stderr.on("data", (data) => (server.err += data));
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      server.out += data;
      server.url = /^http:.*$/m.exec(server.out)?.[0] ?? "";
      if (server.url) resolve();
    });
    server.over.then(({ code }) => reject(new Error(`the server ended with ${code}: ${server.err}`)));
  });
  return server;
}

const post = (url, body, init = {}) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), ...init });

/** The answer of the server to bytes as they are. */
const raw = (url, bytes) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let text = "";
    const socket = connect(port, hostname, () => socket.write(bytes));
    socket.on("data", (data) => {
      text += data;
      socket.end();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });

/** Resident memory of a process in MiB; undefined where /proc is missing. */
async function memory({ pid }) {
  const { readFile } = await import("node:fs/promises");
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const server = await served(["embed=./models/minilm-embeddings", "./models/minilm-sentiment"]);

test("serves models by name on 127.0.0.1 to a real client", async () => {
  assert.match(
    server.out,
    /^embed: feature-extraction\nminilm-sentiment: text-classification\nhttp:\/\/127\.0\.0\.1:\d+\n$/,
  );
  const { default: OpenAI } = await client("openai");
  const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none" });
  const { data, usage } = await openai.embeddings.create({ model: "embed", input: ["a", "b"] });
  assert.deepEqual([data.length, data[1].embedding.length, usage.total_tokens], [2, 384, 6]);
  const [best] = await (await post(`${server.url}/predict`, { inputs: "A lovely day." })).json();
  assert.equal(best.label, "positive");
  assert.equal((await (await fetch(`${server.url}/info`)).json()).max_input_length, 256);
});

test("keeps idle connections longer than clients use them", async () => {
  const response = await fetch(`${server.url}/health`);
  assert.equal(response.headers.get("keep-alive"), "timeout=75");
});

test("a sparse encoder with a Router ranks as one without", async () => {
  const goldens = "./tests/goldens/retrieval";
  const { out, child, over } = await served([`plain=${goldens}/splade-sum`, `router=${goldens}/idf-queries`]);
  const both = "feature-extraction, text-ranking";
  assert.match(out, new RegExp(`^plain: ${both}\nrouter: ${both}\nhttp`));
  child.kill();
  await over;
});

test("answers bad requests by name, and goes on", async () => {
  const { url } = server;
  const status = async (init, path = "/embed") => (await fetch(url + path, { method: "POST", ...init })).status;
  const headers = { "content-type": "application/json" };
  assert.equal(await status({ headers, body: "{" }), 400);
  assert.equal(await status({ headers, body: new Uint8Array([0x22, 0xff, 0x22]) }), 400);
  assert.equal(await status({ headers, body: "[".repeat(100_000) }), 400);
  assert.equal(await status({ body: "{}" }), 415);
  assert.equal(await status({ headers, body: "{}" }, "/none"), 404);
  assert.equal((await fetch(`${url}/embed`)).status, 405);
  const other = await raw(url, "GET /health HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
  assert.match(other, /^HTTP\/1\.1 403 /);
  assert.match(await raw(url, "TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), /^HTTP\/1\.1 40\d /);
  assert.match(await raw(url, "nonsense\r\n\r\n"), /^HTTP\/1\.1 400 /);
  const opaque = await fetch(`${url}/health`, { headers: { origin: "https://example.org" } });
  assert.equal(opaque.headers.get("access-control-allow-origin"), null);
  assert.equal((await post(`${url}/embed`, { inputs: "a" })).status, 200);
});

test("refuses a body of 100 MB, sent with and without its length, and keeps none of it", async () => {
  const before = await memory(server.child);
  const body = JSON.stringify({ inputs: "a".repeat(100 << 20) });
  const known = await fetch(`${server.url}/embed`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  assert.equal(known.status, 413);
  assert.match((await known.json()).error, /at most 2000000 bytes/);
  let sent = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (sent++ < 100) controller.enqueue(new Uint8Array(1 << 20).fill(0x20));
      else controller.close();
    },
  });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: stream, duplex: "half" };
  const unknown = await fetch(`${server.url}/embed`, init);
  assert.equal(unknown.status, 413);
  const grown = (await memory(server.child)) - before;
  assert.ok(!(grown > 60), `${grown} MiB more`);
});

test("64 clients at once: no request is lost, each gets its own vector", async () => {
  const vectorOf = async (text) => {
    const response = await post(`${server.url}/embed`, { inputs: text });
    assert.equal(response.status, 200);
    return (await response.json())[0];
  };
  const texts = Array.from({ length: 64 }, (_, n) => `the number ${n * 17}`);
  const alone = [];
  for (const text of texts.slice(0, 4)) alone.push(await vectorOf(text));
  const clients = texts.map(async (text) => {
    const found = [];
    for (let n = 0; n < 3; n++) found.push(await vectorOf(text));
    return found;
  });
  const found = await Promise.all(clients);
  const cosine = (a, b) => a.reduce((sum, value, n) => sum + value * b[n], 0);
  // Batches change the last digits of 8-bit activations; other texts are farther away.
  for (const [n, vector] of alone.entries())
    for (const other of found[n]) assert.ok(cosine(vector, other) > 0.999, `${n}: ${cosine(vector, other)}`);
  for (const other of alone.slice(1)) assert.ok(cosine(alone[0], other) < 0.999);
});

test("a client that hangs up stops its work", async () => {
  const inputs = Array(400).fill("many words in a long text ".repeat(40));
  const hangUp = new AbortController();
  const first = post(`${server.url}/embed`, { inputs }, { signal: hangUp.signal });
  while (!/te_queue_size 400\n/.test(await (await fetch(`${server.url}/metrics`)).text())) await sleep(10);
  hangUp.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal((await post(`${server.url}/embed`, { inputs: "a" })).status, 200);
  assert.match(await (await fetch(`${server.url}/metrics`)).text(), /te_queue_size 0\n/);
});

test("needs the key of the environment, and answers 429 when the queue is full", async () => {
  const words = ["--max-queue", "3", "--batch-size", "1"];
  const { url, child, over } = await served(words, { env: { WEBERT_API_KEY: "k3y" } });
  assert.equal((await fetch(`${url}/v1/models`)).status, 401);
  const headers = { authorization: "Bearer k3y", "content-type": "application/json" };
  const inputs = Array(3).fill("many words in a long text ".repeat(40));
  const all = [...Array(8)].map(() => post(`${url}/embed`, { inputs }, { headers }));
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
  assert.equal(statuses.filter((status) => status === 429).length, 7);
  child.kill("SIGTERM");
  assert.deepEqual(await over, { code: 0, signal: null });
});

test("SIGTERM answers what runs, refuses what comes, and exits with 0", async () => {
  const { url, child, over } = await served();
  const inputs = Array(24).fill("many words in a long text ".repeat(20));
  const slow = post(`${url}/embed`, { inputs, truncate: true });
  while (!/te_queue_size 24\n/.test(await (await fetch(`${url}/metrics`)).text())) await sleep(10);
  child.kill("SIGTERM");
  /** The message with which the server refuses a request, once it does. */
  const refused = async () => {
    for (;;) {
      const message = await fetch(`${url}/health`).then(
        () => undefined,
        (error) => error.message,
      );
      if (message) return message;
      await sleep(10);
    }
  };
  assert.equal(await Promise.race([refused(), slow.then(() => "answered before")]), "fetch failed");
  assert.equal((await (await slow).json()).length, 24);
  assert.deepEqual(await over, { code: 0, signal: null });
});

test("starts again on the same port after SIGKILL", async () => {
  const first = await served();
  const { port } = new URL(first.url);
  const lost = post(`${first.url}/embed`, { inputs: Array(100).fill("words ".repeat(200)) });
  await sleep(200);
  first.child.kill("SIGKILL");
  await assert.rejects(lost);
  await first.over;
  const second = await served([], { port });
  assert.equal((await post(`${second.url}/embed`, { inputs: "a" })).status, 200);
  second.child.kill("SIGINT");
  assert.equal((await second.over).code, 0);
});

test("wrong command lines are usage errors, and a port in use is a failure", async () => {
  const ends = async (words, port) => {
    const error = await served(words, { port }).then(
      () => assert.fail("it serves"),
      (error) => error,
    );
    return error.message;
  };
  assert.match(
    await ends(["a=./models/minilm-embeddings", "a=./models/minilm-topic"]),
    /ended with 2: .*different names/s,
  );
  assert.match(await ends([], "99999"), /ended with 2: .*--port/s);
  assert.match(await ends([], new URL(server.url).port), /ended with 1: .*EADDRINUSE/s);
  assert.match(await ends(["./none"]), /ended with 1: /);
});
