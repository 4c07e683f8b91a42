// The adapters to interfaces of others, called by the packages that define the interfaces, beside the pipelines' own answers.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  createWebert,
  decisionModel,
  embeddingModel,
  extractionModel,
  rerankingModel,
} from "../dist/integrations/ai-sdk.js";
import { createHandler } from "../dist/integrations/fetch.js";
import { WebertEmbeddings, WebertReranker } from "../dist/integrations/langchain.js";
import { webertPlugin } from "../dist/integrations/orama.js";
import { polyfill, semanticEmbedder } from "../dist/integrations/semantic-embedder.js";
import {
  chromaFunction,
  fuse,
  genkitEmbedder,
  genkitReranker,
  lanceClass,
  vectraModel,
} from "../dist/integrations/stores.js";
import { pipeline } from "../dist/node.js";
import { answersOf, calibrationError, questionsOf } from "../models/eval/decisions.mjs";
import { blocksOf } from "./blocks.mjs";
import { client, installed } from "./integrations/clients.mjs";

const goldens = join(import.meta.dirname, "goldens");
const TEXTS = [
  "The piano stands near the window.",
  "It rained all day.",
  "The cat sleeps on the sofa.",
  "Interest rates rose again.",
];
const QUERY = "musical instrument";

const open = {};
before(async () => {
  const load = async (name, ...args) => (open[name] = await pipeline(...args));
  await load("embed", "feature-extraction");
  await load("sentiment", "text-classification");
  await load("entities", "token-classification");
  await load("rank", "text-ranking", join(goldens, "sentence-transformers/cross-encoder-one-label"), { dtype: "fp32" });
  await load("nli", "zero-shot-classification", join(goldens, "models/bert-seqcls-nli"), { dtype: "fp32" });
  await load("answer", "question-answering", join(goldens, "models/bert-qa"), { dtype: "fp32" });
  await load("prompted", "feature-extraction", join(goldens, "sentence-transformers/prompts-default"), {
    dtype: "fp32",
  });
  globalThis.AI_SDK_LOG_WARNINGS = false;
});
after(() => Promise.all(Object.values(open).map((pipe) => pipe.dispose())));

const own = async (texts, options, pipe = open.embed) => (await pipe(texts, { pooling: "model", ...options })).tolist();
const near = (a, b, most = 1e-5) => {
  assert.equal(a.length, b.length);
  for (const [n, value] of Array.from(a).entries())
    assert.ok(Math.abs(value - b[n]) <= most, `${n}: ${value}, ${b[n]}`);
};
const rows = (a, b, most) => {
  assert.equal(a.length, b.length);
  for (const [n, row] of a.entries()) near(row, b[n], most);
};

test("ai: embedMany and rerank, with usage, dimensions and a provider", async () => {
  const { embed, embedMany, rerank, NoSuchModelError } = await client("ai");
  const model = embeddingModel(open.embed);
  const { embeddings, usage } = await embedMany({ model, values: TEXTS });
  rows(embeddings, await own(TEXTS));
  const counts = TEXTS.map((text) => open.embed.tokenizer.encode(text).length);
  assert.equal(
    usage.tokens,
    counts.reduce((a, b) => a + b),
  );
  const webert = createWebert({ minilm: open.embed, ranker: open.rank });
  const found = await embed({ model: webert.embeddingModel("minilm"), value: TEXTS[0] });
  near(found.embedding, (await own(TEXTS[0]))[0]);
  const documents = ["a b c", "b", "the a"];
  const { ranking } = await rerank({ model: webert.rerankingModel("ranker"), query: "a", documents, topN: 2 });
  const expected = (await open.rank("a", documents)).slice(0, 2);
  assert.deepEqual(
    ranking.map(({ originalIndex }) => originalIndex),
    expected.map(({ corpus_id }) => corpus_id),
  );
  near(
    ranking.map(({ score }) => score),
    expected.map(({ score }) => score),
  );
  const objects = documents.map((text) => ({ text }));
  const json = await rerankingModel(open.rank).doRerank({ query: "a", documents: { type: "object", values: objects } });
  near(
    json.ranking.map(({ relevanceScore }) => relevanceScore),
    (
      await open.rank(
        "a",
        objects.map((one) => JSON.stringify(one)),
      )
    ).map(({ score }) => score),
  );
  for (const wrong of [
    () => webert.embeddingModel("none"),
    () => webert.languageModel("minilm"),
    () => webert.rerankingModel("minilm"),
  ])
    assert.throws(wrong, (error) => NoSuchModelError.isInstance(error));
  const short = await model.doEmbed({
    values: TEXTS.slice(0, 1),
    dimensions: 8,
    providerOptions: { webert: { pooling: "cls" } },
  });
  rows(short.embeddings, await own(TEXTS[0], { truncate_dim: 8, normalize: true }));
  assert.deepEqual(short.warnings, [{ type: "unsupported", feature: "providerOptions.webert.pooling" }]);
  const cut = await embeddingModel(open.embed, { max_length: 6 }).doEmbed({ values: TEXTS });
  assert.equal(cut.warnings.length, TEXTS.length);
  assert.match(cut.warnings[0].message, /values\[0\] was cut at 6 tokens/);
  const stop = AbortSignal.abort();
  await assert.rejects(embedMany({ model, values: TEXTS, abortSignal: stop, maxRetries: 0 }));
});

