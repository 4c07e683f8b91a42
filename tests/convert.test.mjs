// `convert` and the command line, on small checkpoints in Node.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { AutoModelForMaskedLM, convert } from "../dist/node.js";

const goldens = new URL("goldens/models/", import.meta.url).pathname;
const cli = new URL("../dist/cli.js", import.meta.url).pathname;
let dir;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "webert-convert-"));
});
after(() => rm(dir, { recursive: true }));

const INPUTS = { input_ids: [[2, 5, 9, 17, 4, 23, 3]] };

async function logits(source, dtype = "auto") {
  const model = await AutoModelForMaskedLM.from_pretrained(source, { dtype });
  const { logits } = await model(INPUTS);
  await model.dispose();
  return logits.data;
}

/** The checkpoint with its weights replaced. */
async function withWeights(name, blob) {
  const folder = join(dir, `${name}-${Math.random()}`);
  await cp(join(goldens, name), folder, { recursive: true, filter: (path) => !/safetensors/.test(path) });
  await writeFile(join(folder, "model.safetensors"), await bytesOf(blob));
  return folder;
}

/** name → { dtype, shape, data } of a safetensors file without extra bytes. */
function tensors(bytes) {
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const { __metadata__, ...all } = JSON.parse(bytes.toString("utf8", 8, start));
  assert.equal(bytes.length, start + Math.max(...Object.values(all).map(({ data_offsets }) => data_offsets[1])));
  const entry = ({ dtype, shape, data_offsets: [from, to] }) => ({
    dtype,
    shape,
    data: Uint8Array.from(bytes.subarray(start + from, start + to)),
  });
  return Object.fromEntries(Object.entries(all).map(([name, info]) => [name, entry(info)]));
}

const bytesOf = async (blob) => Buffer.from(await blob.arrayBuffer());

/** The result of `convert` for one F32 matrix x. */
async function converted(rows, dtype) {
  const [shape, values] = [[rows.length, rows[0].length], Float32Array.from(rows.flat())];
  const json = Buffer.from(JSON.stringify({ x: { dtype: "F32", shape, data_offsets: [0, 4 * values.length] } }));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(json.length));
  const files = { "model.safetensors": Buffer.concat([size, json, Buffer.from(values.buffer)]) };
  return tensors(await bytesOf(await convert({ files }, { dtype })));
}

const cosine = (a, b) => {
  const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

const fails = (promise, code, pattern) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });

test("fp16: writes the weights that loading as fp16 returns, from F32, BF16 and shards", async () => {
  for (const name of ["bert-mlm", "bert-mlm-bf16", "bert-mlm-sharded"]) {
    const blob = await convert(join(goldens, name), { dtype: "fp16" });
    const folder = await withWeights(name, blob);
    const expected = await logits(join(goldens, name), "fp16");
    assert.deepEqual(await logits(folder, "fp16"), expected, name);
  }
});

test("fp16: keeps every half float", async () => {
  const half = await readFile(join(goldens, "bert-mlm-fp16/model.safetensors"));
  const again = await convert({ files: { "model.safetensors": half } }, { dtype: "fp16" });
  const words = (bytes) => tensors(bytes)["bert.embeddings.word_embeddings.weight"];
  assert.equal(words(half).dtype, "F16");
  assert.deepEqual(words(await bytesOf(again)), words(half));
});

test("fp16: only numbers beyond the largest half float become infinite", async () => {
  const halves = [
    [1, 0x3c00],
    [-0, 0x8000],
    [65504, 0x7bff],
    [65519, 0x7bff],
    [65520, 0x7c00],
    [-1e6, 0xfc00],
    [Infinity, 0x7c00],
    [NaN, 0x7e00],
  ];
  const { x } = await converted([halves.map(([value]) => value)], "fp16");
  const found = Array.from(halves, (_, n) => Buffer.from(x.data).readUInt16LE(2 * n));
  assert.deepEqual(
    found,
    halves.map(([, half]) => half),
  );
});

/** Scales of BF16 as numbers. */
const widened = ({ dtype, data }) => {
  assert.equal(dtype, "BF16");
  return new Float32Array(Uint32Array.from(new Uint16Array(data.buffer), (bits) => bits << 16).buffer);
};

