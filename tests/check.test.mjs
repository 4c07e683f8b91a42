// `webert check` over folders and a server that answers as the Hub does: what it says must be what a load does.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pipeline } from "../dist/node.js";

const goldens = join(import.meta.dirname, "goldens");
const cli = join(import.meta.dirname, "../dist/cli.js");

let dir, server, origin;
const TASKS = Object.keys(JSON.parse(await readFile(join(import.meta.dirname, "interface.json"), "utf8")));
/** Requests: method, URL, range. */
const hits = [];

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "webert-check-"));
  server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});

/** Serves /owner/NAME/resolve/main/FILE from the folder NAME. Weights are elsewhere, as on the Hub. */
async function serve(request, response) {
  const { pathname } = new URL(request.url, origin);
  hits.push({ method: request.method, path: pathname, range: request.headers.range });
  const [, owner, name, resolve, revision, ...rest] = pathname.split("/");
  const path = join(dir, name ?? "", ...rest);
  if (resolve !== "resolve" || revision !== "main" || !(await stat(path).catch(() => undefined))?.isFile())
    return response.writeHead(404).end("Entry not found");
  if (owner === "owner" && path.endsWith(".safetensors"))
    return response.writeHead(302, { location: pathname.replace("owner", "cdn") }).end();
  const bytes = await readFile(path);
  const etag = `"${createHash("sha1").update(bytes).digest("hex")}"`;
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const headers = { "accept-ranges": "bytes", etag, "content-type": "application/octet-stream" };
  if (from === undefined) return response.writeHead(200, { ...headers, "content-length": bytes.length }).end(bytes);
  const part = bytes.subarray(Number(from), to ? Number(to) + 1 : undefined);
  const end = Number(from) + part.length - 1;
  response.writeHead(206, {
    ...headers,
    "content-length": part.length,
    "content-range": `bytes ${from}-${end}/${bytes.length}`,
  });
  response.end(part);
}

/** Copies a golden into a folder, and writes more files into it. */
async function laid(name, golden, files = {}) {
  const folder = join(dir, name);
  await cp(join(goldens, golden), folder, { recursive: true });
  await rm(join(folder, "cases.json"), { force: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  return folder;
}

/** Runs `webert check`. Returns the exit code and the parsed output. */
async function check(...args) {
  const { stdout, code } = await promisify(execFile)(process.execPath, [cli, "check", ...args, "--json"]).catch(
    (error) => error,
  );
  return { code: code ?? 0, ...JSON.parse(stdout) };
}

const url = (name) => `${origin}/owner/${name}/resolve/main/`;
const sizes = async (folder) =>
  Object.fromEntries(
    await Promise.all((await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).size])),
  );

test("a folder and a repository: the tasks, and the files with their sizes", async () => {
  const folder = await laid("nli", "models/bert-seqcls-nli");
  const expected = await sizes(folder);
  for (const place of [folder, url("nli")]) {
    hits.length = 0;
    const { code, loads, tasks, model_type, files, bytes, error } = await check(place);
    assert.deepEqual([code, loads, model_type, error], [0, true, "bert", undefined]);
    assert.deepEqual(tasks, ["text-classification", "zero-shot-classification", "feature-extraction"]);
    assert.deepEqual(Object.fromEntries(files.map(({ file, bytes }) => [file, bytes])), expected);
    assert.equal(
      bytes,
      Object.values(expected).reduce((a, b) => a + b),
    );
  }
  const weights = hits.filter(({ path, method }) => path.endsWith("model.safetensors") && method === "GET");
  assert.ok(weights.length && weights.every(({ range }) => range), JSON.stringify(weights));
});

test("only the beginning of a file of weights is requested", async () => {
  const folder = await laid("large", "models/bert-mlm");
  const file = join(folder, "model.safetensors");
  // A tensor of 64 MB that the model does not have: the file is sparse.
  const bytes = await readFile(file);
  const length = Number(bytes.readBigUInt64LE());
  const header = JSON.parse(bytes.subarray(8, 8 + length));
  const data = bytes.length - 8 - length;
  const more = 2 ** 26;
  header.other = { dtype: "F32", shape: [more / 4], data_offsets: [data, data + more] };
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  await writeFile(file, Buffer.concat([size, text, bytes.subarray(8 + length)]));
  await truncate(file, 8 + text.length + data + more);
  hits.length = 0;
  const found = await check(url("large"));
  assert.equal(found.loads, true, found.error?.message);
  assert.ok(found.bytes > more);
  const asked = hits.map(({ range }) => /bytes=(\d+)-(\d+)/.exec(range ?? "")).filter(Boolean);
  assert.ok(
    asked.every(([, from, to]) => to - from < 2 ** 20),
    JSON.stringify(asked),
  );
});

