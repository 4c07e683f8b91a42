// Token types that say how a word is written.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { AutoTokenizer } from "../dist/node.js";

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

test("another value of token_types is refused", async () => {
  await assert.rejects(
    load("shape"),
    ({ code, message }) =>
      code === "unsupported" && message.includes('token_types: expected "word_shape", got "shape"'),
  );
});
