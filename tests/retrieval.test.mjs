// Sparse encoders (SPLADE) and late interaction (ColBERT) through the public API over the built package: outputs equal to
// sentence-transformers', and the errors.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { AutoModel, AutoModelForMaskedLM, createIndex, loadIndex, pipeline } from "../dist/node.js";
import { alike } from "./alike.mjs";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens", "retrieval");
const fp32 = { dtype: "fp32", device: "wasm" };
const at = (name) => join(goldens, name);
const golden = async (name) => JSON.parse(await readFile(join(at(name), "cases.json"), "utf8"));

const open = [];
const folders = [];
after(async () => {
  await Promise.all(open.map((pipe) => pipe.dispose()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});
async function load(task, source) {
  const pipe = await pipeline(task, source, fp32);
  open.push(pipe);
  return pipe;
}

/** A golden's folder with JSON files changed by functions. */
async function changed(name, files) {
  const folder = await mkdtemp(join(tmpdir(), "webert-retrieval-"));
  folders.push(folder);
  await cp(at(name), folder, { recursive: true });
  for (const [file, change] of Object.entries(files)) {
    const before = JSON.parse(await readFile(join(folder, file), "utf8"));
    await writeFile(join(folder, file), JSON.stringify(change(before)));
  }
  return folder;
}

const sorted = (vector) => Object.fromEntries(Object.entries(vector).sort(([a], [b]) => (a < b ? -1 : 1)));

for (const name of ["idf-queries", "splade-max-log", "splade-sum"])
  test(`${name} gives the sparse vectors of sentence-transformers`, async () => {
    const { texts, ...wanted } = await golden(name);
    const embed = await load("feature-extraction", at(name));
    for (const task of ["document", "query"]) {
      const vectors = await embed(texts, { pooling: "model", task });
      for (const [n, vector] of vectors.entries()) {
        alike(sorted(vector), sorted(wanted[task][n]), `${task} ${n}`);
        const weights = Object.keys(vector).flatMap((token) => (/^\d+$/.test(token) ? [] : vector[token]));
        assert.deepEqual(
          weights,
          [...weights].sort((a, b) => b - a),
          "largest first",
        );
      }
      assert.deepEqual(await embed(texts[0], { pooling: "sparse", task }), vectors[0]);
    }
    // Without a task a text is a document, with the folder's default prompt.
    assert.equal(typeof (await embed(texts[0], { pooling: "model" })), "object");
  });

for (const name of ["multi-vector", "pylate", "stanford"])
  test(`${name} gives the token vectors and scores of sentence-transformers`, async () => {
    const { queries, documents, query_vectors, document_vectors, scores } = await golden(name);
    const embed = await load("feature-extraction", at(name));
    const check = async (texts, task, wanted) => {
      for (const [n, text] of texts.entries()) {
        const vectors = await embed(text, { pooling: "model", task });
        assert.equal(vectors.dims[0], 1);
        alike(vectors.tolist()[0], wanted[n], `${task} ${n}`);
      }
    };
    await check(queries, "query", query_vectors);
    await check(documents, "document", document_vectors);
    const rank = await load("text-ranking", at(name));
    const ranked = await rank(queries, [documents, documents], { return_documents: true });
    for (const [n, results] of ranked.entries()) {
      const found = [...results].sort((a, b) => a.corpus_id - b.corpus_id).map(({ score }) => score);
      alike(found, scores[n], `scores ${n}`);
      assert.ok(results.every(({ score }, i) => !i || score <= results[i - 1].score));
      assert.ok(results.every(({ text, corpus_id }) => text === documents[corpus_id]));
    }
    assert.equal((await rank(queries[0], documents, { top_k: 1 })).length, 1);
    assert.equal(ranked[0].find(({ corpus_id }) => corpus_id === 2).truncated, true);
  });

test("the three outputs of BGE-M3 equal the formulas in PyTorch", async () => {
  const { texts, dense, sparse, colbert } = await golden("bge-m3");
  const embed = await load("feature-extraction", at("bge-m3"));
  alike((await embed(texts, { pooling: "model" })).tolist(), dense, "dense");
  for (const [n, vector] of (await embed(texts, { pooling: "sparse" })).entries())
    alike(sorted(vector), sorted(sparse[n]), `sparse ${n}`);
  for (const [n, text] of texts.entries())
    alike((await embed(text, { pooling: "colbert" })).tolist()[0], colbert[n], `colbert ${n}`);
});

test("the three outputs of BGE-M3, and their scores, equal FlagEmbedding's", async () => {
  const { texts, dense, sparse, colbert, pairs, scores } = await golden("bge-m3-flag");
  const embed = await load("feature-extraction", at("bge-m3-flag"));
  const vectors = (await embed(texts, { pooling: "model" })).tolist();
  const words = await embed(texts, { pooling: "sparse" });
  const tokens = await Promise.all(texts.map(async (text) => (await embed(text, { pooling: "colbert" })).tolist()[0]));
  alike(vectors, dense, "dense");
  for (const [n, vector] of words.entries()) alike(sorted(vector), sorted(sparse[n]), `sparse ${n}`);
  for (const [n, rows] of tokens.entries()) alike(rows, colbert[n], `colbert ${n}`);
  const dot = (a, b) => a.reduce((sum, value, n) => sum + value * b[n], 0);
  const shared = (a, b) => Object.keys(a).reduce((sum, word) => sum + a[word] * (b[word] ?? 0), 0);
  const best = (a, b) => a.reduce((sum, row) => sum + Math.max(...b.map((other) => dot(row, other))), 0) / a.length;
  const found = pairs.map(([a, b]) => ({
    dense: dot(vectors[a], vectors[b]),
    sparse: shared(words[a], words[b]),
    colbert: best(tokens[a], tokens[b]),
  }));
  for (const kind of ["dense", "sparse", "colbert"])
    alike(
      found.map((of) => of[kind]),
      scores[kind],
      kind,
    );
  alike(
    found.map((of) => 0.4 * of.dense + 0.2 * of.sparse + 0.4 * of.colbert),
    scores["colbert+sparse+dense"],
    "all three",
  );
});

test("a long text's scores are pooled in several parts, and equal the scores of the masked LM", async () => {
  const folder = await mkdtemp(join(tmpdir(), "webert-retrieval-"));
  folders.push(folder);
  await cp(join(import.meta.dirname, "../models/minilm-mlm"), folder, { recursive: true });
  const modules = [
    { path: "", type: "sentence_transformers.sparse_encoder.models.MLMTransformer" },
    { path: "1_SpladePooling", type: "sentence_transformers.sparse_encoder.models.SpladePooling" },
  ];
  await mkdir(join(folder, "1_SpladePooling"));
  await writeFile(join(folder, "1_SpladePooling/config.json"), "{}");
  await writeFile(join(folder, "modules.json"), JSON.stringify(modules));
  const model = await AutoModelForMaskedLM.from_pretrained(folder, fp32);
  const embed = await load("feature-extraction", folder);
  const text = "The piano stands near the window of the old house. ".repeat(16);
  const inputs = embed.tokenizer(text, { truncation: true, max_length: 160 });
  // 137 tokens have 16 MiB of scores.
  assert.ok(inputs.input_ids.dims[1] > 137);
  const { logits } = await model(inputs);
  await model.dispose();
  const width = logits.dims[2];
  const wanted = new Float32Array(width);
  for (let at = 0; at < logits.data.length; at++)
    wanted[at % width] = Math.max(wanted[at % width], Math.log1p(logits.data[at]) || 0);
  const vector = await embed(text, { pooling: "sparse", max_length: 160 });
  const tokens = embed.tokenizer.convert_ids_to_tokens([...wanted.keys()]);
  for (const [id, token] of tokens.entries()) alike(vector[token] ?? 0, wanted[id], token);
});

test("a sparse encoder ranks by the product of its vectors", async () => {
  const { texts, document, query } = await golden("idf-queries");
  const rank = await load("text-ranking", at("idf-queries"));
  const found = await rank(texts[0], texts);
  for (const { corpus_id, score } of found) {
    let sum = 0;
    for (const [token, weight] of Object.entries(query[0])) sum += weight * (document[corpus_id][token] ?? 0);
    alike(score, sum, `document ${corpus_id}`);
  }
});

test("late interaction rescores the results of a search", async () => {
  const { queries, documents, scores } = await golden("stanford");
  const index = await createIndex();
  await index.add(documents.slice(0, 2).map((text, id) => ({ id, text })));
  const found = await index.search(queries[0], { rerank: await load("text-ranking", at("stanford")) });
  assert.deepEqual(found.map(({ id }) => id).sort(), [0, 1]);
  for (const { id, score } of found) alike(score, scores[0][id], `document ${id}`);
  await index.dispose();
});

test("a text's vectors do not depend on the other texts of the call", async () => {
  const { documents } = await golden("pylate");
  const embed = await load("feature-extraction", at("pylate"));
  const all = (await embed(documents, { pooling: "model", task: "document" })).tolist();
  for (const [n, text] of documents.entries()) {
    const alone = (await embed(text, { pooling: "model", task: "document" })).tolist()[0];
    alike(all[n].slice(0, alone.length), alone, `document ${n}`);
  }
});

test("MaxSim is divided by the length of the query where the folder says so", async () => {
  const { queries, documents, scores } = await golden("multi-vector");
  const file = "config_sentence_transformers.json";
  const folder = await changed("multi-vector", {
    [file]: (config) => ({ ...config, similarity_fn_name: "meanmaxsim" }),
  });
  const rank = await load("text-ranking", folder);
  for (const { corpus_id, score } of await rank(queries[0], documents)) alike(score, scores[0][corpus_id] / 9, "mean");
});

test("options that these models do not have are refused", async () => {
  const embed = await load("feature-extraction", at("splade-sum"));
  await fails(embed("a", { pooling: "model", normalize: true }), "bad_input", /normalize/);
  await fails(embed("a", { pooling: "model", truncate_dim: 4 }), "bad_input", /truncate_dim/);
  await fails(embed("a", { pooling: "model", task: "passage" }), "bad_input", /task: expected query or document/);
  await fails(embed("a", { pooling: "colbert" }), "unsupported", /"colbert": the folder has no such output/);
  const rank = await load("text-ranking", at("pylate"));
  await fails(rank("a", ["b"], { function_to_apply: "sigmoid" }), "bad_input", /function_to_apply/);
  const plain = await load("feature-extraction", null);
  await fails(plain("a", { pooling: "sparse" }), "unsupported", /no such output: there is no sparse_linear\.pt/);
  await fails(createIndex({ model: at("splade-sum") }), "unsupported", /MLMTransformer/);
});

test("modules and settings that are not supported are refused by name", async () => {
  const refused = async (name, files, pattern) => {
    const embed = await load("feature-extraction", await changed(name, files));
    await fails(embed("a", { pooling: "model", task: "query" }), "unsupported", pattern);
  };
  const pooling = "1_SpladePooling/config.json";
  await refused("splade-sum", { [pooling]: (c) => ({ ...c, pooling_strategy: "mean" }) }, /pooling_strategy.*"mean"/);
  await refused("splade-sum", { [pooling]: (c) => ({ ...c, activation_function: "gelu" }) }, /activation_function/);
  await refused(
    "splade-sum",
    { "modules.json": (list) => list.slice(0, 1) },
    /expected MLMTransformer, then SpladePooling/,
  );
  const mask = "2_MultiVectorMask/config.json";
  await refused("multi-vector", { [mask]: (c) => ({ ...c, keep_only_token_ids: [3] }) }, /keep_only_token_ids/);
  const expansion = (config) => ({ ...config, query_expansion: { strategy: "double", length: 9 } });
  await refused("multi-vector", { "sentence_bert_config.json": expansion }, /query_expansion: strategy/);
});

test("AutoModel refuses a ColBERT checkpoint, whose projection it would drop", async () => {
  await fails(AutoModel.from_pretrained(at("stanford"), fp32), "unsupported", /HF_ColBERT.*linear\.weight/);
});

/** A small encoder for the vectors of an index. */
const bert = join(import.meta.dirname, "goldens/models/bert-seqcls-3");

for (const name of ["splade-max-log", "idf-queries"]) {
  test(`an index scores by the sparse vectors of ${name}`, async () => {
    const { texts, document, query } = await golden(name);
    const index = await createIndex({ model: bert, sparse: at(name), model_options: fp32 });
    await index.add(texts.map((text, id) => ({ id, text })));
    assert.equal(index.info.sparse, true);
    const dot = (a, b) => Object.entries(a).reduce((sum, [token, weight]) => sum + weight * (b[token] ?? 0), 0);
    const check = async (index) => {
      for (const [n, text] of texts.entries()) {
        const found = await index.search(text, { sparse: 1, hybrid: false });
        const want = document.map((of) => dot(query[n], of));
        assert.equal(found.length, want.filter((score) => score > 0).length);
        // a weight has steps of 1 / 4096
        for (const { id, score } of found)
          assert.ok(Math.abs(score - want[id]) < 2e-3 * Math.max(1, want[id]), `${score}, expected ${want[id]}`);
        assert.deepEqual(
          found.map(({ score }) => score),
          found.map(({ score }) => score).sort((a, b) => b - a),
        );
      }
    };
    await check(index);
    const blob = await index.save();
    const again = await loadIndex(blob, { model_options: fp32 });
    await check(again);
    assert.equal(await again.remove(1), 1);
    assert.ok((await again.search(texts[1], { sparse: 1 })).every(({ id }) => id !== 1));
    await Promise.all([index, again].map((index) => index.dispose()));
  });
}

test("sparse vectors count beside vectors and words", async () => {
  const { texts } = await golden("splade-max-log");
  const index = await createIndex({ model: bert, sparse: at("splade-max-log"), model_options: fp32 });
  await index.add(texts.map((text, id) => ({ id, text })));
  const scores = async (options) => {
    const found = await index.search(texts[0], options);
    return Object.fromEntries(found.map(({ id, score }) => [id, score]));
  };
  const [dense, sparse, both] = [
    await scores({ sparse: 0 }),
    await scores({ sparse: 1 }),
    await scores({ sparse: 0.2 }),
  ];
  assert.equal(Object.keys(sparse).length, texts.length);
  const values = Object.values(dense);
  const range = Math.max(...values) - values.reduce((sum, score) => sum + score, 0) / values.length;
  const most = Math.max(...Object.values(sparse));
  for (const id of Object.keys(dense)) {
    const want = dense[id] + 0.25 * range * ((sparse[id] ?? 0) / most);
    assert.ok(Math.abs(both[id] - want) < 1e-3, `${id}: ${both[id]}, expected ${want}`);
  }
  await index.dispose();
});

test("an index refuses a sparse encoder that is none, and shares without one", async () => {
  await fails(
    createIndex({ model: bert, sparse: bert, model_options: fp32 }),
    "unsupported",
    /^sparse: expected a sparse encoder/,
  );
  const index = await createIndex({ model: bert, model_options: fp32 });
  await index.add({ id: 1, text: "A piano." });
  await fails(index.search("piano", { sparse: 0.5 }), "bad_input", /^sparse: expected an index with a sparse encoder/);
  const blob = await index.save();
  await fails(loadIndex(blob, { sparse: at("splade-sum") }), "bad_input", /^sparse: expected an index/);
  await index.dispose();
  const other = await createIndex({ model: bert, sparse: at("splade-sum"), model_options: fp32 });
  await fails(other.search("piano", { sparse: 2 }), "bad_input", /^sparse: expected true, false or a number/);
  await fails(
    loadIndex(await other.save(), { sparse: at("splade-max-log"), model_options: fp32 }),
    "bad_input",
    /another sparse model/,
  );
  await other.dispose();
});