test("ai: the folder's prompts by providerOptions", async () => {
  const model = embeddingModel(open.prompted);
  const call = (webert) => model.doEmbed({ values: ["a b"], providerOptions: { webert } });
  rows((await call({ task: "document" })).embeddings, await own("a b", { task: "document" }, open.prompted));
  rows((await call({ prompt_name: "long" })).embeddings, await own("a b", { prompt_name: "long" }, open.prompted));
  rows((await call({})).embeddings, await own("a b", {}, open.prompted));
});

test("ai: experimental_decide by classifiers and by inference, and refusals with a reason", async () => {
  const { experimental_decide: decide, Experimental_DecisionRefusalError: Refusal } = await client("ai");
  const text = "What a lovely evening, I enjoyed every minute.";
  const feeling = { type: "choice", criteria: { negative: null, Positive: "the writer is glad" } };
  const shipped = decisionModel({ pipelines: [open.sentiment] });
  const { answers, usage } = await decide({ model: shipped, state: text, questions: { feeling } });
  const scores = await open.sentiment(text, { top_k: null });
  const of = (name) => scores.find(({ label }) => label.toLowerCase() === name).score;
  assert.equal(answers.feeling.choice, "Positive");
  near(
    Object.values(answers.feeling.probabilities),
    [of("negative"), of("positive")].map((one) => one / (of("negative") + of("positive"))),
  );
  assert.equal(usage.inputTokens, open.sentiment.tokenizer.encode(text).length);
  const topic = { type: "choice", criteria: { sports: null, politics: null } };
  await assert.rejects(decide({ model: shipped, state: text, questions: { topic }, maxRetries: 0 }), (error) =>
    Refusal.isInstance(error),
  );
  const refused = await shipped.doDecide({ state: [{ type: "text", text }], questions: { topic, feeling } });
  assert.equal(refused.answers.topic.type, "refusal");
  assert.equal(refused.answers.feeling.choice, "Positive");
  assert.match(refused.warnings[0].details, /none is loaded/);
  const inferring = decisionModel({ pipelines: [open.nli, open.sentiment] });
  const named = await decide({ model: inferring, state: "a b c", questions: { topic } });
  const zero = await open.nli("a b c", ["sports", "politics"]);
  near(
    zero.labels.map((label) => named.answers.topic.probabilities[label]),
    zero.scores,
  );
  const levels = ["It is bad.", "It is fine.", "It is good."];
  const questions = {
    level: { type: "score", criteria: levels },
    holds: { type: "boolean", instructions: "The text is about music." },
    either: { type: "boolean", criteria: { true: "It is good.", false: "It is bad." } },
  };
  const found = await decide({ model: inferring, state: "a b c", questions });
  const scored = await open.nli("a b c", levels, { hypothesis_template: "{}" });
  const mean = levels.reduce((sum, level, n) => sum + n * scored.scores[scored.labels.indexOf(level)], 0);
  near([found.answers.level.score], [mean]);
  const alone = await open.nli("a b c", ["The text is about music."], { hypothesis_template: "{}", multi_label: true });
  near([found.answers.holds.probability], alone.scores);
  const asked = await inferring.doDecide({
    state: [{ type: "text", text }],
    questions: { q: { type: "boolean", instructions: "Is it good?" } },
  });
  assert.equal(asked.answers.q.type, "refusal");
  assert.match(asked.warnings[0].details, /statement/);
  const trained = decisionModel({ heads: { mood: open.sentiment } });
  const mood = { type: "choice", criteria: { positive: null, negative: null } };
  assert.equal((await decide({ model: trained, state: text, questions: { mood } })).answers.mood.choice, "positive");
  await assert.rejects(
    trained.doDecide({ state: [{ type: "text", text }], questions: { mood: topic } }),
    /labels sports, politics, got/,
  );
});

