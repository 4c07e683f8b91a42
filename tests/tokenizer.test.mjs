// The tokenizer through the public API, in Node with the package's own vocabulary. Expected values are results of BertTokenizer of Hugging
// Face's transformers 5.23 (Python) for the same vocabulary.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AutoTokenizer, env, Tensor, WebertError } from "../dist/node.js";

let tokenizer;
before(async () => {
  tokenizer = await AutoTokenizer.from_pretrained(env.defaultModels["fill-mask"]);
});
after(() => tokenizer.dispose());

const throws = (body, code, pattern) =>
  assert.throws(body, (error) => {
    assert.ok(error instanceof WebertError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });

/** 9 tokens, 11 with special ones. */
const text = "one two three four five six seven eight nine";

test("max_length alone truncates, unless padding or truncation is set otherwise", () => {
  const length = (options) => {
    const { input_ids } = tokenizer(text, { return_tensor: false, ...options });
    return Array.isArray(input_ids[0]) ? input_ids.map((ids) => ids.length) : input_ids.length;
  };
  for (const [options, expected] of [
    [{ max_length: 5 }, 5],
    [{ max_length: 5, padding: false }, 5],
    [{ max_length: 5, padding: null, truncation: null }, 5],
    [{ max_length: 5, add_special_tokens: false }, 5],
    [{ max_length: 2 }, 2],
    [{ max_length: 1 }, 11], // not even the special tokens fit
    [{ max_length: 5, return_overflowing_tokens: true }, [5, 5, 5]],
    [{ max_length: 5, stride: 1, return_overflowing_tokens: true }, [5, 5, 5, 5]],
    [{ max_length: 5, padding: true }, 11],
    [{ max_length: 5, padding: "longest" }, 11],
    [{ max_length: 5, padding: "max_length" }, 11],
    [{ max_length: 20, padding: "max_length" }, 20],
    [{ max_length: 5, padding: "do_not_pad" }, 11],
    [{ max_length: 5, truncation: false }, 11],
    [{ max_length: 5, truncation: "do_not_truncate" }, 11],
    [{ max_length: 5, truncation: true, padding: true }, 5],
    [{ max_length: null }, 11],
  ])
    assert.deepEqual(length(options), expected, JSON.stringify(options));
  const batch = tokenizer([text, "one"], { max_length: 5, return_tensor: false }).input_ids;
  assert.deepEqual(
    batch.map((ids) => ids.length),
    [5, 3],
  );
  assert.deepEqual(
    tokenizer(text, { text_pair: "one two three", max_length: 5, return_tensor: false }).input_ids,
    [101, 2028, 102, 2028, 102],
  );
  assert.deepEqual(tokenizer.encode(text, { max_length: 5 }), [101, 2028, 2048, 2093, 102]);
});

test("null is the default of every option", () => {
  const names = [
    "add_special_tokens",
    "padding",
    "truncation",
    "max_length",
    "stride",
    "pad_to_multiple_of",
    "return_overflowing_tokens",
    "return_offsets_mapping",
    "return_special_tokens_mask",
    "return_word_ids",
    "return_token_type_ids",
    "return_tensor",
    "text_pair",
  ];
  const options = Object.fromEntries(names.map((name) => [name, null]));
  assert.deepEqual(tokenizer(text, options), tokenizer(text));
  assert.deepEqual(tokenizer(text, null), tokenizer(text));
  assert.deepEqual(tokenizer.encode("one", { add_special_tokens: null, text_pair: null }), [101, 2028, 102]);
  assert.deepEqual(tokenizer.tokenize("one", { pair: null, add_special_tokens: null }), ["one"]);
  const shown = { skip_special_tokens: null, clean_up_tokenization_spaces: null };
  assert.equal(tokenizer.decode([101, 2028, 999, 102], shown), "[CLS] one! [SEP]");
  throws(() => tokenizer(text, { stride: "1" }), "bad_input", /stride/);
});

test("a token converts to one id and an array to an array; unknown tokens are [UNK]", () => {
  assert.equal(tokenizer.convert_tokens_to_ids("the"), 1996);
  assert.equal(tokenizer.convert_tokens_to_ids("xyzzyq"), 100);
  assert.equal(tokenizer.convert_tokens_to_ids(""), 100);
  assert.deepEqual(tokenizer.convert_tokens_to_ids(["xyzzyq", "the"]), [100, 1996]);
  assert.deepEqual(tokenizer.convert_tokens_to_ids([]), []);
  for (const tokens of [null, undefined, 7, {}])
    throws(() => tokenizer.convert_tokens_to_ids(tokens), "bad_input", /tokens are/);
  throws(() => tokenizer.convert_tokens_to_ids([["the"]]), "bad_input", /token 1 is an array/);
  assert.equal(tokenizer.convert_ids_to_tokens(1996), "the");
  assert.equal(tokenizer.convert_ids_to_tokens(99999), undefined);
  assert.deepEqual(tokenizer.convert_ids_to_tokens([0n, 1996n, 101n]), ["[PAD]", "the", "[CLS]"]);
  assert.deepEqual(tokenizer.convert_ids_to_tokens([0, 1996, 101], { skip_special_tokens: true }), ["the"]);
});

test("exposes the vocabulary and the other fields that programs read", () => {
  const vocab = tokenizer.get_vocab();
  assert.ok(vocab instanceof Map);
  assert.equal(vocab.size, 29528);
  assert.equal(tokenizer.vocab_size, 29528);
  assert.deepEqual(
    ["the", "##ing", "[MASK]"].map((token) => vocab.get(token)),
    [1996, 2075, 103],
  );
  assert.deepEqual(tokenizer.all_special_ids, [100, 102, 0, 101, 103]);
  assert.deepEqual(tokenizer.all_special_tokens, ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"]);
  assert.deepEqual([tokenizer.padding_side, tokenizer.truncation_side], ["right", "right"]);
  assert.deepEqual(tokenizer.model_input_names, ["input_ids", "token_type_ids", "attention_mask"]);
  const { model } = tokenizer;
  assert.equal(model.tokens_to_ids.get("the"), 1996);
  assert.equal(model.tokens_to_ids, model.tokens_to_ids, "not made anew each time");
  assert.deepEqual([model.vocab.length, model.vocab[1996]], [29528, "the"]);
  assert.deepEqual(model.convert_ids_to_tokens(model.convert_tokens_to_ids(["una", "##ffa"])), ["una", "##ffa"]);
});

test("accepts other names of calls; a padded batch returns Tensors", () => {
  const batch = tokenizer(["one two", "three"], { padding: true, truncation: true });
  assert.ok(batch.input_ids instanceof Tensor);
  assert.deepEqual(batch.input_ids.tolist(), [
    [101n, 2028n, 2048n, 102n],
    [101n, 2093n, 102n, 0n],
  ]);
  assert.deepEqual(batch.attention_mask.tolist()[1], [1n, 1n, 1n, 0n]);
  assert.deepEqual(tokenizer._call(text), tokenizer(text));
  assert.equal(tokenizer.decode_single([2028, 999]), "one!");
  assert.deepEqual(tokenizer.batch_decode(batch.input_ids, { skip_special_tokens: true }), ["one two", "three"]);
  assert.deepEqual(tokenizer("one", { add_special_tokens: false, return_tensor: false }).input_ids, [2028]);
});

test("rejects a call for more tokens than memory holds, and the next one works", () => {
  const long = "a b ".repeat(12_000);
  const windows = { truncation: true, return_overflowing_tokens: true, return_tensor: false };
  throws(() => tokenizer(long, { ...windows, text_pair: long, max_length: 5 }), "bad_input", /576000000 windows/);
  throws(() => tokenizer(long, { ...windows, max_length: 2002, stride: 1999 }), "bad_input", /tokens in 22001 windows/);
  throws(
    () => tokenizer(Array(2000).fill("a"), { padding: "max_length", max_length: 2 ** 20 }),
    "bad_input",
    /one call takes 16777216 tokens/,
  );
  assert.equal(tokenizer(long, { ...windows, max_length: 2002, stride: 1000 }).input_ids.length, 23);
});

test("rejects text of long tokens before it exceeds a string", async () => {
  const vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "x".repeat(100_000)].join("\n");
  const own = await AutoTokenizer.from_pretrained({ files: { "vocab.txt": new Blob([vocabulary]) } });
  throws(() => own.decode(Array(3000).fill(5)), "bad_input", /300000000 bytes; one call gives 268435456/);
  assert.equal(own.decode([5, 5]).length, 200_001);
  own.dispose();
});

test("rejects every call after dispose", async () => {
  const own = await AutoTokenizer.from_pretrained(env.defaultModels["fill-mask"]);
  own.get_vocab();
  own.dispose();
  for (const call of [
    () => own("a"),
    () => own.get_vocab(),
    () => own.model.vocab,
    () => own.convert_tokens_to_ids("a"),
  ])
    throws(call, "disposed", /./);
});

/** Some of these must be told apart by their length in UTF-16 code units, not in bytes. */
const BATCH = [
  "one two",
  "",
  "caf\u00e9\n \n",
  "\ud83d",
  "\ude00 \u{1f600}x",
  "\n",
  "\u65e5\u672c",
  "last \ud83d\ude00",
];
const ALL = {
  return_special_tokens_mask: true,
  return_offsets_mapping: true,
  return_word_ids: true,
  padding: true,
};

test("a text in a batch has the same tokens as alone, also with a pair", () => {
  const options = { ...ALL, padding: false, return_tensor: false };
  const pairs = [...BATCH].reverse();
  const [single, paired] = [tokenizer(BATCH, options), tokenizer(BATCH, { ...options, text_pair: pairs })];
  for (const [i, text] of BATCH.entries()) {
    const row = (batch) => Object.fromEntries(Object.entries(batch).map(([name, rows]) => [name, rows[i]]));
    assert.deepEqual(row(single), tokenizer(text, options), JSON.stringify(text));
    const [alone] = Object.values([tokenizer([text], { ...options, text_pair: [pairs[i]] })]);
    for (const [name, rows] of Object.entries(alone)) assert.deepEqual(rows[0], paired[name][i], `${name} of ${i}`);
    // without offsets, the code takes another path
    const { input_ids, token_type_ids } = tokenizer([text], { return_tensor: false, text_pair: [pairs[i]] });
    assert.deepEqual([input_ids[0], token_type_ids[0]], [paired.input_ids[i], paired.token_type_ids[i]]);
    assert.ok(pairs[i] === "" || token_type_ids[0].includes(1));
  }
  assert.deepEqual(tokenizer([], { return_tensor: false }), { input_ids: [], attention_mask: [], token_type_ids: [] });
});

test("rejects texts that together exceed a string", () => {
  const long = " ".repeat(2 ** 26);
  throws(() => tokenizer(Array(8).fill(long)), "bad_input", /536870920 UTF-16 code units; one call takes 536870888/);
  assert.deepEqual(tokenizer.encode("one"), [101, 2028, 102]);
});

test("tensors hold the numbers of the lists", () => {
  for (const extra of [
    {},
    { truncation: true, max_length: 4, return_overflowing_tokens: true },
    { text_pair: BATCH },
  ]) {
    const options = { ...ALL, ...extra };
    const lists = tokenizer(BATCH, { ...options, return_tensor: false });
    const tensors = tokenizer(BATCH, options);
    assert.deepEqual(Object.keys(tensors), Object.keys(lists));
    for (const [name, list] of Object.entries(lists)) {
      assert.equal(tensors[name].type, "int64");
      const numbers = tensors[name].tolist().flat(2).map(Number);
      assert.deepEqual(
        numbers,
        list.flat(2).map((value) => value ?? -1),
        name,
      );
    }
  }
});

test("options apply to their own call only, also if they are rejected", () => {
  const ids = () => tokenizer.encode("one two");
  assert.equal(ids().length, 4);
  assert.equal(tokenizer.encode("one two", { add_special_tokens: false }).length, 2);
  assert.equal(ids().length, 4);
  throws(() => tokenizer.encode("one two", { padding: "top" }), "bad_input", /padding/);
  throws(() => tokenizer.encode("one two", { stride: -1 }), "bad_input", /stride/);
  assert.equal(ids().length, 4);
  assert.equal(tokenizer.encode("one two", { max_length: 3 }).length, 3);
  throws(() => tokenizer.encode("one two", { padding: "top" }), "bad_input", /padding/);
  assert.equal(tokenizer.encode("one two", { max_length: 3 }).length, 3);
});
