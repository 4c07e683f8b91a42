// The events of a load's progress: src/js over fake-wasm.mjs.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { fill, model, origin, routes, test } from "./over-server.mjs";

test("progress_total covers all files with one total and never goes back", async () => {
  const events = [];
  await (await fill(`${origin}/m`, { progress_callback: (event) => events.push(event) })).dispose();
  const totals = events.filter(({ status }) => status === "progress_total");
  assert.ok(totals.length > 0 && totals.length <= events.filter(({ status }) => status === "progress").length);
  assert.deepEqual([...new Set(totals.map(({ total }) => total))], [300_004]);
  totals.slice(1).forEach(({ loaded }, i) => assert.ok(loaded >= totals[i].loaded));
  assert.deepEqual(totals.at(-1), {
    status: "progress_total",
    name: `${origin}/m`,
    progress: 100,
    loaded: 300_004,
    total: 300_004,
    files: {
      "config.json": { loaded: 2, total: 2 },
      "tokenizer.json": { loaded: 2, total: 2 },
      "model.safetensors": { loaded: 300_000, total: 300_000 },
    },
  });
});

/** The `progress_total` events of a load of `path`. Fails unless they only rise and end at 100. */
async function totalsOf(path) {
  const totals = [];
  const progress_callback = (event) => event.status === "progress_total" && totals.push(event);
  await (await fill(`${origin}${path}`, { progress_callback })).dispose();
  assert.ok(totals.length > 1, `${totals.length} events`);
  totals.slice(1).forEach(({ progress, loaded }, i) => {
    assert.ok(progress >= totals[i].progress, `${totals[i].progress} to ${progress} %`);
    assert.ok(loaded >= totals[i].loaded);
  });
  assert.equal(totals.at(-1).progress, 100);
  assert.equal(totals.at(-1).loaded, totals.at(-1).total);
  return totals;
}

/** A safetensors file of one tensor of `bytes` bytes. */
function oneTensor(bytes) {
  const header = Buffer.from(JSON.stringify({ a: { dtype: "U8", shape: [bytes], data_offsets: [0, bytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(bytes, 7)]);
}

test("progress_total knows all files of an index before the first one is read", async () => {
  const weight_map = { a: "small.safetensors", b: "wide.safetensors" };
  const files = {
    "config.json": "{}",
    "tokenizer.json": "{}",
    "small.safetensors": "w".repeat(1_000),
    "wide.safetensors": "w".repeat(400_000),
  };
  model("/shards", { ...files, "model.safetensors.index.json": JSON.stringify({ weight_map }) });
  const index = Buffer.byteLength(JSON.stringify({ weight_map }));
  const totals = await totalsOf("/shards");
  assert.deepEqual([...new Set(totals.map(({ total }) => total))], [401_004 + index]);
  // without HEAD the sizes are estimated
  model("/guessed", {
    ...files,
    "model.safetensors.index.json": JSON.stringify({ metadata: { total_size: 401_000 }, weight_map }),
  });
  for (const name of Object.values(weight_map)) {
    const [status, type, body] = routes.get(`/guessed/${name}`);
    routes.set(`/guessed/${name}`, (request, response) =>
      request.method === "HEAD"
        ? response.writeHead(405).end()
        : response.writeHead(status, { "content-type": type, "content-length": body.length }).end(body),
    );
  }
  assert.ok((await totalsOf("/guessed"))[0].total > 200_000);
});

test("progress_total works with a host that compresses", async () => {
  const bytes = oneTensor(3_000_000);
  model("/zipped", { "config.json": "{}", "tokenizer.json": "{}" });
  routes.set("/zipped/model.safetensors", (_, response) =>
    response
      .writeHead(200, { "content-type": "application/octet-stream", "content-encoding": "gzip" })
      .end(gzipSync(bytes)),
  );
  const totals = await totalsOf("/zipped");
  assert.equal(totals.at(-1).total, bytes.length + 4);
  assert.ok(totals[0].progress < 100, "an early event knows the size");
});