test("ai: the package's classifiers refuse the written questions, and warn of what they do not read", async () => {
  const rows = questionsOf(readFileSync(join(import.meta.dirname, "../models/eval/decisions.txt"), "utf8"));
  assert.equal(rows.length, 30);
  const refusing = await answersOf(decisionModel({ pipelines: [open.sentiment, open.entities] }), rows);
  assert.deepEqual(refusing, { kinds: {}, refused: 30 });
  const { kinds, refused } = await answersOf(decisionModel({ pipelines: [open.sentiment, open.nli] }), rows);
  assert.equal(refused, 0);
  assert.deepEqual(
    Object.entries(kinds).map(([kind, all]) => [kind, all.length]),
    [
      ["boolean", 12],
      ["choice", 12],
      ["score", 6],
    ],
  );
  const state = [{ type: "text", text: "The test of the blood was positive." }];
  const criteria = { positive: null, negative: null };
  const asked = { type: "choice", criteria, instructions: "What did the laboratory find?" };
  const warningsOf = async (deciders, question) =>
    (await decisionModel(deciders).doDecide({ state, questions: { q: question } })).warnings.map(({ type }) => type);
  assert.deepEqual(await warningsOf({ pipelines: [open.sentiment] }, asked), ["compatibility"]);
  const described = { type: "choice", criteria: { ...criteria, positive: "the virus is there" } };
  assert.deepEqual(await warningsOf({ pipelines: [open.sentiment] }, described), ["compatibility"]);
  assert.deepEqual(await warningsOf({ pipelines: [open.sentiment] }, { type: "choice", criteria }), []);
  assert.deepEqual(await warningsOf({ heads: { q: open.sentiment } }, asked), []);
  const all = [0.95, 0.95, 0.55, 0.55].map((confidence, n) => ({ confidence, isRight: n !== 3 }));
  near([calibrationError(all)], [(2 * 0.05 + 0.1) / 4], 1e-12);
});

test("ai: experimental_extract with exact sources, and refusals with a reason", async () => {
  const { experimental_extract: extract } = await client("ai");
  const state = "😀 Anna Kovács met Peter Novak in Budapest.";
  const model = extractionModel([open.entities], { labels: { people: "PERSON" } });
  const fields = { people: { type: "list", items: "text" }, location: { type: "text" } };
  const { answers } = await extract({ model, state, fields });
  assert.deepEqual(answers.people.value, ["Anna Kovács", "Peter Novak"]);
  for (const [n, { source }] of answers.people.items.entries())
    assert.equal(state.slice(source.start, source.end), answers.people.value[n]);
  for (const text of ["👍🏽 Anna Kovács", "→ Anna Kovács ❤️", "• Anna Kovács"]) {
    const { answers } = await extract({ model, state: text, fields: { people: fields.people } });
    assert.deepEqual(answers.people.value, ["Anna Kovács"], text); // no symbol is a part of a name
  }
  assert.equal(answers.location.value, "Budapest");
  assert.equal(state.slice(answers.location.source.start, answers.location.source.end), "Budapest");
  const parts = [
    { type: "text", text: "Nothing." },
    { type: "text", text: "It is in Paris." },
  ];
  const inParts = await model.doExtract({
    state: parts,
    fields: { location: { type: "text" }, people: fields.people, colour: { type: "text" } },
  });
  assert.equal(inParts.answers.location.source.part, 1);
  assert.deepEqual(inParts.answers.people, { type: "list", value: [], items: [] });
  assert.equal(inParts.answers.colour.type, "refusal");
  assert.match(inParts.warnings[0].details, /PERSON, LOCATION/);
  const asking = extractionModel([open.answer]);
  const context = "a b c d e f";
  const { answers: byQuestion } = await asking.doExtract({
    state: [{ type: "text", text: context }],
    fields: { what: { type: "text", instructions: "What is b?" } },
  });
  const expected = await open.answer("What is b?", context, { top_k: 2, handle_impossible_answer: true });
  const best = expected.find(({ answer }) => answer);
  const none = expected.find(({ answer }) => !answer)?.score ?? 0;
  assert.equal(byQuestion.what.value, best.score > none ? best.answer : null);
  near([byQuestion.what.pNull], [none]);
  const unsure = Object.assign(
    async () => [
      { answer: "", score: 0.6, start: 0, end: 0 },
      { answer: "b", score: 0.3, start: 2, end: 3 },
    ],
    { task: "question-answering", tokenizer: open.answer.tokenizer },
  );
  const nothing = await extractionModel([unsure]).doExtract({
    state: [{ type: "text", text: context }],
    fields: { what: { type: "text", instructions: "What is b?" } },
  });
  assert.deepEqual(nothing.answers.what, { type: "text", value: null, pNull: 0.6 });
});