test("shards, sentence-transformers folders and static embeddings", async () => {
  await laid("sharded", "models/bert-mlm-sharded");
  const sharded = await check(url("sharded"));
  assert.ok(sharded.loads && sharded.tasks.includes("fill-mask"), sharded.error?.message);
  assert.equal(sharded.files.filter(({ file }) => file.endsWith(".safetensors")).length, 2);
  const { encoder, cases } = JSON.parse(await readFile(join(goldens, "folders.json"), "utf8"));
  for (const [name, weights] of [
    ["plain", ["model.safetensors"]],
    ["zero-transformer", ["0_Transformer/model.safetensors"]],
    [
      "two-dense",
      ["2_Dense/model.safetensors", "3_Dense/model.safetensors", "4_LayerNorm/model.safetensors", "model.safetensors"],
    ],
    ["static", ["model.safetensors"]],
    ["static-below", ["0_StaticEmbedding/model.safetensors"]],
  ]) {
    const { files, below, static: isStatic } = cases.find((found) => found.name === name);
    const own = isStatic
      ? {}
      : Object.fromEntries(
          Object.entries(encoder).map(([file, content]) => [below ? `${below}/${file}` : file, content]),
        );
    for (const [file, content] of Object.entries({ ...own, ...files })) {
      const path = join(dir, name, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(
        path,
        content.base64 === undefined ? JSON.stringify(content) : Buffer.from(content.base64, "base64"),
      );
    }
    for (const place of [join(dir, name), url(name)]) {
      const found = await check(place);
      assert.ok(found.loads && found.tasks.includes("feature-extraction"), `${name}: ${found.error?.message}`);
      const read = found.files.map(({ file }) => file).filter((file) => file.endsWith(".safetensors"));
      assert.deepEqual(read.sort(), weights, place);
    }
  }
});

test("the data beside an ONNX file counts", async () => {
  const all = await readFile(join(goldens, "onnx/files"));
  const { config, external } = JSON.parse(await readFile(join(goldens, "onnx/files.json"), "utf8"));
  const bytes = (field) => all.subarray(...external[field]);
  const folder = join(dir, "external");
  await mkdir(join(folder, "onnx"), { recursive: true });
  await cp(join(goldens, "models/bert-seqcls-3"), folder, {
    recursive: true,
    filter: (path) => !/safetensors|cases/.test(path),
  });
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  await writeFile(join(folder, "onnx/model.onnx"), bytes("bytes"));
  await writeFile(join(folder, "onnx/model.onnx_data"), bytes("data"));
  const { files } = await check(folder);
  const size = (name) => files.find(({ file }) => file.endsWith(name))?.bytes;
  assert.equal(size("onnx/model.onnx_data"), bytes("data").length);
  assert.equal(size("onnx/model.onnx"), bytes("bytes").length);
});

test("a task that the model does not do, and a head that is missing", async () => {
  const folder = await laid("mlm", "models/bert-mlm");
  assert.equal((await check(folder, "--task", "fill-mask")).code, 0);
  const found = await check(folder, "--task", "question-answering");
  assert.deepEqual([found.code, found.loads, found.error.code], [1, false, "unsupported"]);
  assert.match(found.error.message, /question-answering: expected one of the model's tasks, fill-mask/);
});

test("what does not load is said with the error of a load", async () => {
  const config = async (golden, fields) => {
    const file = await readFile(join(goldens, golden, "config.json"), "utf8");
    return JSON.stringify({ ...JSON.parse(file), ...fields });
  };
  const golden = "models/bert-mlm";
  const folders = [
    await laid("t5", golden, { "config.json": await config(golden, { model_type: "t5" }) }),
    await laid("narrow", golden, { "config.json": await config(golden, { intermediate_size: 8 }) }),
    await laid("deep", golden, { "config.json": await config(golden, { num_hidden_layers: 40 }) }),
    await laid("mecab", golden, { "tokenizer_config.json": '{"tokenizer_class": "BertJapaneseTokenizer"}' }),
    await laid("page", golden, { "model.safetensors": "<!DOCTYPE html><title>no</title>" }),
    join(dir, "nowhere"),
  ];
  for (const folder of folders) {
    const found = await check(folder);
    assert.deepEqual([found.code, found.loads, found.tasks], [1, false, []], folder);
    const error = await pipeline("fill-mask", folder, { device: "wasm" }).then(
      () => assert.fail(`${folder} loads`),
      (error) => error,
    );
    assert.deepEqual(found.error, { code: error.code, message: error.message });
  }
});

test("the tasks are the tasks that load", async () => {
  for (const golden of [
    "bert-mlm",
    "bert-qa",
    "bert-seqcls-3",
    "bert-tokencls-bio",
    "bert-pretraining",
    "electra-discriminator",
  ]) {
    const folder = await laid(golden, `models/${golden}`);
    const { tasks } = await check(folder);
    for (const task of TASKS) {
      const loads = await pipeline(task, folder, { device: "wasm" }).then(
        async (pipe) => (await pipe.dispose(), true),
        () => false,
      );
      if (!loads) assert.ok(!tasks.includes(task), `${golden}: ${task} does not load`);
      else if (!["zero-shot-classification", "text-ranking"].includes(task))
        assert.ok(tasks.includes(task), `${golden}: ${task}`);
    }
  }
});

test("the text names the files and the reason", async () => {
  const folder = await laid("text", "models/bert-qa");
  const { stdout } = await promisify(execFile)(process.execPath, [cli, "check", folder]);
  assert.match(
    stdout,
    /\(bert\) loads\ntasks: question-answering, feature-extraction\ndownload: [\d.]+ kB\n +[\d.]+ kB {2}\w/,
  );
  const failed = await promisify(execFile)(process.execPath, [cli, "check", join(dir, "none")]).catch((error) => error);
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /does not load: .*config\.json.* \(not_found\)\n/);
});
