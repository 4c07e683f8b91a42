// ONNX files as weights, through the public API over the built package.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { AutoModel, env } from "../dist/node.js";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens/onnx");
const all = await readFile(join(goldens, "files"));
const rows = JSON.parse(await readFile(join(goldens, "files.json"), "utf8"));
const file = (name, field = "bytes") => all.subarray(...rows[name][field]);
const config = { "config.json": Buffer.from(JSON.stringify(rows.config)) };

const folders = [];
const served = new Map();
const lacking = [];
const server = createServer(({ url, method }, response) => {
  if (!served.has(decodeURIComponent(url))) lacking.push(url);
  const body = served.get(decodeURIComponent(url));
  response.writeHead(body ? 200 : 404, body ? { "content-length": body.length } : {});
  response.end(method === "HEAD" ? undefined : body);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(async () => {
  server.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

async function onDisk(files) {
  const folder = await mkdtemp(join(tmpdir(), "webert-onnx-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

function byUrl(files) {
  const folder = `/${served.size}`;
  for (const [name, content] of Object.entries(files)) served.set(`${folder}/${name}`, content);
  return `http://127.0.0.1:${server.address().port}${folder}`;
}

/** Loads a folder; returns the file that was read, the precision in memory and the logits. */
async function load(source, options) {
  const model = await AutoModel.from_pretrained(source, { device: "wasm", ...options });
  const { logits } = await model(rows.inputs);
  const { source: name, dtype } = model.info;
  await model.dispose();
  return { name, dtype, logits: Array.from(logits.data) };
}

function near(found, expected, what) {
  const off = Math.max(...found.map((value, n) => Math.abs(value - expected[n])));
  assert.ok(found.length === expected.length && off < 1e-4, `${what}: off by ${off}`);
}

const BOTH = { "onnx/model.onnx": file("fp32"), "onnx/model_quantized.onnx": file("int8-channels") };
const MORE = {
  ...BOTH,
  "onnx/model_fp16.onnx": file("fp16"),
  "onnx/model_q4.onnx": file("q4"),
  "onnx/model_O1.onnx": file("uint8-channels"),
};

test("looks for ONNX files first in repositories that have no others", async () => {
  const { remoteHost, useFSCache } = env;
  Object.assign(env, { remoteHost: `http://127.0.0.1:${server.address().port}/`, useFSCache: false });
  try {
    for (const [model, misses] of [
      ["onnx-community/tiny", 0],
      ["someone/tiny", 4],
    ]) {
      for (const [name, content] of Object.entries({ ...config, ...BOTH }))
        served.set(`/${model}/resolve/main/${name}`, content);
      lacking.length = 0;
      assert.equal((await load(model)).name, "onnx/model_quantized.onnx");
      assert.equal(lacking.filter((url) => /safetensors|\.bin|\.onnx/.test(url)).length, misses, model);
    }
  } finally {
    Object.assign(env, { remoteHost, useFSCache });
  }
});

test("dtype chooses the file, and compute the precision in memory", async () => {
  const folder = await onDisk({ ...config, ...MORE });
  for (const [dtype, name, row] of [
    ["fp32", "onnx/model.onnx", "fp32"],
    ["fp16", "onnx/model_fp16.onnx", "fp16"],
    ["q8", "onnx/model_quantized.onnx", "int8-channels"],
    ["q4", "onnx/model_q4.onnx", "q4"],
  ]) {
    const found = await load(folder, { dtype, compute: "fp32" });
    assert.deepEqual([found.name, found.dtype], [name, "fp32"]);
    near(found.logits, rows[row].logits, dtype);
  }
  assert.equal((await load(folder, { dtype: "q4" })).dtype, "q8");
  assert.equal((await load(folder, { dtype: "fp16" })).dtype, "fp16");
  await fails(load(folder, { compute: "q4" }), "unsupported", /compute: expected one of auto, fp32, fp16, q8/);
});

test("auto takes the exact numbers from disk and the small file from a server", async () => {
  const files = { ...config, ...MORE };
  assert.equal((await load(await onDisk(files))).name, "onnx/model.onnx");
  assert.equal((await load({ files })).name, "onnx/model.onnx");
  assert.equal((await load(byUrl(files))).name, "onnx/model_quantized.onnx");
});

test("reads a file of more bits if the named one is missing, and none of fewer", async () => {
  const folder = await onDisk({ ...config, ...BOTH });
  assert.equal((await load(folder, { dtype: "fp16" })).name, "onnx/model.onnx");
  assert.equal((await load(folder, { dtype: "q4" })).name, "onnx/model_quantized.onnx");
  const small = await onDisk({ ...config, "onnx/model_quantized.onnx": BOTH["onnx/model_quantized.onnx"] });
  await fails(load(small, { dtype: "fp32" }), "not_found", /model\.safetensors/);
});

test("model_file_name names a file even beside other weights", async () => {
  const folder = await onDisk({ ...config, ...MORE, "model.safetensors": "not read", "other.onnx": file("fp32") });
  const found = await load(folder, { model_file_name: "model_O1", dtype: "fp32" });
  assert.equal(found.name, "onnx/model_O1.onnx");
  near(found.logits, rows["uint8-channels"].logits, "model_O1");
  assert.equal((await load(folder, { model_file_name: "other", dtype: "fp32", subfolder: "" })).name, "other.onnx");
  await fails(load(folder, { model_file_name: "model_O2", dtype: "fp32" }), "not_found", /onnx\/model_O2\.onnx/);
  await fails(load(folder, { model_file_name: "../x" }), "bad_input", /model_file_name/);
  // without a name, the other weights are read
  await fails(load(folder, { dtype: "fp32" }), "bad_weights", /model\.safetensors/);
});

test("fetches external data, and names it if it is missing", async () => {
  const files = { ...config, "onnx/model.onnx": file("external"), "onnx/model.onnx_data": file("external", "data") };
  for (const from of [await onDisk(files), byUrl(files), { files }])
    near((await load(from, { dtype: "fp32" })).logits, rows.fp32.logits, "external");
  const { "onnx/model.onnx_data": _, ...rest } = files;
  for (const from of [await onDisk(rest), byUrl(rest)])
    await fails(load(from, { dtype: "fp32" }), "not_found", /onnx\/model\.onnx_data/);
});