test("q8: writes int8 matrices with a scale per row and F32 vectors; every weight is within half a step", async () => {
  const source = join(goldens, "bert-mlm");
  const blob = await convert(source, { dtype: "q8" });
  const [small, exact] = [tensors(await bytesOf(blob)), tensors(await readFile(join(source, "model.safetensors")))];
  for (const [name, { shape, data }] of Object.entries(exact)) {
    const { dtype, shape: found, data: integers } = small[name];
    assert.deepEqual([dtype, found], [shape.length === 2 ? "I8" : "F32", shape], name);
    if (shape.length !== 2) {
      assert.deepEqual(integers, data, name);
      continue;
    }
    const scales = widened(small[`${name}_scale`]);
    const [values, q] = [new Float32Array(data.buffer), new Int8Array(integers.buffer)];
    assert.equal(scales.length, shape[0]);
    values.forEach((value, i) => {
      const scale = scales[Math.floor(i / shape[1])];
      assert.ok(Math.abs(q[i] * scale - value) <= scale * 0.5001, `${name} ${i}`);
    });
  }
  // A network of random weights and width 32 is the hardest case.
  const [a, b] = [await logits(await withWeights("bert-mlm", blob)), await logits(source, "fp32")];
  assert.ok(cosine(a, b) > 0.995, `${cosine(a, b)}`);
});

test("q8: a row's scale is the smallest BF16 number that keeps its largest weight at 127 or less", async () => {
  const rows = [
    [0, 0],
    [127, -3],
    [127.1, 1],
    [-128, 0.2],
    [1e-38, -1e-39],
    [3e38, 1],
  ];
  const { x, x_scale } = await converted(rows, "q8");
  const [scales, q] = [widened(x_scale), new Int8Array(x.data.buffer)];
  const next = (scale) => 2 ** (Math.max(-126, Math.floor(Math.log2(scale))) - 7);
  rows.forEach((values, row) => {
    const greatest = Math.max(...values.map(Math.abs));
    const [scale, numbers] = [scales[row], q.subarray(2 * row, 2 * row + 2)];
    assert.ok(scale * 127 >= greatest * (1 - 2 ** -23), `${greatest}: ${scale} is too small`);
    if (scale) assert.ok((scale - next(scale)) * 127 < greatest, `${greatest}: ${scale} is too large`);
    assert.deepEqual(
      [...numbers],
      values.map((value) => (scale ? Math.round(value / scale) + 0 : 0)),
    );
    assert.ok(Math.max(...numbers.map(Math.abs)) >= (scale > 2 ** -120 ? 126 : 0), `${greatest}: ${numbers}`);
  });
  assert.deepEqual([scales[0], scales[1], scales[2]], [0, 1, 1 + 2 ** -7]);
});

test("names what cannot be converted", async () => {
  const source = join(goldens, "bert-mlm");
  await fails(convert(source, { dtype: "q4" }), "unsupported", /q8, fp16, got "q4"/);
  await fails(convert(source), "unsupported", /q8, fp16/);
  await fails(convert(join(dir, "nowhere"), { dtype: "q8" }), "not_found", /model\.safetensors/);
  const weights = await readFile(join(source, "model.safetensors"));
  const cut = { files: { "model.safetensors": weights.subarray(0, weights.length - 7) } };
  await fails(convert(cut, { dtype: "q8" }), "bad_weights", /ends 7 bytes too early/);
  await fails(
    convert({ files: { "model.safetensors": weights.subarray(0, 4) } }, { dtype: "q8" }),
    "bad_weights",
    /too early/,
  );
  const changed = (change) => {
    const length = Number(weights.readBigUInt64LE(0));
    const header = JSON.parse(weights.subarray(8, 8 + length).toString());
    const json = Buffer.from(JSON.stringify(change(header)));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(json.length));
    return { files: { "model.safetensors": Buffer.concat([size, json, weights.subarray(8 + length)]) } };
  };
  const tensor = (header) => Object.values(header).find(({ dtype }) => dtype === "F32");
  for (const [change, pattern] of [
    [(header) => (Object.assign(tensor(header), { dtype: "F16" }), header), /F16.*has \d+ bytes, expected/],
    [(header) => (Object.assign(tensor(header), { dtype: "Q4" }), header), /"Q4"/],
    [(header) => (Object.assign(tensor(header), { shape: [-1] }), header), /lacks shape/],
    [() => [], /not a JSON object/],
    [() => null, /not a JSON object/],
    [() => ({}), /bytes after the last tensor/],
  ])
    await fails(convert(changed(change), { dtype: "q8" }), "bad_weights", pattern);
  const q8 = { files: { "model.safetensors": await convert(source, { dtype: "q8" }) } };
  await fails(convert(q8, { dtype: "fp16" }), "bad_weights", /expected floats, got int8/);
  await fails(convert(source, { dtype: "q8", signal: AbortSignal.abort() }), "aborted", /./);
});