test("ai: a model for entities of any label finds fields by their instructions", async () => {
  const asked = [];
  // The pipeline of GLiNER by its shape: no such model is in the package.
  const any = Object.assign(
    async (text, labels) => {
      asked.push(labels);
      const start = text.indexOf("red");
      return start < 0 ? [] : [{ entity_group: labels[0], score: 0.9, word: "red", start, end: start + 3 }];
    },
    { task: "zero-shot-token-classification", tokenizer: open.embed.tokenizer },
  );
  const model = extractionModel([open.entities, any]);
  const parts = ["Nothing.", "A red door in Paris."].map((text) => ({ type: "text", text }));
  const fields = { paint: { type: "text", instructions: "colour" }, location: { type: "text" } };
  const { answers, warnings } = await model.doExtract({ state: parts, fields });
  const source = { type: "text", part: 1, start: 2, end: 5 };
  assert.deepEqual(answers.paint, { type: "text", value: "red", confidence: 0.9, source });
  assert.equal(answers.location.value, "Paris"); // by the model that was trained for the label
  assert.deepEqual(asked, [["colour"], ["colour"]]);
  assert.deepEqual(warnings, []);
});

test("@ai-sdk/typesafe-ai over /v1/systemone", async () => {
  const { experimental_decide: decide } = await client("ai");
  const { createTypeSafeAi } = await client("@ai-sdk/typesafe-ai");
  const handler = createHandler({ feeling: open.sentiment, nli: open.nli });
  const provider = createTypeSafeAi({ fetch: handler, baseURL: "http://webert.local/v1", apiKey: "none" });
  const questions = {
    feeling: { type: "choice", criteria: { positive: null, negative: null } },
  };
  const { answers, usage } = await decide({
    model: provider.evaluationModel("feeling"),
    state: "What a lovely day!",
    questions,
  });
  assert.equal(answers.feeling.choice, "positive");
  assert.ok(usage.inputTokens > 3);
  const holds = { type: "boolean", instructions: "It is good." };
  const inferred = await decide({ model: provider.evaluationModel("nli"), state: "a b", questions: { holds } });
  const alone = await open.nli("a b", ["It is good."], { hypothesis_template: "{}", multi_label: true });
  near([inferred.answers.holds.probability], alone.scores);
  await assert.rejects(
    decide({ model: provider.evaluationModel("feeling"), state: "a", questions: { holds }, maxRetries: 0 }),
    /question "holds": expected a classifier/,
  );
});

test("@langchain/core: a vector store and a compressor", async () => {
  const { FakeVectorStore } = await client("@langchain/core/utils/testing");
  const { Document } = await client("@langchain/core/documents");
  const { BaseDocumentCompressor } = await client("@langchain/core/retrievers/document_compressors");
  const metadata = TEXTS.map((_, n) => ({ n }));
  const store = await FakeVectorStore.fromTexts(TEXTS, metadata, new WebertEmbeddings(open.embed));
  const [best] = await store.similaritySearch(QUERY, 1);
  assert.equal(best.metadata.n, 0);
  const compressor = new WebertReranker(open.rank, { topN: 2 });
  assert.ok(BaseDocumentCompressor.isBaseDocumentCompressor(compressor));
  const documents = ["a b c", "b", "the a"].map(
    (pageContent, n) => new Document({ pageContent, metadata: { n }, id: `${n}` }),
  );
  const kept = await compressor.compressDocuments(documents, "a");
  const expected = (
    await open.rank(
      "a",
      documents.map(({ pageContent }) => pageContent),
    )
  ).slice(0, 2);
  assert.deepEqual(
    kept.map(({ metadata }) => metadata.n),
    expected.map(({ corpus_id }) => corpus_id),
  );
  near(
    kept.map(({ metadata }) => metadata.relevanceScore),
    expected.map(({ score }) => score),
  );
  assert.ok(kept[0] instanceof Document && kept[0].id !== undefined);
  assert.deepEqual(
    documents.map(({ metadata }) => metadata),
    documents.map((_, n) => ({ n })),
  );
  near(
    await new WebertEmbeddings(open.prompted).embedQuery("a b"),
    (await own("a b", { task: "query" }, open.prompted))[0],
  );
});

