// Models and tokenizers of families other than BERT's, by the package. It must fetch the binary with all features without being asked, in a
// page's Worker and thread, by webert/inline, and in Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { blank, withPage } from "./browser.mjs";

const goldens = new URL("goldens/families/", import.meta.url);
const folderOf = (model) => new URL(`${model.replace("families/", "models/")}/`, goldens);
const rowsOf = (task) => JSON.parse(readFileSync(new URL(`pipelines/${task}.json`, goldens), "utf8"));
/** A row of each family: the first one without an error of a task and model. */
const CASES = [
  ["text-classification", "roberta-seqcls"],
  ["fill-mask", "xlm-roberta-mlm"],
  ["question-answering", "albert-qa"],
  ["fill-mask", "mpnet-mlm"],
  ["fill-mask", "modernbert-mlm"],
].map(([task, name]) => {
  const model = `families/${name}`;
  const row = rowsOf(task).find((row) => row.model === model && !row.error && typeof row.inputs !== "object");
  const other = rowsOf(task).find((row) => row.model === model && !row.error);
  const { inputs, options, output } = row ?? other;
  const args = task === "question-answering" ? [inputs.question, inputs.context] : [inputs];
  return { task, name, args: [...args, options], output };
});

/** Returns whether answers are equal, numbers within a rounding error. */
function assertClose(got, want, where) {
  if (typeof want === "number") return assert.ok(Math.abs(got - want) < 2e-4, `${where}: ${got}, expected ${want}`);
  if (typeof want !== "object" || want === null) return assert.equal(got, want, where);
  const [found, expected] = [got, want].map((value) => (Array.isArray(value) && value.length === 1 ? value[0] : value));
  for (const key of Object.keys(expected)) assertClose(found[key], expected[key], `${where}.${key}`);
}

/** In a page: answers of a pipeline, ids by its tokenizer and by AutoTokenizer, and the running threads. */
const answer = async ({ entry, files, options, task, args }) => {
  const { AutoTokenizer, pipeline } = await import(entry);
  const source = { files: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, new URL(file)])) };
  const pipe = await pipeline(task, source, { device: "wasm", dtype: "fp32", ...options });
  const answers = await pipe(...args);
  const { threads, model_type } = pipe.info;
  const ids = pipe.tokenizer.encode("Some text, encoded.");
  await pipe.dispose();
  const tokenizer = await AutoTokenizer.from_pretrained(source);
  return { answers, threads, model_type, ids, same: String(ids) === String(tokenizer.encode("Some text, encoded.")) };
};

const filesOf = (name, url) =>
  Object.fromEntries(
    readdirSync(folderOf(`models/${name}`))
      .filter((file) => !/^(cases|q8.*)\.json$/.test(file))
      .map((file) => [file, `${url}tests/goldens/families/models/${name}/${file}`]),
  );

for (const [what, entry, options] of [
  ["in a Worker with threads", "index", { worker: true, threads: 2 }],
  ["in this thread", "index", { worker: false, threads: 1 }],
  ["in this thread and others", "index", { worker: false, threads: 2 }],
  ["by webert/inline in a Worker with threads", "inline", { worker: true, threads: 2 }],
  ["by webert/inline in this thread and others", "inline", { worker: false, threads: 2 }],
]) {
  // webert/inline takes long to load; one model is enough
  const cases = entry === "index" && options.worker ? CASES : CASES.slice(0, 1);
  test(`a page runs models of other families ${what}`, async () => {
    for (const { task, name, args, output } of cases) {
      const requests = [];
      const prepare = async (page) =>
        page.context().on("request", (request) => requests.push(request.url().split("/").pop()));
      await withPage({ path: blank, prepare }, async (page, { url }) => {
        const given = { entry: `${url}dist/${entry}.js`, files: filesOf(name, url), options, task, args };
        const found = await page.evaluate(answer, given);
        assertClose(found.answers, output, name);
        assert.equal(found.threads, options.threads);
        assert.ok(found.same, "the pipeline's tokenizer is AutoTokenizer's");
      });
      if (entry !== "index") continue;
      const binaries = requests.filter((name) => name.endsWith(".wasm"));
      assert.ok(binaries.length > 0 && binaries.every((name) => name.endsWith("_full.wasm")), binaries.join());
      const first = (name) => requests.indexOf(name);
      assert.ok(first("config.json") < first(binaries[0]), "config.json decides");
    }
  });
}