const run = (...args) => promisify(execFile)(process.execPath, [cli, ...args]);

test("the command line answers in JSON, and fails in one line", async () => {
  const [best, second] = JSON.parse((await run("fill-mask", "Paris is the [MASK] of France.", "--top_k", "2")).stdout);
  assert.equal(best.token_str, "capital");
  assert.ok(best.score > second.score);
  const { stdout } = await run("feature-extraction", "A kitten.", "--pooling", "mean");
  assert.equal(JSON.parse(stdout).dims.join(), "1,384");
  const masks = JSON.parse(
    (await run("fill-mask", "the [MASK] is on the [MASK].", "--strategy", "mask-predict", "--num_steps", "2")).stdout,
  );
  assert.deepEqual(
    masks.map(({ length }) => length),
    [1, 1],
  );
  assert.equal(masks[0][0].sequence, masks[1][0].sequence);
  const folder = (name) => join(goldens, "../sentence-transformers", name);
  const documents = ["the garden is dark", "a letter was sold"];
  const ranked = await run(
    "text-ranking",
    folder("cross-encoder-one-label"),
    "who?",
    ...documents,
    "--return_documents",
  );
  for (const { corpus_id, text } of JSON.parse(ranked.stdout)) assert.equal(text, documents[corpus_id]);
  const prompted = ["--pooling", "model", "--prompt_name", "query", "--truncate_dim", "5"];
  const vector = await run("feature-extraction", folder("prompts-default"), "a", ...prompted);
  assert.equal(JSON.parse(vector.stdout).dims.join(), "1,5");
  assert.match((await run("--help")).stdout, /^usage:/);
  assert.equal(
    (await run("--version")).stdout,
    `${JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")).version}\n`,
  );
  // texts that look like numbers
  const [year] = JSON.parse((await run("fill-mask", "It was in [MASK].", "--targets", "2019")).stdout);
  assert.equal(year.token_str, "2019");
  await assert.rejects(
    run("fill-mask", "./nowhere", "[MASK]"),
    ({ code, stderr }) => code === 1 && /nowhere.*\(not_found\)$/.test(stderr.trim()),
  );
});

test("reports a usage error in one line, with exit code 2", async () => {
  for (const [args, message] of [
    [["fill"], /unknown command "fill": expected one of fill-mask, .*copy$/],
    [
      ["fill-mask", "[MASK]", "--topk", "3"],
      /unknown option --topk of fill-mask: expected one of --model, --top_k, --targets, --layer, --strategy.*; did you mean --top_k\?$/,
    ],
    [
      ["ner", "m", "text", "--aggregation", "simple"],
      /unknown option --aggregation of token-classification: .*; did you mean --aggregation_strategy\?$/,
    ],
    [["fill-mask", "[MASK]", "--pooling", "mean"], /unknown option --pooling of fill-mask: expected one of --/],
    [["fill-mask", "[MASK]", "--colour"], /unknown option --colour of fill-mask: expected one of --/],
    [
      ["text-classification", "--color", "x"],
      /: expected one of --model, --top_k, --function_to_apply, --device, --dtype, --threads, --revision, --subfolder, --local_files_only, --cache_dir, --token$/,
    ],
    [
      ["convert", "m", "--dtype", "q8", "--to", "x", "--top_k", "3"],
      /unknown option --top_k of convert: expected one of --model, --dtype, --to, --revision/,
    ],
    [["copy", "x", "--force"], /unknown option --force of copy: expected none$/],
    [["fill-mask", "[MASK]", "--dtype"], /--dtype: expected a value$/],
    [["fill-mask", "[MASK]", "--top_k", "--dtype", "q8"], /--top_k: expected a value$/],
    [
      ["question-answering", "one"],
      /expected at least 2 words, got 1; usage: webert question-answering \[MODEL\] QUESTION CONTEXT$/,
    ],
    [["convert"], /usage: webert convert MODEL --dtype q8\|fp16 --to FOLDER$/],
    [["convert", "m", "--to", "x"], /usage: webert convert/],
    [["copy"], /usage: webert copy FOLDER$/],
  ]) {
    await assert.rejects(run(...args), ({ code, stdout, stderr }) => {
      assert.match(stderr.trim(), message, args.join(" "));
      assert.deepEqual([code, stdout, stderr.trim().split("\n").length], [2, "", 1]);
      return true;
    });
  }
});