test("@orama/orama: vectors of documents in one batch, hybrid and vector searches", async () => {
  const { create, insert, insertMultiple, search } = await client("@orama/orama");
  const batches = [];
  const counting = new Proxy(open.embed, {
    get: (pipe, name) =>
      name === "stream" ? (texts, options) => (batches.push(texts.length), pipe.stream(texts, options)) : pipe[name],
  });
  const plugin = webertPlugin(counting, { fields: ["text"] });
  const db = create({ schema: { text: "string", embedding: "vector[384]" }, plugins: [plugin] });
  const documents = TEXTS.slice(0, 2).map((text) => ({ text }));
  await insertMultiple(db, await plugin.embed(documents));
  assert.deepEqual(batches.slice(1), [2]);
  await insertMultiple(db, [{ text: TEXTS[2] }]);
  await insert(db, { text: TEXTS[3] });
  for (const mode of ["vector", "hybrid"]) {
    const { hits } = await search(db, { term: QUERY, mode, similarity: 0.1 });
    assert.equal(hits[0].document.text, TEXTS[0], mode);
  }
  assert.equal((await search(db, { term: "rates", mode: "fulltext" })).hits[0].document.text, TEXTS[3]);
});

test("embedding functions of Chroma, LanceDB, Genkit and Vectra", async () => {
  const vectors = await own(TEXTS, { task: "document" });
  const query = (await own(QUERY, { task: "query" }))[0];
  const chroma = chromaFunction(open.embed);
  rows(await chroma.generate(TEXTS), vectors);
  near((await chroma.generateForQueries([QUERY]))[0], query);
  class Base {
    name = "base";
  }
  const Lance = await lanceClass(Base, open.embed);
  const lance = new Lance();
  assert.ok(lance instanceof Base && lance.ndims() === 384);
  rows(await lance.computeSourceEmbeddings(TEXTS), vectors);
  near(await lance.computeQueryEmbeddings(QUERY), query);
  const documents = TEXTS.map((text) => ({ text, content: [{ text }], metadata: { text } }));
  rows(
    (await genkitEmbedder(open.embed)(documents)).embeddings.map(({ embedding }) => embedding),
    await own(TEXTS),
  );
  const short = ["a b c", "b", "the a"].map((text) => ({ text, content: [{ text }], metadata: {} }));
  const ranked = await genkitReranker(open.rank)({ text: "a" }, short, { k: 1 });
  const [first] = await open.rank(
    "a",
    short.map(({ text }) => text),
  );
  assert.deepEqual(ranked.documents, [{ content: short[first.corpus_id].content, metadata: { score: first.score } }]);
  const vectra = vectraModel(open.embed);
  const made = await vectra.createEmbeddings(TEXTS);
  assert.equal(made.status, "success");
  rows(made.output, await own(TEXTS));
  assert.equal((await vectra.createEmbeddings([1])).status, "error");
  assert.ok(vectra.maxTokens > 100);
});