test("Node runs models of other families", async () => {
  const { AutoModel, AutoTokenizer, pipeline } = await import("../dist/node.js");
  for (const { task, name, args, output } of CASES) {
    const folder = fileURLToPath(folderOf(`models/${name}`));
    const pipe = await pipeline(task, folder, { dtype: "fp32" });
    assertClose(await pipe(...args), output, name);
    await pipe.dispose();
    const tokenizer = await AutoTokenizer.from_pretrained(folder);
    const model = await AutoModel.from_pretrained(folder, { dtype: "fp32" });
    const { logits, start_logits } = await model(tokenizer("Some text."));
    assert.ok((logits ?? start_logits).data.every(Number.isFinite), name);
    await model.dispose();
  }
});

/** Returns a function that calls a model with the inputs of a golden's case. */
const feeding = (Tensor, model) => (inputs) => {
  const tensor = (rows) => new Tensor("int64", rows.flat().map(BigInt), [rows.length, rows[0].length]);
  return model(Object.fromEntries(Object.entries(inputs).map(([name, rows]) => [name, tensor(rows)])));
};

test("computes DeBERTa in q8 as transformers does over the same rounded numbers", async () => {
  const { AutoModel, AutoModelForMaskedLM, AutoModelForQuestionAnswering, AutoModelForSequenceClassification, Tensor } =
    await import("../dist/node.js");
  for (const [name, Model] of [
    ["deberta-v1-base", AutoModel],
    ["deberta-v2-c2p", AutoModel],
    ["deberta-v3-mlm", AutoModelForMaskedLM],
    ["deberta-v3-qa", AutoModelForQuestionAnswering],
    ["deberta-v3-seqcls", AutoModelForSequenceClassification],
  ]) {
    const folder = folderOf(`models/${name}`);
    const model = await Model.from_pretrained(fileURLToPath(folder), { dtype: "q8", device: "cpu" });
    const call = feeding(Tensor, model);
    for (const { name: what, inputs, outputs } of JSON.parse(readFileSync(new URL("q8.json", folder), "utf8")).cases) {
      const found = await call(inputs);
      const mask = inputs.attention_mask?.flat();
      for (const [output, rows] of Object.entries(outputs)) {
        const [want, { data: got }] = [rows.flat(Number.POSITIVE_INFINITY), found[output]];
        assert.equal(got.length, want.length, `${name} ${what} ${output}`);
        // of sequences or of tokens; masked tokens are not compared
        const each = want.length / inputs.input_ids.flat().length;
        const isKept = (n) => !mask || each < 1 || mask[Math.floor(n / each)] === 1;
        const error = want.reduce((most, x, n) => (isKept(n) ? Math.max(most, Math.abs(x - got[n])) : most), 0);
        assert.ok(error < 2e-5, `${name} ${what} ${output}: ${error}`);
      }
    }
    await model.dispose();
  }
});

test("the command line runs models of other families", () => {
  const [{ task, name, args, output }] = CASES;
  const folder = fileURLToPath(folderOf(`models/${name}`));
  const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
  const printed = execFileSync(process.execPath, [cli, task, folder, args[0], "--dtype", "fp32"], { encoding: "utf8" });
  assertClose(JSON.parse(printed), output, name);
});

