// Folders with PyTorch files instead of safetensors, through the public API over the built package.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { AutoModel, AutoModelForMaskedLM, convert, env, pipeline } from "../dist/node.js";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens");
const all = await readFile(join(goldens, "pytorch", "files"));
const rows = JSON.parse(await readFile(join(goldens, "pytorch", "files.json"), "utf8"));
/** A file of tests/goldens/pytorch. */
const file = (name) => all.subarray(...rows[name].bytes);
const model = (name) => readFile(join(goldens, "models/electra-mlm", name));
const config = { "config.json": await model("config.json") };
const safetensors = await model("model.safetensors");
const { cases } = JSON.parse(await model("cases.json"));

const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function onDisk(files) {
  const folder = await mkdtemp(join(tmpdir(), "webert-pytorch-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

async function logits(source, options = {}) {
  const loaded = await AutoModelForMaskedLM.from_pretrained(source, { dtype: "fp32", ...options });
  const { logits } = await loaded(cases[0].inputs);
  await loaded.dispose();
  return logits.data;
}

const whole = (name) => ({ ...config, "pytorch_model.bin": file(name) });
const tensorsOf = (name) => {
  const bytes = file(name);
  return Object.keys(JSON.parse(safetensors.toString("utf8", 8, 8 + Number(safetensors.readBigUInt64LE(0))))).filter(
    (tensor) => tensor !== "__metadata__" && bytes.includes(tensor),
  );
};
const shards = () => {
  const names = ["pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"];
  const weight_map = {};
  for (const [n, name] of names.entries())
    for (const tensor of tensorsOf(`model-shard-${n}`)) weight_map[tensor] ??= name;
  return {
    ...config,
    "pytorch_model.bin.index.json": Buffer.from(JSON.stringify({ metadata: {}, weight_map })),
    [names[0]]: file("model-shard-0"),
    [names[1]]: file("model-shard-1"),
  };
};

test("pytorch_model.bin and its shards load the same weights as model.safetensors", async () => {
  const expected = await logits({ files: { ...config, "model.safetensors": safetensors } });
  for (const files of [whole("model"), whole("model-legacy"), whole("model-views"), shards()])
    for (const source of [{ files }, await onDisk(files)]) assert.deepEqual(await logits(source), expected);
});

test("prefers model.safetensors over pytorch_model.bin", async () => {
  const files = { ...whole("bad-eval-2"), "model.safetensors": safetensors };
  assert.deepEqual(await logits({ files }), await logits({ files: whole("model") }));
});

test("a download reports its progress, is kept, and can be aborted", async () => {
  const files = whole("model");
  let asked = 0;
  const server = createServer(({ url }, response) => {
    const content = files[url.replace("/maker/model/resolve/main/", "")];
    if (url.endsWith(".bin")) asked++;
    if (content) response.writeHead(200, { "content-length": content.length }).end(content);
    else response.writeHead(404).end();
  });
  await new Promise((done) => server.listen(0, done));
  after(() => server.close());
  env.remoteHost = `http://localhost:${server.address().port}/`;
  const source = "maker/model";
  const cache_dir = await onDisk({});
  const events = [];
  const first = await logits(source, { cache_dir, progress_callback: (event) => events.push(event) });
  const of = events.filter((event) => event.file === "pytorch_model.bin");
  assert.deepEqual([...new Set(of.map(({ status }) => status))], ["initiate", "download", "progress", "done"]);
  assert.equal(of.findLast(({ status }) => status === "progress").loaded, files["pytorch_model.bin"].length);
  assert.equal(events.findLast(({ status }) => status === "progress_total").progress, 100);
  assert.deepEqual(await logits(source, { cache_dir }), first);
  assert.equal(asked, 1);
  const aborting = new AbortController();
  const progress_callback = ({ file, status }) =>
    file === "pytorch_model.bin" && status === "download" && aborting.abort();
  await fails(logits({ files }, { signal: aborting.signal, progress_callback }), "aborted", /abort/);
});

test("rejects hostile and damaged files by name and runs nothing in them", async () => {
  // Other files are rejected for their tensors first, which do not belong to a model.
  const early =
    /^bad-(operation|os-system|eval|exec|getattr|import|open|hub|namespace|datetime|module|bomb|html|lfs|other)/;
  const refused = Object.entries(rows).filter(([name]) => early.test(name));
  assert.ok(refused.length > 60);
  for (const [name, { code, words }] of refused)
    await assert.rejects(AutoModel.from_pretrained({ files: whole(name) }), (error) => {
      assert.equal(error.code, code, `${name}: ${error.message}`);
      for (const word of ["pytorch_model.bin", ...words]) assert.ok(error.message.includes(word), error.message);
      return true;
    });
  assert.ok(!existsSync("ran"));
});

test("an error names the way out", async () => {
  const loading = AutoModel.from_pretrained({ files: whole("bad-nested") });
  await fails(loading, "unsupported", /below "state_dict"\. Way out, if you trust the file: .*save_pretrained\(\)/);
});

test("reads modules of sentence-transformers from pytorch_model.bin", async () => {
  const { texts, encoder, cases } = JSON.parse(await readFile(join(goldens, "folders.json"), "utf8"));
  const bytesOf = (content) =>
    content?.base64 === undefined ? Buffer.from(JSON.stringify(content)) : Buffer.from(content.base64, "base64");
  for (const name of ["two-dense", "layers", "static-dense"]) {
    const { files, calls, static: isStatic } = cases.find((one) => one.name === name);
    const folder = {};
    const put = (from, content, path) => {
      const isWeights = path.endsWith("model.safetensors");
      const older = path.replace("model.safetensors", "pytorch_model.bin");
      folder[older] = isWeights ? file(`${from}/${path}`) : bytesOf(content);
    };
    if (!isStatic) for (const [path, content] of Object.entries(encoder)) put("encoder", content, path);
    for (const [path, content] of Object.entries(files)) {
      const isMerged = !isStatic && path in encoder;
      put(name, isMerged ? { ...encoder[path], ...content } : content, path);
    }
    assert.ok(Object.keys(folder).some((path) => path.endsWith(".bin")));
    const embed = await pipeline("feature-extraction", { files: folder }, { dtype: "fp32" });
    for (const { options, embeddings } of calls) {
      const got = (await embed(texts, { pooling: "model", ...options })).tolist();
      for (const [n, vector] of embeddings.entries())
        for (const [i, value] of vector.entries()) assert.ok(Math.abs(got[n][i] - value) < 1e-4, `${name} ${n} ${i}`);
    }
    await embed.dispose();
  }
});

test("two models over one folder share its encoder", async () => {
  const folder = await onDisk(whole("model"));
  const first = await AutoModelForMaskedLM.from_pretrained(folder, { dtype: "fp32" });
  const second = await AutoModel.from_pretrained(folder, { dtype: "fp32" });
  const [one, other] = [await first(cases[0].inputs), await second(cases[0].inputs)];
  assert.deepEqual(one.logits.data, other.logits.data);
  await Promise.all([first.dispose(), second.dispose()]);
});

test("convert writes pytorch_model.bin as safetensors", async () => {
  for (const files of [whole("model"), shards()]) {
    const blob = await convert({ files }, { dtype: "fp16" });
    const converted = { ...config, "model.safetensors": new Uint8Array(await blob.arrayBuffer()) };
    const expected = await logits({ files: { ...config, "model.safetensors": safetensors } }, { dtype: "fp16" });
    assert.deepEqual(await logits({ files: converted }, { dtype: "fp16" }), expected);
  }
});
