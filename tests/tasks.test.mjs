// Every pipeline through the public API, over the built package: one golden each, offsets in UTF-16, and errors for bad inputs. tasks.rs
// compares all goldens.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pipeline } from "../dist/node.js";
import { fails } from "./fails.mjs";
import { nerModel } from "./ner-model.mjs";

const goldens = join(import.meta.dirname, "goldens");
const model = (name) => join(goldens, "models", name);
const rows = async (task) => JSON.parse(await readFile(join(goldens, "pipelines", `${task}.json`), "utf8"));
const golden = async (task, id) => (await rows(task)).find((row) => row.id === `${task}-${id}`);

const open = [];
after(() => Promise.all(open.map((pipe) => pipe.dispose())));
async function load(task, name, options) {
  const pipe = await pipeline(task, model(name), { dtype: "fp32", ...options });
  open.push(pipe);
  return pipe;
}

/** Numbers within 1e-4, everything else exactly; additional fields are allowed. */
function near(got, want, path = "result") {
  if (typeof want === "number")
    return assert.ok(Math.abs(got - want) <= 1e-4 * Math.max(1, Math.abs(want)), `${path}: ${got}, not ${want}`);
  if (typeof want !== "object" || want === null) return assert.equal(got, want, path);
  if (Array.isArray(want)) assert.equal(got.length, want.length, `${path}: ${JSON.stringify(got)}`);
  for (const key of Object.keys(want)) near(got[key], want[key], `${path}.${key}`);
}

/** A golden's answer with JavaScript's offsets. */
const utf16 = ({ output, output_utf16 }) => {
  const one = (answer, units) => ({ ...answer, start: units.start_utf16, end: units.end_utf16 });
  return Array.isArray(output) ? output.map((answer, i) => one(answer, output_utf16[i])) : one(output, output_utf16);
};

const long = "Alice walked to the old café 🎻 in Berlin , and the teacher bought coffee . ".repeat(20);

