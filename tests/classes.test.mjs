// Tokenizers, models, Tensor and WebertError without the engine: src/js over fake-wasm.mjs.
import assert from "node:assert/strict";
import { fails, origin, test, webert } from "./over-server.mjs";

test("tokenizer: tensors, plain arrays, ragged batches, decoding", async () => {
  const tokenizer = await webert.AutoTokenizer.from_pretrained(`${origin}/m`);
  const one = tokenizer("abc", { return_offsets_mapping: true });
  assert.deepEqual(one.input_ids.dims, [1, 3]);
  assert.deepEqual(one.input_ids.tolist(), [[97n, 98n, 99n]]);
  assert.deepEqual(one.offset_mapping.dims, [1, 3, 2]);
  const plain = tokenizer("ab", { return_tensor: false, return_offsets_mapping: true, return_word_ids: true });
  assert.deepEqual(plain, {
    input_ids: [97, 98],
    attention_mask: [1, 1],
    token_type_ids: [0, 0],
    offset_mapping: [
      [0, 1],
      [1, 2],
    ],
    word_ids: [null, null],
  });
  assert.deepEqual(tokenizer(["a", "bc"], { return_tensor: false }).input_ids, [[97], [98, 99]]);
  const overflow = tokenizer("a", { return_tensor: false, return_overflowing_tokens: true });
  assert.deepEqual([overflow.input_ids, overflow.overflow_to_sample_mapping], [[[97]], [0]]);
  const throws = (work, code, pattern) =>
    assert.throws(
      work,
      (error) => error instanceof webert.WebertError && error.code === code && pattern.test(error.message),
    );
  throws(() => tokenizer(["a", "bc"]), "bad_input", /1, 2.*padding/);
  throws(() => tokenizer(5), "bad_input", /number/);
  throws(() => tokenizer("a", { text_pair: ["b", "c"] }), "bad_input", /2 entries for 1/);
  throws(() => tokenizer("a", { max_length: -1 }), "bad_input", /max_length/);
  assert.deepEqual(tokenizer([]).input_ids.dims, [0, 0]);
  assert.deepEqual(tokenizer.tokenize("ab", { pair: "c" }), ["a", "b", "c"]);
  assert.deepEqual(tokenizer.encode("ab"), [97, 98]);
  assert.equal(tokenizer.decode([97, 98n], { skip_special_tokens: true }), "ab!");
  assert.equal(tokenizer.decode(one.input_ids), "abc");
  assert.deepEqual(tokenizer.batch_decode(one.input_ids, { clean_up_tokenization_spaces: false }), ["abc?"]);
  throws(() => tokenizer.decode([-1]), "bad_input", /-1/);
  for (const ids of [5, {}, null, "7"])
    throws(() => tokenizer.decode(ids), "bad_input", /ids are a Tensor or an array/);
  for (const id of [null, true, "7", [7]]) throws(() => tokenizer.decode([id]), "bad_input", /is not a token id/);
  for (const batch of [5, null]) throws(() => tokenizer.batch_decode(batch), "bad_input", /batch/);
  for (const ids of [{}, null, "97"])
    throws(() => tokenizer.convert_ids_to_tokens(ids), "bad_input", /ids are a Tensor or an array/);
  throws(() => tokenizer(["a", , "b"]), "bad_input", /text 2 is undefined/);
  throws(() => tokenizer("a", 5), "bad_input", /options/);
  assert.deepEqual(tokenizer.tokenize("ab", null), ["a", "b"]);
  assert.equal(tokenizer.mask_token_id, 2);
  assert.equal(tokenizer.model_max_length, Infinity);
  tokenizer.dispose();
  throws(() => tokenizer("a"), "disposed", /./);
});

test("AutoModel accepts nested, flat and tensor ids, and rejects ragged ids and a missing head", async () => {
  const model = await webert.AutoModel.from_pretrained(`${origin}/m`);
  const { logits } = await model({
    input_ids: [
      [1, 2],
      [3, 4],
    ],
  });
  assert.ok(logits instanceof webert.Tensor);
  assert.deepEqual(logits.tolist(), [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual((await model({ input_ids: [1, 2, 3] })).logits.dims, [1, 3]);
  assert.deepEqual((await model({ input_ids: [[[1], [2]]] })).logits.dims, [1, 2, 1]);
  const ids = new webert.Tensor("int64", [1, 2], [1, 2]);
  assert.deepEqual((await model({ input_ids: ids, attention_mask: ids })).logits.dims, [1, 2]);
  await fails(model({ input_ids: [[1, 2], [3]] }), "bad_input", /ragged/);
  await fails(model({ input_ids: [[1], 2] }), "bad_input", /ragged/);
  await fails(model({ input_ids: [[-1]] }), "bad_input", /-1/);
  await fails(model({ input_ids: [[1.5]] }), "bad_input", /1\.5/);
  for (const id of ["7", null, true, ""])
    await fails(model({ input_ids: [[id]] }), "bad_input", /input_ids: expected integers/);
  await fails(model({}), "bad_input", /input_ids/);
  await fails(model({ input_ids: [[1]], attention_mask: [[1, 1]] }), "bad_input", /attention_mask/);
  await model.dispose();
  await fails(webert.AutoModelForQuestionAnswering.from_pretrained(`${origin}/m`), "unsupported", /masked-lm/);
  await (await webert.AutoModelForMaskedLM.from_pretrained(`${origin}/m`)).dispose();
});

test("Tensor and WebertError work alone", () => {
  const { Tensor, WebertError } = webert;
  const tensor = new Tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]);
  assert.deepEqual(tensor.tolist(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(
    [...tensor].map((row) => row.tolist()),
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  );
  assert.deepEqual(new Tensor("float32", [7], []).tolist(), 7);
  assert.deepEqual(new Tensor("float32", [], [2, 0]).tolist(), [[], []]);
  const unfit = [
    ["float32", [1], [2]],
    ["float32", [1]],
    ["float32", null, [1]],
    ["float32", [1], [-1, -1]],
    ["float32", [1, 2, 3], [1.5, 2]],
    ["float32", ["1"], [1]],
    ["int64", [1.5], [1]],
    ["int64", ["x"], [1]],
    ["int64", new Float32Array(2), [2]],
    ["int64", [1, , 2], [3]],
    ["uint9", [1], [1]],
  ];
  for (const args of unfit) assert.throws(() => new Tensor(...args), { code: "bad_input" }, JSON.stringify(args));
  const round = WebertError.unpack(
    structuredClone(WebertError.pack(new WebertError("bad_config", "no", { cause: new Error("why") }))),
  );
  assert.deepEqual(
    [round.name, round.code, round.message, round.cause],
    ["WebertError", "bad_config", "no", "Error: why"],
  );
  // The binary's errors have the parts of their text; they survive a Worker's message.
  const parts = { file: "config.json", item: "hidden_size", expected: "1 to 9", found: "0" };
  const thrown = WebertError.from(Object.assign(new Error("x"), { code: "bad_config", ...parts }));
  const restored = WebertError.unpack(structuredClone(WebertError.pack(thrown)));
  for (const error of [thrown, restored]) {
    const { file, item, expected, found } = error;
    assert.deepEqual({ file, item, expected, found }, parts);
  }
  assert.ok(!("file" in round) && !("found" in WebertError.pack(round)));
  assert.equal(WebertError.from(Object.assign(new Error("x"), { code: "ENOENT" })).code, "bad_input");
  assert.equal(WebertError.from(new WebAssembly.RuntimeError("unreachable")).code, "device_lost");
  assert.equal(WebertError.from("plain text").message, "plain text");
});