test("reads sentencepiece models in folders without tokenizer.json", async () => {
  const { AutoTokenizer, WebertError } = await import("../dist/node.js");
  for (const name of ["albert-spiece", "albert-cased-spiece", "xlmr-spiece"]) {
    const tokenizer = await AutoTokenizer.from_pretrained(fileURLToPath(new URL(`${name}/`, goldens)));
    for (const line of readFileSync(new URL(`${name}/single.jsonl`, goldens), "utf8")
      .trim()
      .split("\n")) {
      const { text, ids } = JSON.parse(line);
      assert.deepEqual(tokenizer(text, { return_tensor: false, max_length: 4096 }).input_ids, ids, `${name}: ${text}`);
    }
    tokenizer.dispose();
  }
  const files = { "sentencepiece.bpe.model": new Blob([Uint8Array.of(0x12, 2, 0x18, 2, 0x0a, 3, 0x0a, 1, 0x61)]) };
  await assert.rejects(AutoTokenizer.from_pretrained({ files }), (error) => {
    assert.ok(error instanceof WebertError);
    assert.equal(error.code, "unsupported");
    assert.match(error.message, /^sentencepiece\.bpe\.model: the model is BPE/);
    return true;
  });
});

test("the command line runs and converts a folder with a sentencepiece model", async () => {
  const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
  const run = (...args) => execFileSync(process.execPath, [cli, ...args], { encoding: "utf8" });
  const folder = mkdtempSync(join(tmpdir(), "webert-spiece-"));
  try {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    cpSync(fileURLToPath(folderOf("models/albert-seqcls")), from, { recursive: true });
    for (const name of readdirSync(from).filter((name) => /token/.test(name))) rmSync(join(from, name));
    for (const name of ["spiece.model", "tokenizer_config.json"])
      cpSync(fileURLToPath(new URL(`albert-spiece/${name}`, goldens)), join(from, name));
    const answer = JSON.parse(run("text-classification", from, "A fine soup.", "--dtype", "fp32"));
    run("convert", from, "--dtype", "fp16", "--to", to);
    assert.deepEqual(readFileSync(join(to, "spiece.model")), readFileSync(join(from, "spiece.model")));
    const [again] = JSON.parse(run("text-classification", to, "A fine soup.", "--dtype", "fp32"));
    assert.equal(again.label, answer[0].label);
    assert.ok(Math.abs(again.score - answer[0].score) < 1e-2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a BERT uses the smaller binary and does not share an engine that lacks its tokenizer", async () => {
  const { needsAll } = await importTypeScript("src/js/sources/small-binary.ts");
  const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  const bert = readFileSync(new URL("../models/minilm-mlm/tokenizer.json", import.meta.url));
  const config = bytes({ model_type: "bert", architectures: ["BertModel"] });
  assert.equal(needsAll({ "config.json": config, "tokenizer.json": bert }), false);
  assert.equal(needsAll({ "config.json": config, "vocab.txt": bytes("[PAD]\n") }), false);
  assert.equal(needsAll({ "vocab.json": bytes("{}"), "merges.txt": bytes("") }), true);
  for (const name of ["spiece.model", "sentencepiece.bpe.model", "spm.model"])
    assert.equal(needsAll({ [name]: bytes("") }), true, name);
  for (const type of ["distilbert", "electra"])
    assert.equal(needsAll({ "config.json": bytes({ model_type: type }) }), false, type);
  for (const name of ["", "BertTokenizer", "BertTokenizerFast", "DistilBertTokenizerFast", "PreTrainedTokenizerFast"])
    assert.equal(needsAll({ "tokenizer_config.json": bytes({ tokenizer_class: name }) }), false, name);
  for (const name of ["RobertaTokenizer", "MPNetTokenizerFast", "BertJapaneseTokenizer", "HerbertTokenizerFast"])
    for (const file of ["tokenizer_config.json", "config.json"])
      assert.equal(needsAll({ [file]: bytes({ model_type: "bert", tokenizer_class: name }) }), true, name);
  assert.equal(needsAll({ "tokenizer_config.json": bytes({ word_tokenizer_type: "mecab" }) }), true);
  for (const type of ["roberta", "xlm-roberta", "albert", "mpnet", "modernbert", "deberta", "esm", "nomic_bert"])
    assert.equal(needsAll({ "config.json": bytes({ model_type: type }) }), true, type);
  for (const name of ["roberta", "modernbert", "xlmr-old", "albert-old", "unigram-bytefallback", "mpnet"]) {
    const file = readFileSync(new URL(`${name}/tokenizer.json`, goldens));
    assert.equal(needsAll({ "config.json": config, "tokenizer.json": file }), name !== "mpnet", name);
  }
});