test("fill-mask", async () => {
  const { inputs, output } = await golden("fill-mask", "000");
  const unmask = await load("fill-mask", "bert-mlm");
  near(await unmask(inputs), output);
  near(await unmask([inputs, inputs]), [output, output]);
  assert.equal((await unmask("a [MASK] and a [MASK]", { top_k: 2 })).length, 2);
  assert.equal((await unmask(`[MASK] ${long}`))[0].truncated, true);
  assert.equal("truncated" in (await unmask(inputs))[0], false);
  await fails(unmask("none"), "bad_input", /no \[MASK\]/);
  await fails(unmask(`${long} [MASK]`), "bad_input", /beyond the model's 64 tokens/);
  await fails(unmask(inputs, { top_k: "five" }), "bad_input", /top_k is a whole number.*not "five"/);
  await fails(unmask(inputs, { top_k: -1 }), "bad_input", /top_k is a whole number.*not -1/);
  await fails(unmask(inputs, { targets: [] }), "bad_input", /targets/);
  await fails(unmask(7), "bad_input", /text 1 is number/);
});

test("text-classification", async () => {
  const { inputs, output } = await golden("text-classification", "000");
  const label = await load("sentiment-analysis", "bert-seqcls-3");
  near(await label(inputs), output);
  near(await label([inputs, inputs]), [output[0], output[0]]);
  assert.equal((await label(inputs, { top_k: null })).length, 3);
  assert.equal((await label(long))[0].truncated, true);
  await fails(label(inputs, { function_to_apply: "tanh" }), "bad_input", /one of softmax, sigmoid, none, not "tanh"/);
  await fails(label({ text: 1 }), "bad_input", /text 1 is number/);
});

test("token-classification", async () => {
  const row = await golden("token-classification", "036");
  const tag = await load("ner", "bert-tokencls-bio");
  near(await tag(row.inputs, row.options), utf16(row));
  near(await tag([row.inputs], row.options), [utf16(row)]);
  const all = await tag(long, { ignore_labels: [] });
  assert.equal(all.at(-1).end, long.trimEnd().length, "to the end of a text of several windows");
  for (const { word, start, end } of all) {
    if (/^\w/.test(word))
      assert.equal(long.slice(start, end).normalize("NFD").replace(/\p{M}/gu, "").toLowerCase(), word);
  }
  await fails(tag(long, { stride: 62 }), "bad_input", /stride 62 must be less than the 62 tokens/);
  await fails(
    tag("a", { aggregation_strategy: "best" }),
    "bad_input",
    /one of none, simple, first, average, max, not "best"/,
  );
  await fails(tag("a", { ignore_labels: "O" }), "bad_input", /ignore_labels/);
});

test("label_bias of token-classification equals a bias of the classifier", async () => {
  const words = { anna: "B-PER", kovacs: "I-PER", paris: "B-LOC", in: "O", met: "O" };
  const bias = { O: -1.5, "B-LOC": 0.75, "I-ORG": -0.5 };
  const of = (options) => pipeline("ner", { files: nerModel(words, { sure: 0.5, ...options }) }, { dtype: "fp32" });
  const [plain, biased] = await Promise.all([of(), of({ bias })]);
  open.push(plain, biased);
  const text = "anna kovacs met anna in paris ".repeat(20);
  for (const aggregation_strategy of ["none", "simple", "first", "average", "max"])
    for (const stride of [undefined, 8]) {
      const options = { aggregation_strategy, ignore_labels: [], ...(stride && { stride }) };
      const expected = await biased(text, options);
      near(await plain(text, { ...options, label_bias: bias }), expected);
      assert.notDeepEqual(await plain(text, options), expected);
      near(await biased(text, { ...options, label_bias: {} }), expected);
    }
  await fails(
    plain("a", { label_bias: { PER: 1 } }),
    "bad_input",
    /label_bias: expected .* labels of the model, .*"PER"/,
  );
  await fails(plain("a", { label_bias: { O: Number.NaN } }), "bad_input", /label_bias: expected finite numbers .*"O"/);
  await fails(plain("a", { label_bias: [1] }), "bad_input", /label_bias/);
  assert.equal((await plain("anna")).length, 1, "the pipeline stays usable");
});

test("question-answering", async () => {
  const ask = await load("question-answering", "bert-qa");
  for (const id of ["012", "020", "025", "036"]) {
    const row = await golden("question-answering", id);
    near(await ask(row.inputs.question, row.inputs.context, row.options), utf16(row));
  }
  const answers = await ask("Where is the café ?", long, { top_k: 20 });
  assert.equal(answers.length, 20);
  for (const { answer, start, end } of answers) assert.equal(long.slice(start, end), answer);
  const { inputs, output } = await golden("question-answering", "037");
  near(await ask(inputs.question, inputs.context), output);
  await fails(ask("", "a context"), "bad_input", /question is empty/);
  await fails(ask("who ?", " "), "bad_input", /context is empty/);
  await fails(ask(long, "a"), "bad_input", /question takes all of a window's 64 tokens/);
  await fails(ask("who ?", "a", { doc_stride: 200 }), "bad_input", /doc_stride 200/);
  await fails(ask("who ?", "a", { top_k: 0 }), "bad_input", /top_k/);
  await fails(ask("who ?"), "bad_input", /context 1 is undefined/);
});

test("zero-shot-classification", async () => {
  const rank = await load("zero-shot-classification", "bert-seqcls-nli");
  for (const id of ["001", "002", "005", "013"]) {
    const {
      inputs,
      options: { candidate_labels, ...options },
      output,
    } = await golden("zero-shot-classification", id);
    near(await rank(inputs, candidate_labels, options), output);
  }
  assert.equal((await rank(long, "music")).truncated, true);
  await fails(rank("a", []), "bad_input", /labels/);
  await fails(rank("a", " , "), "bad_input", /labels/);
  await fails(rank("a", ["b"], { hypothesis_template: "none" }), "bad_input", /no \{\}/);
  await fails(rank("a", [1]), "bad_input", /label 1 is number/);
  await fails(rank("a", [long]), "bad_input", /too many/);
});

test("feature-extraction", async () => {
  const { inputs, output } = await golden("feature-extraction", "000");
  const extract = await load("feature-extraction", "bert-base-gelu");
  near((await extract(inputs)).tolist(), output);
  assert.deepEqual((await extract([inputs, "a"], { pooling: "mean" })).dims.length, 2);
  assert.equal((await extract(long)).truncated, true);
  await fails(extract("a", { layers: [99] }), "bad_input", /layer 99/);
  await fails(
    extract("a", { pooling: "max" }),
    "bad_input",
    /one of none, mean, cls, first_token, eos, last_token, model, sparse, colbert, got "max"/,
  );
});

test("feature-extraction pools as a sentence-transformers folder defines, on request", async () => {
  const dir = await mkdtemp(join(tmpdir(), "webert-pooling-"));
  try {
    await cp(model("bert-base-gelu"), dir, { recursive: true });
    const write = (name, value) => writeFile(join(dir, name), JSON.stringify(value));
    const module = (type, n) => ({ type: `sentence_transformers.models.${type}`, path: n ? `${n}_${type}` : "" });
    await write("modules.json", ["Transformer", "Pooling", "Normalize"].map(module));
    await mkdir(join(dir, "1_Pooling"));
    await write("1_Pooling/config.json", { pooling_mode_mean_tokens: true, pooling_mode_cls_token: false });
    await write("sentence_bert_config.json", { max_seq_length: 16 });
    const extract = await pipeline("feature-extraction", dir, { dtype: "fp32" });
    const vectors = await extract(["the piano is near the window", long], { pooling: "model" });
    assert.deepEqual(vectors.dims.length, 2);
    assert.equal(vectors.truncated, true);
    for (const vector of vectors.tolist()) near(Math.hypot(...vector), 1);
    assert.equal((await extract(long)).dims[1], 64, "cut where the tokenizer says");
    const plain = await load("feature-extraction", "bert-base-gelu");
    const same = await plain("the piano is near the window", { pooling: "mean", normalize: true });
    near((await extract("the piano is near the window", { pooling: "model" })).tolist(), same.tolist());
    near((await plain(long, { pooling: "model" })).tolist(), (await plain(long, { pooling: "mean" })).tolist()); // the folder names no pooling
    await extract.dispose();
    await write("modules.json", ["Transformer", "Pooling", "Dense"].map(module));
    const dense = await pipeline("feature-extraction", dir);
    await fails(
      dense("a", { pooling: "model" }),
      "bad_config",
      /2_Dense\/config.json: required by modules.json, but missing/,
    );
    assert.equal((await dense("a", { pooling: "mean" })).dims.length, 2);
    await dense.dispose();
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("next-sentence-prediction", async () => {
  const [{ texts, text_pairs, logits }] = await rows("next-sentence-prediction");
  const follows = await load("next-sentence-prediction", "bert-nsp");
  const together = await follows([texts[1]], [text_pairs[1]]);
  const alone = await follows(texts[1], text_pairs[1]);
  assert.deepEqual(together, [alone]);
  assert.equal(logits.length, 2);
  near(alone.is_next + alone.not_next, 1);
  await fails(follows("a", ""), "bad_input", /next text is empty/);
  await fails(follows("a"), "bad_input", /next text 1 is undefined/);
  await fails(follows(["a"], ["b", "c"]), "bad_input", /same length/);
});

test("multiple-choice", async () => {
  const choose = await load("multiple-choice", "bert-multiplechoice");
  const choices = ["the garden", "a piano", "history"];
  const weighed = await choose("the teacher reads", choices);
  assert.deepEqual(
    weighed.map(({ choice }) => choice),
    choices,
  );
  near(
    weighed.reduce((sum, { score }) => sum + score, 0),
    1,
  );
  assert.deepEqual(await choose(["the teacher reads", "b"], [choices, ["c"]]), [weighed, [{ choice: "c", score: 1 }]]);
  await fails(choose("a", []), "bad_input", /no choices/);
  await fails(choose("a", "b"), "bad_input", /choices are an array/);
  await fails(choose("a", ["b", 3]), "bad_input", /choice 2 is number/);
});

test("text-ranking", async () => {
  const folder = join(goldens, "sentence-transformers", "cross-encoder-one-label-identity-v5");
  const { rank: rankings } = JSON.parse(await readFile(join(folder, "cases.json"), "utf8"));
  const rank = await pipeline("text-ranking", folder, { dtype: "fp32" });
  open.push(rank);
  for (const { query, documents, options, output } of rankings) {
    const ranked = await rank(query, documents, options);
    near(ranked, output);
    assert.equal("text" in ranked[0], options.return_documents ?? false);
  }
  const [{ query, documents, output }] = rankings;
  near(await rank([query, "a"], [documents, []]), [output, []]);
  const [{ score }] = await rank(query, documents, { function_to_apply: "sigmoid", top_k: 1 });
  near(score, 1 / (1 + Math.exp(-output[0].score)));
  await fails(rank("a", "b"), "bad_input", /documents are an array/);
  await fails(rank("a", ["b", 3]), "bad_input", /document 2 is number/);
  await fails(rank(3, ["b"]), "bad_input", /query 1 is number/);
  await fails(rank("a", ["b"], { function_to_apply: "softmax" }), "bad_input", /softmax/);
  await fails(pipeline("text-ranking"), "bad_input", /text-ranking has no default model/);
  await fails((await load("text-ranking", "bert-seqcls-3"))("a", ["b"]), "unsupported", /1 label, not 3/);
});

test("replaced-token-detection", async () => {
  const [{ texts, logits }] = await rows("replaced-token-detection");
  const detect = await load("replaced-token-detection", "electra-discriminator");
  const answers = await detect(texts);
  answers.forEach((tokens, t) => {
    near(
      tokens.map(({ score }) => score),
      tokens.map((_, i) => 1 / (1 + Math.exp(-logits[t][i + 1]))),
    );
    tokens.forEach(({ score, replaced }) => assert.equal(replaced, score > 0.5));
  });
  assert.equal((await detect(long)).at(-1).end, long.trimEnd().length);
  await fails(detect(null), "bad_input", /text 1 is null/);
});

test("the error for a missing head names the checkpoint's heads", async () => {
  await fails(
    pipeline("fill-mask", model("bert-seqcls-3")),
    "unsupported",
    /no head for masked LM; the heads in its file: sequence classification/,
  );
  await fails(pipeline("ner", model("bert-seqcls-3")), "unsupported", /no head for token classification/);
  await fails(pipeline("question-answering", model("bert-mlm")), "unsupported", /heads in its file: masked LM/);
  const zero = await load("zero-shot-classification", "bert-seqcls-3");
  await fails(zero("a", "b"), "unsupported", /label for entailment/);
  // one checkpoint, two heads
  const unmask = await load("fill-mask", "bert-pretraining");
  assert.equal(unmask.info.head, "masked-lm");
  const follows = await load("next-sentence-prediction", "bert-pretraining");
  assert.equal(follows.info.head, "next-sentence-prediction");
});