test("SemanticEmbedder: what the public tests of the proposal assert", async () => {
  let loads = 0;
  const load = async ({ progress_callback }) => {
    loads++;
    for (const progress of [50, 20, 80]) progress_callback({ status: "progress_total", progress });
    return open.embed;
  };
  const SemanticEmbedder = semanticEmbedder(load);
  assert.equal(SemanticEmbedder.name, "SemanticEmbedder");
  assert.throws(() => new SemanticEmbedder(), TypeError);
  assert.equal(await SemanticEmbedder.availability(), "downloadable");
  const progress = [];
  const monitor = (target) =>
    target.addEventListener("downloadprogress", ({ loaded, total }) => progress.push([loaded, total]));
  const creating = SemanticEmbedder.create({ monitor });
  assert.equal(await SemanticEmbedder.availability(), "downloading");
  const embedder = await creating;
  assert.equal(await SemanticEmbedder.availability(), "available");
  assert.deepEqual(progress, [
    [0.5, 1],
    [0.8, 1],
    [1, 1],
  ]);
  const { embeddings } = await embedder.embed(TEXTS[0]);
  assert.equal(embeddings.length, 1);
  assert.ok(embeddings[0].values instanceof Float32Array);
  near(embeddings[0].values, (await own(TEXTS[0]))[0]);
  const many = await embedder.embed(TEXTS, { taskType: "clustering" }); // the folder has no such prompt
  rows(
    many.embeddings.map(({ values }) => values),
    await own(TEXTS),
  );
  assert.deepEqual(await embedder.embed([]), { embeddings: [] });
  await assert.rejects(embedder.embed("a", { taskType: "none" }), TypeError);
  const reason = new Error("enough");
  await assert.rejects(embedder.embed("a", { signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(SemanticEmbedder.create({ signal: AbortSignal.abort(reason) }), reason);
  const other = await SemanticEmbedder.create();
  assert.equal(loads, 1);
  const running = other.embed(TEXTS);
  other.destroy();
  await assert.rejects(running, { name: "AbortError" });
  await assert.rejects(other.embed("a"), { name: "AbortError" });
  assert.equal((await embedder.embed("a")).embeddings.length, 1);
  const prompted = await semanticEmbedder(async () => open.prompted).create();
  const asked = await prompted.embed("a b", { taskType: "retrieval-query" });
  near(asked.embeddings[0].values, (await own("a b", { task: "query", normalize: true }, open.prompted))[0]);
  assert.equal(polyfill(load), true);
  assert.equal(polyfill(load), false);
  assert.equal(globalThis.SemanticEmbedder.name, "SemanticEmbedder");
});

test("fuse adds 1 / (k + rank) of each list, and counts an id once per list", () => {
  const fused = fuse([
    ["a", "b", "a"],
    ["b", "c"],
  ]);
  assert.deepEqual(
    fused.map(({ id }) => id),
    ["b", "a", "c"],
  );
  assert.deepEqual(
    fused.map(({ ranks }) => ranks),
    [
      [2, 1],
      [1, null],
      [null, 2],
    ],
  );
  near(
    fused.map(({ score }) => score),
    [1 / 62 + 1 / 61, 1 / 61, 1 / 62],
    1e-12,
  );
  assert.deepEqual(
    fuse([["a"], ["b"]], { k: 0, weights: [1, 2] }).map(({ score }) => score),
    [2, 1],
  );
  assert.deepEqual(fuse([]), []);
  assert.throws(() => fuse([["a"]], { k: -1 }), /k: expected/);
});

test("adapters refuse pipelines of other tasks by name", async () => {
  const wrong = /expected a pipeline for feature-extraction, got a pipeline for text-classification/;
  for (const make of [
    embeddingModel,
    (pipe) => new WebertEmbeddings(pipe),
    chromaFunction,
    vectraModel,
    (pipe) => webertPlugin(pipe, { fields: ["a"] }),
  ])
    assert.throws(() => make(open.sentiment), wrong);
  assert.throws(
    () => rerankingModel(open.embed),
    /expected a pipeline for text-ranking, got a pipeline for feature-extraction/,
  );
  assert.throws(() => decisionModel({}), /expected heads or pipelines/);
  assert.throws(() => webertPlugin(open.embed, {}), /fields: expected/);
});

test("our objects have the types that the packages declare", () => {
  const root = join(import.meta.dirname, "..");
  const folder = installed();
  rmSync(join(folder, "node_modules/webert"), { force: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  copyFileSync(join(import.meta.dirname, "integrations/types.mts"), join(folder, "types.mts"));
  // The recipes for editors are compiled against the editors' declarations.
  for (const [recipe, file] of [
    ["obsidian", "main.ts"],
    ["vscode", "extension.ts"],
  ]) {
    const text = readFileSync(join(root, `docs/recipes/${recipe}.md`), "utf8");
    const { code } = blocksOf(text).find(({ detail }) => detail === file);
    writeFileSync(join(folder, `${recipe}.mts`), code);
  }
  const options =
    "--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext --target es2022 --lib es2023,dom,esnext.disposable --types node";
  const roots = ["--typeRoots", join(root, "node_modules/@types")];
  const args = [
    join(root, "node_modules/typescript/bin/tsc"),
    ...options.split(" "),
    ...roots,
    "types.mts",
    "obsidian.mts",
    "vscode.mts",
  ];
  const done = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  assert.equal(done.stdout, "");
  assert.equal(done.status, 0);
});
