// Options of calls through the public API over the built package: answers equal the answers of transformers and
// sentence-transformers, and an option that a call does not have is an error that names the nearest one.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  AutoConfig,
  AutoModel,
  AutoTokenizer,
  convert,
  createIndex,
  loadIndex,
  ModelRegistry,
  pipeline,
  redact,
  Trainer,
  trainTokenizer,
} from "../dist/node.js";
import { fails } from "./fails.mjs";

const golden = JSON.parse(await readFile(join(import.meta.dirname, "goldens", "calls.json"), "utf8"));

/** A source of the golden's files and others over them. `null` leaves a file out. */
function source(files, weights = "three") {
  const bytes = Object.entries({ ...golden.files, ...files })
    .filter(([, content]) => content !== null)
    .map(([name, content]) => [name, Buffer.from(typeof content === "string" ? content : JSON.stringify(content))]);
  return { files: { ...Object.fromEntries(bytes), "model.safetensors": Buffer.from(golden[weights], "base64") } };
}

/** Compares what the reference returns: numbers to 1e-4 and all else exactly. Scores of one rank may be swapped. */
function equals(got, expected, path = "answer") {
  if (typeof expected === "number" && typeof got === "number")
    return assert.ok(Math.abs(got - expected) <= 1e-4, `${path} is ${got}, expected ${expected}`);
  if (typeof expected !== "object" || expected === null) return assert.strictEqual(got, expected, path);
  assert.deepEqual(Object.keys(got).sort(), Object.keys(expected).sort(), path);
  for (const [key, part] of Object.entries(expected)) equals(got[key], part, `${path}.${key}`);
}

for (const { task, name = "", files, calls } of golden.cases) {
  test(`answers of ${task} ${name} equal the reference`, async () => {
    const pipe = await pipeline(task, source(files, task === "text-ranking" ? "one" : "three"), { dtype: "fp32" });
    for (const { args, options, answers } of calls) {
      const got = await pipe(...args, options);
      equals(got, answers, `${task} ${JSON.stringify(options)}`);
    }
    await pipe.dispose();
  });
}

const fieldsOf = (task) => golden.cases.find((one) => one.task === task).files;

test("an unknown option of a task's call names the nearest one", async () => {
  const calls = {
    "text-classification": [["x"], { topK: 2 }, "top_k"],
    "token-classification": [["x"], { aggregation_stategy: "simple" }, "aggregation_strategy"],
    "question-answering": [["who", "anna"], { max_answer_length: 2 }, "max_answer_len"],
  };
  for (const [task, [args, options, meant]] of Object.entries(calls)) {
    const pipe = await pipeline(task, source(fieldsOf(task)));
    const [name] = Object.keys(options);
    await fails(
      pipe(...args, options),
      "bad_input",
      new RegExp(`${task}: unknown option \`${name}\`: did you mean \`${meant}\``),
    );
    await fails(pipe(...args, { qqqqqqqq: 1 }), "bad_input", /unknown option `qqqqqqqq`: expected one of .*signal/);
    assert.ok(await pipe(...args, { [name]: undefined }), "undefined is no option");
    assert.ok(await pipe(...args, { truncation: true, padding: true }), "without effect");
    await fails(pipe(...args, { truncation: false }), "bad_input", /`truncation`: .*; expected true/);
    await fails(pipe(...args, { device: "wasm" }), "bad_input", /`device`: give it to `pipeline\(\)`/);
    await fails(pipe(...args, { batch_size: 8 }), "bad_input", /`batch_size`: the engine forms batches/);
    await pipe.dispose();
  }
});

test("an unknown option of each public function names the nearest one", async () => {
  const files = source(fieldsOf("text-classification"));
  const meant = (call, name, other) =>
    fails(call, "bad_input", new RegExp(`unknown option \`${name}\`: did you mean \`${other}\``));
  await meant(
    pipeline("text-classification", files, { progressCallback() {} }),
    "progressCallback",
    "progress_callback",
  );
  await meant(AutoModel.from_pretrained(files, { dtyp: "q8" }), "dtyp", "dtype");
  await meant(AutoTokenizer.from_pretrained(files, { revison: "x" }), "revison", "revision");
  await meant(AutoConfig.from_pretrained(files, { subfolders: "x" }), "subfolders", "subfolder");
  await meant(ModelRegistry.is_cached("me/model", { cacheDir: "x" }), "cacheDir", "cache_dir");
  await meant(convert(files, { dtype: "q8", tokn: "x" }), "tokn", "token");
  await meant(redact("Anna", { label: ["PER"] }), "label", "labels");
  await meant(createIndex({ passageLength: 10 }), "passageLength", "passage_length");
  await meant(loadIndex(new Uint8Array(8), { modle: "x" }), "modle", "model");
  await meant(Trainer.from_pretrained("text-classification", files, { label: ["a"] }), "label", "labels");
  await meant(trainTokenizer(["a"], { vocabSize: 10 }), "vocabSize", "vocab_size");
  await fails(pipeline("text-classification", files, { adapter: files }), "not_found", /adapter_config\.json/);
  await fails(pipeline("text-classification", files, { top_k: 2 }), "bad_input", /`top_k`: give it to each call/);
});