test("the help of each command describes every option, with the defaults of Rust", async () => {
  const general = (await run("--help")).stdout;
  const commands = [...general.matchAll(/^ {2}webert ([a-z-]+) .*\S {2,}\S/gm)].map(([, command]) => command);
  assert.ok(commands.includes("fill-mask") && commands.includes("copy") && commands.length > 15);
  assert.match(general, /exit codes: 0 success, 1 failure, 2 usage error$/m);
  const interfaces = JSON.parse(await readFile(new URL("../tests/interface.json", import.meta.url), "utf8"));
  for (const command of commands) {
    const { stdout } = await run(command, "--help");
    assert.match(stdout, new RegExp(`^usage: webert ${command} .+\n\n[A-Z].*\\.\n\noptions:\n`));
    const lines = stdout.split("options:\n")[1].trimEnd().split("\n");
    const described = Object.fromEntries(
      lines.map((line) => /^ {2}--(\w+) +(\S.*)$/.exec(line)?.slice(1) ?? [line, ""]),
    );
    assert.deepEqual(
      Object.entries(described).filter(([, text]) => !text),
      [],
      command,
    );
    for (const [name, value] of Object.entries(interfaces[command]?.defaults ?? {}))
      if (value !== null)
        assert.ok(described[name].endsWith(`(default: ${JSON.stringify(value)})`), `${command} --${name}`);
  }
  assert.match((await run("--help", "convert")).stdout, /^usage: webert convert/);
  assert.match((await run("ner", "--help")).stdout, /--aggregation_strategy/);
});

test("a flag does not take a text as its value, and -- ends the options", async () => {
  const { stdout } = await run("feature-extraction", "--normalize", "A kitten.", "--pooling=mean", "--threads", "1");
  assert.equal(JSON.parse(stdout).dims.join(), "1,384");
  const [dash] = JSON.parse((await run("fill-mask", "--top-k", "1", "--", "--Paris is the [MASK] of France.")).stdout);
  assert.equal(dash.token_str, "capital");
});

test("the command line converts a folder that then loads", async () => {
  const to = join(dir, "small");
  const { stdout } = await run("convert", join(goldens, "bert-mlm"), "--dtype", "q8", "--to", to);
  assert.match(stdout, /MB/);
  assert.deepEqual((await readdir(to)).sort(), [
    "config.json",
    "model.safetensors",
    "tokenizer_config.json",
    "vocab.txt",
  ]);
  assert.ok((await logits(to)).length > 0);
  const named = join(dir, "named");
  await cp(join(goldens, "bert-mlm"), named, { recursive: true });
  await rename(join(named, "model.safetensors"), join(named, "large.safetensors"));
  const config = JSON.parse(await readFile(join(named, "config.json"), "utf8"));
  await writeFile(join(named, "config.json"), JSON.stringify({ ...config, transformers_weights: "large.safetensors" }));
  await promisify(execFile)(process.execPath, [cli, "convert", named, "--dtype", "q8", "--to", "2024"], { cwd: dir });
  assert.deepEqual(await logits(join(dir, "2024")), await logits(to));
});

test("names a folder that cannot be written and leaves no incomplete file", async () => {
  const attempt = (to, limit) =>
    promisify(execFile)("sh", [
      "-c",
      `${limit} exec "$@"`,
      "sh",
      process.execPath,
      cli,
      "convert",
      join(goldens, "bert-mlm"),
      "--dtype",
      "q8",
      "--to",
      to,
    ]).then(
      () => assert.fail("it was written"),
      ({ stderr }) => stderr,
    );
  const file = join(dir, "a-file");
  await writeFile(file, "content");
  assert.match(await attempt(file, ""), /webert: --to .*a-file could not be written: .*\(unsupported\)/);
  assert.equal(await readFile(file, "utf8"), "content");
  // No file may have more than 8 kB: room for the configuration, not for the weights.
  for (const to of ["new/folder", "old"]) {
    const folder = join(dir, to);
    if (to === "old") await mkdir(folder).then(() => writeFile(join(folder, "config.json"), "mine"));
    assert.match(
      await attempt(folder, "ulimit -f 16;"),
      /webert: --to .*could not be written: .*\((unsupported|out_of_memory)\)/,
    );
    const left = await readdir(dir, { recursive: true });
    assert.deepEqual(
      left.filter((path) => path.startsWith("new") || path.includes("parts")),
      [],
    );
    if (to === "old") assert.equal(await readFile(join(folder, "config.json"), "utf8"), "mine");
  }
});
