// Token types that say how a word is written, which the package's model of personal data takes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { AutoModelForTokenClassification, AutoTokenizer, env, pipeline } from "../dist/node.js";

const vocabulary = await readFile(join(import.meta.dirname, "../models/minilm-mlm/tokenizer.json"));
/** BERT's tokenizer with this value of `token_types`. */
const load = (token_types) => {
  const config = JSON.stringify({ tokenizer_class: "BertTokenizer", do_lower_case: true, token_types });
  const files = { "tokenizer.json": vocabulary, "tokenizer_config.json": new TextEncoder().encode(config) };
  return AutoTokenizer.from_pretrained({ files });
};
const tokenizer = await load("word_shape");
after(() => tokenizer.dispose());

const types = (text, options) => tokenizer(text, { return_tensor: false, ...options }).token_type_ids;
const rows = JSON.parse(await readFile(join(import.meta.dirname, "goldens/word_shapes.json"), "utf8"));

test("types equal those of the model's training", () => {
  for (const [text, tokens, expected] of rows) {
    assert.deepEqual(tokenizer.convert_ids_to_tokens(tokenizer.encode(text)), tokens, text);
    assert.deepEqual(types(text), expected, text);
  }
});

test("windows and padding keep the types of the whole text", () => {
  const text = "Anna met\nBob McDonald in LEEDS today";
  const whole = types(text);
  const windows = types(text, { max_length: 6, stride: 1, return_overflowing_tokens: true });
  const step = 6 - 2 - 1;
  for (const [n, window] of windows.entries())
    assert.deepEqual(window.slice(1, -1), whole.slice(1, -1).slice(n * step, n * step + 4), String(n));
  const [padded, long] = types(["Anna", text], { padding: true });
  assert.deepEqual(padded, [0, 7, ...Array(whole.length - 2).fill(0)]);
  assert.deepEqual(long, whole);
  // The types of a pair say the same of both texts, and do not tell them apart.
  assert.deepEqual(types("Anna", { text_pair: "met Bob" }), [0, 7, 0, 6, 3, 0]);
});

test("the pipeline gives the model these types, also for a text in words", async () => {
  const options = { threads: 1, dtype: "fp32" };
  const ner = await pipeline("token-classification", null, options);
  const model = await AutoModelForTokenClassification.from_pretrained(
    env.defaultModels["token-classification"],
    options,
  );
  try {
    const text = "hello ANNA Kovács,\nLeeds 12";
    const inputs = tokenizer(text);
    const { logits } = await model(inputs);
    const [, length, labels] = logits.dims;
    const likeliest = (row) =>
      Math.max(...row.map((value) => Math.exp(value))) / row.reduce((sum, value) => sum + Math.exp(value), 0);
    const rowsOf = ({ data }) => Array.from({ length }, (_, n) => [...data.slice(n * labels, (n + 1) * labels)]);
    const scores = rowsOf(logits).map(likeliest).slice(1, -1);
    const found = await ner(text, { ignore_labels: [] });
    assert.equal(found.length, scores.length);
    for (const [n, { score }] of found.entries())
      assert.ok(Math.abs(score - scores[n]) < 1e-4, `${n}: ${score}, ${scores[n]}`);
    const zeros = { ...inputs, token_type_ids: inputs.token_type_ids.map(() => 0n) };
    const plain = rowsOf((await model(zeros)).logits)
      .map(likeliest)
      .slice(1, -1);
    assert.ok(
      plain.some((score, n) => Math.abs(score - scores[n]) > 1e-3),
      "the types change nothing",
    );

    const words = "ANNA Kovács met Bob".split(" ");
    const [ofWords] = await ner(words, { ignore_labels: [], is_split_into_words: true });
    const ofText = await ner(words.join(" "), { ignore_labels: [] });
    assert.deepEqual(ofWords, ofText);
  } finally {
    await model.dispose();
    await ner.dispose();
  }
});

test("another value of token_types is refused", async () => {
  await assert.rejects(
    load("shape"),
    ({ code, message }) =>
      code === "unsupported" && message.includes('token_types: expected "word_shape", got "shape"'),
  );
});