test("an unknown option of a model's or a tokenizer's call names the nearest one", async () => {
  const files = source(fieldsOf("text-classification"));
  const model = await AutoModel.from_pretrained(files);
  await fails(
    model({ input_ids: [2, 3] }, { output_hidden_state: true }),
    "bad_input",
    /did you mean `output_hidden_states`/,
  );
  await model.dispose();
  const tokenizer = await AutoTokenizer.from_pretrained(files, { legacy: true, device: "wasm" });
  const calls = [
    [() => tokenizer("anna", { maxLength: 3 }), /tokenizer: unknown option `maxLength`: did you mean `max_length`/],
    [() => tokenizer.encode("anna", { addSpecialTokens: false }), /did you mean `add_special_tokens`/],
    [() => tokenizer.decode([5], { skipSpecialTokens: true }), /did you mean `skip_special_tokens`/],
    [() => tokenizer.batch_decode([[5]], { skip_special_token: true }), /did you mean `skip_special_tokens`/],
    [() => tokenizer.tokenize("anna", { pairs: "x" }), /did you mean `pair`/],
    [() => tokenizer.convert_ids_to_tokens([5], { skip: true }), /did you mean `skip_special_tokens`/],
  ];
  for (const [call, message] of calls)
    assert.throws(call, (error) => error.code === "bad_input" && message.test(error.message));
  tokenizer.dispose();
});

test("words and prompts that cannot be used are rejected", async () => {
  const tags = await pipeline("token-classification", source(fieldsOf("token-classification")));
  await fails(tags("anna", { is_split_into_words: true }), "bad_input", /expected an array of words, got string/);
  await fails(tags(["anna", 3], { is_split_into_words: true }), "bad_input", /word 2 is number/);
  await fails(tags("anna", { delimiter: "-" }), "bad_input", /delimiter: expected `is_split_into_words: true`/);
  await tags.dispose();
  const rank = await pipeline("text-ranking", source(fieldsOf("text-ranking"), "one"));
  await fails(
    rank("q", ["d"], { prompt_name: "none" }),
    "bad_input",
    /no prompt "none", expected one of \[query, web\]/,
  );
  await fails(rank("q", ["d"], { prompt: 3 }), "bad_input", /prompt is a string, not number/);
  await rank.dispose();
});

test("a field of the tokenizer's files that is not known is in info.warnings", async () => {
  const config = { ...golden.files["tokenizer_config.json"], truncate_words: true };
  const files = source({ ...fieldsOf("text-classification"), "tokenizer_config.json": config });
  const expected = ['tokenizer_config.json: field "truncate_words" is unknown and has no effect'];
  const pipe = await pipeline("text-classification", files);
  assert.deepEqual([...pipe.info.warnings], expected);
  assert.deepEqual([...pipe.tokenizer.warnings], expected);
  await pipe.dispose();
  const silent = await pipeline("text-classification", source(fieldsOf("text-classification")));
  assert.deepEqual([...silent.info.warnings], []);
  await silent.dispose();
});

/** The names of a constant of fields.rs. */
const listed = (code, name) => {
  const [, names] = new RegExp(`const ${name}: &str =\\s*"([^"]*)"`).exec(code);
  return names.split(/[\s\\]+/).filter(Boolean);
};

test("docs/tokenizer-fields.md lists the fields that the tokenizer knows, and no others", async () => {
  const root = join(import.meta.dirname, "..");
  const code = await readFile(join(root, "src/tokenizer/files/fields.rs"), "utf8");
  const page = await readFile(join(root, "docs/tokenizer-fields.md"), "utf8");
  const sections = Object.fromEntries(
    page.split("\n## ").map((section) => [section.split("\n")[0], section.slice(section.indexOf("\n"))]),
  );
  const constants = {
    "tokenizer_config.json: read or refused": "READ",
    "tokenizer_config.json: without effect, reported": "REPORTED",
    "tokenizer_config.json: without effect": "NO_EFFECT",
    "tokenizer.json": "FILE",
  };
  for (const [title, constant] of Object.entries(constants)) {
    const text = sections[title];
    // in a table the first cell of each row
    const cells = [...text.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell);
    const names = [...(cells.length ? cells.join() : text).matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name);
    assert.deepEqual(names.sort(), listed(code, constant).sort(), title);
  }
});
