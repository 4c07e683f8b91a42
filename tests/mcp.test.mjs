// `webert mcp` as a process, called by the protocol's own client and by raw lines.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { createIndex, pipeline, redact } from "../dist/node.js";
import { root } from "../scripts/lib/run.mjs";
import { client } from "./integrations/clients.mjs";

const folder = await mkdtemp(join(tmpdir(), "webert-mcp-"));
after(() => rm(folder, { recursive: true }));
const args = [join(root, "dist/cli.js"), "mcp"];
const nli = join(import.meta.dirname, "goldens/models/bert-seqcls-nli");
const TEXT = "Anna Kovács (anna@example.org) lives in Budapest, and Anna Kovács is glad.";

/** The protocol's client of a server with these words. */
async function connected(...words) {
  const { Client } = await client("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await client("@modelcontextprotocol/sdk/client/stdio.js");
  const found = new Client({ name: "test", version: "1.0.0" });
  await found.connect(new StdioClientTransport({ command: process.execPath, args: [...args, ...words] }));
  return found;
}

test("search, redact and classify as tools of the protocol's client", async () => {
  const file = join(folder, "notes.idx");
  const index = await createIndex();
  const documents = [
    { id: "piano", text: "The piano stands near the window." },
    { id: "rain", text: "It rained all day." },
  ];
  await index.add(documents);
  await index.save({ name: file });
  const agent = await connected(file, "--zero_shot", nli);
  assert.equal(agent.getServerVersion().name, "webert");
  const { tools } = await agent.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["search", "redact", "classify"],
  );
  assert.ok(tools.every(({ annotations }) => annotations.readOnlyHint));
  const call = async (name, args) => {
    const { structuredContent, content, isError } = await agent.callTool({ name, arguments: args });
    assert.ok(!isError, JSON.stringify(content));
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    return structuredContent;
  };
  const { results } = await call("search", { query: "musical instrument", top_k: 1 });
  assert.deepEqual(
    results.map(({ id, text }) => ({ id, text })),
    documents.slice(0, 1),
  );
  const hidden = await call("redact", { text: TEXT });
  const expected = await redact(TEXT);
  assert.equal(hidden.text, expected.text);
  assert.ok(hidden.placeholders.length >= 3);
  assert.ok(!/Anna|Kov|Budapest|example/.test(JSON.stringify(hidden)), "the originals stay here");
  const classify = await pipeline("text-classification");
  const { labels } = await call("classify", { text: "What a lovely day!" });
  assert.deepEqual(labels, await classify("What a lovely day!", { top_k: null }));
  const zero = await pipeline("zero-shot-classification", nli);
  const chosen = await call("classify", { text: "a b", labels: ["x", "y"] });
  assert.deepEqual(
    chosen.labels.map(({ label }) => label),
    (await zero("a b", ["x", "y"])).labels,
  );
  for (const [wrong, pattern] of [
    [{ name: "search", arguments: {} }, /query: expected a value/],
    [{ name: "search", arguments: { query: "a", top_k: 0 } }, /top_k: expected a whole number from 1 to 100, got 0/],
    [{ name: "redact", arguments: { text: "a", model: "b" } }, /model: unknown argument; expected one of text/],
    [{ name: "classify", arguments: { text: "a", labels: "b" } }, /labels: expected an array of texts/],
  ]) {
    const { isError, content } = await agent.callTool(wrong);
    assert.ok(isError);
    assert.match(content[0].text, pattern);
  }
  await assert.rejects(agent.callTool({ name: "serch" }), /did you mean "search"/);
  await agent.close();
  await Promise.all([index, classify, zero, redact].map((one) => one.dispose()));
});

test("without an index there is no search, and a missing index is an error of the call", async () => {
  const agent = await connected();
  assert.deepEqual(
    (await agent.listTools()).tools.map(({ name }) => name),
    ["redact", "classify"],
  );
  await agent.close();
  const other = await connected(join(folder, "none.idx"));
  const { isError, content } = await other.callTool({ name: "search", arguments: { query: "a" } });
  assert.ok(isError);
  assert.match(content[0].text, /none\.idx/);
  await other.close();
});

/** The replies to lines, and the exit code after the input ends. */
async function replies(lines) {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const over = new Promise((resolve) => child.on("close", resolve));
  child.stdin.end(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  const found = [];
  for await (const line of createInterface({ input: child.stdout })) found.push(JSON.parse(line));
  assert.equal(await over, 0);
  return found;
}

test("answers wrong messages with the codes of JSON-RPC, and nothing to notifications", async () => {
  const request = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
  const found = await replies([
    "{",
    "[]",
    { id: 1, method: "ping" },
    request(2, "none"),
    request(3, "ping"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 4, result: {} },
    request("five", "initialize", { protocolVersion: "2025-03-26" }),
    request(6, "initialize", { protocolVersion: "1999-01-01" }),
    [request(7, "ping"), { jsonrpc: "2.0", method: "notifications/initialized" }],
    "",
  ]);
  const byId = (id) => found.find((reply) => reply.id === id);
  assert.deepEqual(
    found.filter(({ id }) => id === null).map(({ error }) => error.code),
    [-32700, -32600, -32600],
  );
  assert.equal(byId(2).error.code, -32601);
  assert.deepEqual(byId(3).result, {});
  assert.equal(byId("five").result.protocolVersion, "2025-03-26");
  assert.equal(byId(6).result.protocolVersion, "2025-11-25");
  assert.deepEqual(found.find(Array.isArray), [{ jsonrpc: "2.0", id: 7, result: {} }]);
  assert.equal(found.length, 8);
});

test("a cancelled call has no reply", async () => {
  const text = "many words in a long text ".repeat(2000);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "redact", arguments: { text } } };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  assert.deepEqual(await replies([call, cancel, { jsonrpc: "2.0", id: 2, method: "ping" }]), [
    { jsonrpc: "2.0", id: 2, result: {} },
  ]);
});
