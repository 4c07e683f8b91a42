// webert/fetch: the clients of each interface over the handler, without a network, beside answers of the pipelines themselves.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createHandler } from "../dist/integrations/fetch.js";
import { cos_sim, pipeline } from "../dist/node.js";
import { client } from "./integrations/clients.mjs";

const goldens = join(import.meta.dirname, "goldens");
const LOCAL = "http://webert.local";
const TEXTS = ["The piano stands near the window.", "It rained all day.", "Où est-il ? 😀"];
const KEY = "k3y";

/** Forms of the answers in docs/openapi.json of text-embeddings-inference 1.7.1. */
const LABELS = [{ score: "number", label: "string" }];
const TOKEN = { id: "integer", text: "string", special: "boolean", start: "integer or null", stop: "integer or null" };
const USAGE = { prompt_tokens: "integer", total_tokens: "integer" };
const INFO = {
  model_id: "string",
  model_sha: "string or null",
  model_dtype: "string",
  model_type: "object",
  max_concurrent_requests: "integer",
  max_input_length: "integer",
  max_batch_tokens: "integer",
  max_batch_requests: "integer or null",
  max_client_batch_size: "integer",
  auto_truncate: "boolean",
  tokenization_workers: "integer",
  version: "string",
  sha: "string or null",
  docker_label: "string or null",
};
const RANK = { index: "integer", score: "number", "text?": "string" };
const EMBEDDING = { object: "string", index: "integer", embedding: "string" };
const OPENAI = { object: "string", model: "string", data: [EMBEDDING], usage: USAGE };
const HEAD = { id2label: "object", label2id: "object" };

const open = {};
let handler;
before(async () => {
  const load = async (name, ...args) => (open[name] = await pipeline(...args));
  await load("embed", "feature-extraction");
  await load("sentiment", "text-classification");
  await load("entities", "token-classification");
  await load("fill", "fill-mask");
  await load("rank", "text-ranking", join(goldens, "sentence-transformers/cross-encoder-one-label"), { dtype: "fp32" });
  await load("prompted", "feature-extraction", join(goldens, "sentence-transformers/prompts-default"), {
    dtype: "fp32",
  });
  await load("splade", "feature-extraction", join(goldens, "retrieval/splade-sum"), { dtype: "fp32" });
  await load("colbert", "feature-extraction", join(goldens, "retrieval/pylate"), { dtype: "fp32" });
  const nli = join(goldens, "models/bert-seqcls-nli");
  await load("nli", "zero-shot-classification", nli, { dtype: "fp32" });
  await load("pairs", "text-classification", nli, { dtype: "fp32" });
  handler = createHandler({
    minilm: { pipelines: open.embed, max_length: 256 },
    "owner/sentiment": open.sentiment,
    ranker: open.rank,
    entities: [open.entities],
    mlm: open.fill,
    nli: [open.nli, open.pairs],
    splade: open.splade,
    colbert: open.colbert,
  });
});
after(() => Promise.all(Object.values(open).map((pipe) => pipe.dispose())));

const send = (path, body, init = {}, by = handler) =>
  by(`${LOCAL}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...init.headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(init.signal && { signal: init.signal }),
  });
const answer = async (path, body, by) => {
  const response = await send(path, body, {}, by);
  const value = await response.json();
  assert.equal(response.status, 200, JSON.stringify(value));
  return value;
};
/** Passes if a request fails with a status and a body that has the pattern. */
const refused = async (status, pattern, path, body, init, by) => {
  const response = await send(path, body, init, by);
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(text, pattern);
  return JSON.parse(text);
};
const own = async (texts, options) => (await open.embed(texts, { pooling: "model", ...options })).tolist();
/** Batches of other texts change the last digits of 8-bit activations. */
const near = (a, b, most = 1e-5) => {
  assert.equal(a.length, b.length);
  for (const [n, value] of a.entries()) assert.ok(Math.abs(value - b[n]) <= most, `${n}: ${value}, ${b[n]}`);
};
const rows = (a, b, most) => {
  assert.equal(a.length, b.length);
  for (const [n, row] of a.entries()) near(row, b[n], most);
};

test("openai: embeddings in both encodings, dimensions, usage, models", async () => {
  const { default: OpenAI } = await client("openai");
  const openai = new OpenAI({ fetch: handler, baseURL: `${LOCAL}/v1`, apiKey: "none" });
  const found = await openai.embeddings.create({ model: "minilm", input: TEXTS }); // the client asks for base64
  rows(
    found.data.map(({ embedding }) => embedding),
    await own(TEXTS),
  );
  assert.deepEqual(
    found.data.map(({ index }) => index),
    [0, 1, 2],
  );
  const tokens = TEXTS.map((text) => open.embed.tokenizer.encode(text).length);
  assert.deepEqual(found.usage, {
    prompt_tokens: tokens.reduce((a, b) => a + b),
    total_tokens: found.usage.prompt_tokens,
  });
  const floats = await openai.embeddings.create({ model: "minilm", input: TEXTS[0], encoding_format: "float" });
  near(floats.data[0].embedding, (await own(TEXTS[0]))[0]);
  const short = await openai.embeddings.create({ model: "minilm", input: TEXTS, dimensions: 16 });
  rows(
    short.data.map(({ embedding }) => embedding),
    await own(TEXTS, { truncate_dim: 16, normalize: true }),
  );
  const ids = [];
  for await (const { id } of openai.models.list()) ids.push(id);
  assert.deepEqual(ids, ["minilm", "owner/sentiment", "ranker", "entities", "mlm", "nli", "splade", "colbert"]);
  const full = createHandler({ minilm: open.embed }, { max_queue: 1 });
  const once = new OpenAI({ fetch: full, baseURL: `${LOCAL}/v1`, apiKey: "none", maxRetries: 0 });
  const many = await Promise.allSettled(TEXTS.map((input) => once.embeddings.create({ model: "minilm", input })));
  const late = many.filter(({ reason }) => reason instanceof OpenAI.RateLimitError);
  assert.deepEqual(
    late.map(({ reason }) => reason.headers.get("retry-after")), // the client's own retries wait this long, in seconds
    ["1", "1"],
  );
  assert.equal((await openai.models.retrieve("owner/sentiment")).owned_by, "webert");
});

test("openai: usage counts the folder's prompt, and a request without a model goes to the first", async () => {
  const by = createHandler({ prompted: open.prompted });
  const prompt = await open.prompted.prompt({ pooling: "model" });
  assert.ok(prompt.length > 0);
  const read = (text) => open.prompted.tokenizer.encode(text).length;
  const { usage, model } = await answer("/v1/embeddings", { input: ["a b", "b"] }, by);
  assert.equal(usage.prompt_tokens, read(`${prompt}a b`) + read(`${prompt}b`));
  assert.ok(usage.prompt_tokens > read("a b") + read("b"));
  assert.equal(model, "prompted");
  const [tokens] = await answer("/tokenize", { inputs: "a b", prompt_name: "long" }, by);
  const named = await open.prompted.prompt({ prompt_name: "long" });
  assert.deepEqual(
    tokens.map(({ id }) => id),
    open.prompted.tokenizer.encode(`${named}a b`),
  );
  await refused(422, /no prompt ..none/, "/tokenize", { inputs: "a", prompt_name: "none" }, {}, by);
});

test("openai and tei: ids of the model's own tokenizer are read as their texts", async () => {
  const own = TEXTS.map((text) => open.embed.tokenizer.encode(text));
  const expected = await answer("/v1/embeddings", { input: TEXTS });
  assert.deepEqual(await answer("/v1/embeddings", { input: own }), expected);
  const one = await answer("/v1/embeddings", { input: own[0] });
  near(one.data[0].embedding, expected.data[0].embedding);
  rows(await answer("/embed", { inputs: own }), await answer("/embed", { inputs: TEXTS }));
});

test("openai and tei: ids of another tokenizer are refused", async () => {
  const { getEncoding } = await client("js-tiktoken");
  const words = ["dog", "The dog sleeps.", "It rained all day, and the piano stood near the window.", "Où est-il ? 😀"];
  const encoding = getEncoding("cl100k_base");
  const ids = words.map((text) => [...encoding.encode(text)]);
  for (const [name, field] of [
    ["/v1/embeddings", "input"],
    ["/embed", "inputs"],
  ]) {
    const status = name === "/embed" ? 422 : 400;
    for (const input of [...ids, ids])
      await refused(status, /ids of another tokenizer.*send texts/i, name, { [field]: input });
    // The model's own ids without its special tokens: they could be of any vocabulary.
    const bare = open.embed.tokenizer.encode("dog").slice(1, -1);
    await refused(status, /with its special tokens/, name, { [field]: [bare] });
    const bad = /expected whole numbers of at least 0, got -1/;
    await refused(status, bad, name, { [field]: [[101, -1, 102]] });
    await refused(status, /\[1\]: expected an array of ids like the others, got a? ?string/, name, {
      [field]: [[101, 102], "a"],
    });
    await refused(400, /\[1\]: expected at least one id/, name, { [field]: [[101, 3899, 102], []] });
  }
  await refused(400, /got a number|ids of tokens/, "/v1/rerank", { model: "ranker", query: "a", documents: [1] });
});

test("openai: errors are of the client's classes and name the field", async () => {
  const { default: OpenAI } = await client("openai");
  const openai = new OpenAI({ fetch: handler, baseURL: `${LOCAL}/v1`, apiKey: "none", maxRetries: 0 });
  const create = (options) => openai.embeddings.create({ model: "minilm", input: "a", ...options });
  const fails = (promise, Class, param, pattern, code = null) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof Class, `${error.name}: ${error.message}`);
      assert.equal(error.param, param);
      assert.equal(error.code, code);
      assert.match(error.message, pattern);
      return true;
    });
  await fails(
    create({ model: "gpt" }),
    OpenAI.NotFoundError,
    "model",
    /expected one of minilm, .* got "gpt"/,
    "model_not_found",
  );
  await fails(
    create({ model: "ranker" }),
    OpenAI.BadRequestError,
    "model",
    /feature-extraction; minilm, splade, colbert would do/,
  );
  await fails(create({ dimensions: 385 }), OpenAI.BadRequestError, null, /dimensions: expected at most 384, got 385/);
  await fails(create({ dimensions: 0 }), OpenAI.BadRequestError, "dimensions", /at least 1/);
  await fails(create({ input: [1, 2] }), OpenAI.BadRequestError, "input", /another tokenizer/);
  await fails(create({ input: [[1, 2]] }), OpenAI.BadRequestError, "input[0]", /another tokenizer/);
  await fails(create({ input: "" }), OpenAI.BadRequestError, "input", /not empty/);
  await fails(create({ input: [] }), OpenAI.BadRequestError, "input", /at least one text/);
  await fails(create({ inputs: "a" }), OpenAI.BadRequestError, "inputs", /did you mean "input"/);
  await fails(create({ encoding_format: "int8" }), OpenAI.BadRequestError, "encoding_format", /float, base64/);
  await fails(create({ input: "word ".repeat(300) }), OpenAI.BadRequestError, "input", /maximum context length is 256/);
  await fails(create({ model: "splade" }), OpenAI.BadRequestError, null, /sparse vectors/);
  const cutting = createHandler({ minilm: { pipelines: open.embed, max_length: 256 } }, { truncate: true });
  const cut = await answer("/v1/embeddings", { model: "minilm", input: "word ".repeat(300) }, cutting);
  assert.equal(cut.usage.prompt_tokens, 256);
});

test("@langchain/openai and @ai-sdk/openai-compatible", async () => {
  const { OpenAIEmbeddings } = await client("@langchain/openai");
  const configuration = { fetch: handler, baseURL: `${LOCAL}/v1` };
  const langchain = new OpenAIEmbeddings({ model: "minilm", apiKey: "none", configuration });
  rows(await langchain.embedDocuments(TEXTS), await own(TEXTS));
  near(await langchain.embedQuery(TEXTS[0]), (await own(TEXTS[0]))[0]);
  const { createOpenAICompatible } = await client("@ai-sdk/openai-compatible");
  const { embedMany } = await client("ai");
  const provider = createOpenAICompatible({ name: "webert", baseURL: `${LOCAL}/v1`, fetch: handler });
  const { embeddings, usage } = await embedMany({ model: provider.embeddingModel("minilm"), values: TEXTS });
  rows(embeddings, await own(TEXTS));
  assert.ok(usage.tokens > 20);
});

test("@huggingface/inference: each task by its route", async () => {
  const { InferenceClient } = await client("@huggingface/inference");
  const hub = (model, task) =>
    new InferenceClient("", {
      fetch: handler,
      endpointUrl: `${LOCAL}/models/${model}${task ? `/pipeline/${task}` : ""}`,
    });
  near(await hub("minilm", "feature-extraction").featureExtraction({ inputs: TEXTS[0] }), (await own(TEXTS[0]))[0]);
  rows(await hub("minilm").featureExtraction({ inputs: TEXTS }), await own(TEXTS));
  const [first, ...others] = await own(TEXTS);
  const inputs = { source_sentence: TEXTS[0], sentences: TEXTS.slice(1) };
  near(
    await hub("minilm").sentenceSimilarity({ inputs }),
    others.map((row) => cos_sim(first, row)),
  );
  const labels = await hub("owner/sentiment").textClassification({ inputs: "A lovely day." });
  const expected = await open.sentiment("A lovely day.", { top_k: null });
  near(
    labels.map(({ score }) => score),
    expected.map(({ score }) => score),
  );
  assert.deepEqual(
    labels.map(({ label }) => label),
    expected.map(({ label }) => label),
  );
  const text = "Anna Kovács lives in Budapest.";
  const groups = await hub("entities").tokenClassification({ inputs: text });
  assert.deepEqual(
    groups.map(({ start, end }) => text.slice(start, end)),
    ["Anna Kovács", "Budapest"],
  );
  const [best] = await hub("mlm").fillMask({ inputs: "Paris is the [MASK] of France." });
  assert.equal(best.token_str, (await open.fill("Paris is the [MASK] of France."))[0].token_str);
  const parameters = { candidate_labels: ["b", "a"] };
  const zero = await hub("nli").zeroShotClassification({ inputs: "a b", parameters });
  const { labels: names, scores } = await open.nli("a b", ["b", "a"]);
  assert.deepEqual(
    zero.map(({ label }) => label),
    names,
  );
  near(
    zero.map(({ score }) => score),
    scores,
  );
  await assert.rejects(hub("none").featureExtraction({ inputs: "a" }), /expected one of minilm/);
});

test("cohere-ai: /v2/rerank; Jina: /v1/rerank", async () => {
  const { CohereClientV2 } = await client("cohere-ai");
  const cohere = new CohereClientV2({ token: "none", environment: LOCAL, fetch: handler, fetcher: undefined });
  const documents = ["a b c", "b", "the a"];
  const expected = await open.rank("a", documents);
  const v2 = await cohere.rerank({ model: "ranker", query: "a", documents, topN: 2 });
  assert.deepEqual(
    v2.results.map(({ index }) => index),
    expected.slice(0, 2).map(({ corpus_id }) => corpus_id),
  );
  near(
    v2.results.map(({ relevanceScore }) => relevanceScore),
    expected.slice(0, 2).map(({ score }) => score),
  );
  const jina = await answer("/v1/rerank", {
    model: "ranker",
    query: "a",
    documents: documents.map((text) => ({ text })),
    return_documents: true,
  });
  assert.deepEqual(
    jina.results.map(({ document }) => document.text),
    expected.map(({ corpus_id }) => documents[corpus_id]),
  );
  const pairs = documents.map((text) => open.rank.tokenizer.encode("a", { text_pair: text }).length);
  assert.equal(
    jina.usage.total_tokens,
    pairs.reduce((a, b) => a + b),
  );
  await refused(400, /return_documents: unknown field/, "/v2/rerank", {
    model: "ranker",
    query: "a",
    documents,
    return_documents: true,
  });
  await refused(400, /text-ranking; ranker would do/, "/v2/rerank", { model: "minilm", query: "a", documents });
});

test("cohere-ai: long documents are cut at max_tokens_per_doc, and errors are of the client's classes", async () => {
  const { CohereClientV2, Cohere } = await client("cohere-ai");
  const by = createHandler({ ranker: open.rank }, { api_key: KEY, max_queue: 1 });
  const cohere = (token = KEY) => new CohereClientV2({ token, environment: LOCAL, fetch: by, fetcher: undefined });
  const call = { model: "ranker", query: "a", documents: ["a b c a", "the b"] };
  const { results } = await cohere().rerank({ ...call, maxTokensPerDoc: 2 });
  const short = await open.rank("a", ["a b", "the b"]);
  assert.deepEqual(
    results.map(({ index }) => index),
    short.map(({ corpus_id }) => corpus_id),
  );
  near(
    results.map(({ relevanceScore }) => relevanceScore),
    short.map(({ score }) => score),
  );
  const once = { maxRetries: 0 };
  await assert.rejects(cohere("other").rerank(call, once), Cohere.UnauthorizedError);
  await assert.rejects(cohere().rerank({ ...call, model: "none" }, once), Cohere.NotFoundError);
  await assert.rejects(cohere().rerank({ ...call, topN: 0 }, once), (error) => {
    assert.ok(error instanceof Cohere.BadRequestError);
    assert.match(error.body.message, /top_n: expected a whole number/);
    return true;
  });
  const long = { ...call, documents: Array(40).fill("a b c") };
  const all = await Promise.allSettled([1, 2, 3].map(() => cohere().rerank(long, once)));
  const failed = all.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
  assert.equal(failed.length, 2);
  for (const reason of failed) assert.ok(reason instanceof Cohere.TooManyRequestsError, String(reason));
});

test("text-embeddings-inference: vectors", async () => {
  rows(await answer("/embed", { inputs: TEXTS }), await own(TEXTS));
  rows(await answer("/embed", { inputs: TEXTS[0] }), await own(TEXTS[0]));
  rows(await answer("/embed", { inputs: TEXTS, normalize: false }), await own(TEXTS, { normalize: false }), 1e-4);
  rows(
    await answer("/embed", { inputs: TEXTS, dimensions: 8 }),
    await own(TEXTS, { truncate_dim: 8, normalize: true }),
  );
  const [first, ...others] = await own(TEXTS);
  const inputs = { source_sentence: TEXTS[0], sentences: TEXTS.slice(1) };
  near(
    await answer("/similarity", { inputs }),
    others.map((row) => cos_sim(first, row)),
  );
  const all = await answer("/embed_all", { inputs: TEXTS.slice(0, 2) });
  const states = (await open.embed(TEXTS[1])).tolist()[0];
  rows(all[1], states, 2e-3 * Math.max(...states.flat().map(Math.abs)));
  const [weights] = await answer("/embed_sparse", { inputs: "a b" }); // by the model that makes sparse vectors
  const named = await open.splade("a b", { pooling: "model" });
  const ids = Object.keys(named).map((token) => open.splade.tokenizer.convert_tokens_to_ids(token));
  assert.deepEqual(
    weights.map(({ index }) => index),
    ids.toSorted((a, b) => a - b),
  );
  assert.ok(
    weights.length &&
      weights.every(
        ({ value, index }) => Math.abs(value - named[open.splade.tokenizer.convert_ids_to_tokens(index)]) < 1e-5,
      ),
  );
  const late = createHandler({ colbert: open.colbert });
  rows(
    (await answer("/embed_all", { inputs: "a b" }, late))[0],
    (await open.colbert("a b", { pooling: "model" })).tolist()[0],
  );
  await refused(424, /"Backend"/, "/embed", { inputs: "a" }, {}, late);
  await refused(424, /"Backend"/, "/embed_sparse", { inputs: "a" }, {}, createHandler({ minilm: open.embed }));
});

test("text-embeddings-inference: labels, ranking, tokens", async () => {
  const one = await answer("/predict", { inputs: "A lovely day." });
  const expected = await open.sentiment("A lovely day.", { top_k: null });
  near(
    one.map(({ score }) => score),
    expected.map(({ score }) => score),
  );
  const raw = await answer("/predict", { inputs: [["A lovely day."], ["Bad."]], raw_scores: true });
  const logits = await open.sentiment(["A lovely day.", "Bad."], { top_k: null, function_to_apply: "none" });
  for (const [n, labels] of raw.entries())
    near(
      labels.map(({ score }) => score),
      logits[n].map(({ score }) => score),
      1e-4,
    );
  const nli = createHandler({ nli: open.pairs });
  const pair = await answer("/predict", { inputs: ["a", "b"] }, nli);
  const alone = await open.pairs({ text: "a", text_pair: "b" }, { top_k: null });
  near(
    pair.map(({ score }) => score),
    alone.map(({ score }) => score),
  );
  const documents = ["a b c", "b", "the a"];
  const ranked = await answer("/rerank", { query: "a", texts: documents, return_text: true });
  const ranks = await open.rank("a", documents);
  assert.deepEqual(
    ranked.map(({ index, text }) => [index, text]),
    ranks.map(({ corpus_id }) => [corpus_id, documents[corpus_id]]),
  );
  near(
    ranked.map(({ score }) => score),
    ranks.map(({ score }) => score),
  );
  const logit = await answer("/rerank", { query: "a", texts: documents, raw_scores: true });
  near(
    logit.map(({ score }) => score),
    (await open.rank("a", documents, { function_to_apply: "none" })).map(({ score }) => score),
    1e-4,
  );
  const [tokens] = await answer("/tokenize", { inputs: "a 😀 piano" });
  const points = Array.from("a 😀 piano");
  assert.deepEqual(
    tokens.map(({ special }) => special),
    [true, false, false, false, true],
  );
  for (const { special, text, start, stop } of tokens)
    if (!special) assert.equal(points.slice(start, stop).join(""), text);
  const ids = tokens.map(({ id }) => id);
  assert.deepEqual(ids, open.embed.tokenizer.encode("a 😀 piano"));
  assert.deepEqual(await answer("/decode", { ids: [ids.slice(1, 2), ids] }), [
    "a",
    open.embed.tokenizer.decode(ids, { skip_special_tokens: true }),
  ]);
  assert.equal((await answer("/tokenize", { inputs: "a", add_special_tokens: false }))[0].length, 1);
  const info = await answer("/info");
  assert.equal(info.model_id, "minilm");
  assert.equal(info.max_input_length, 256);
  assert.equal((await send("/health")).status, 200);
});

/**
 * Throws if a value has not a form: a name of a type ("integer", "string or null"), [form of the items], or an object of the
 * forms of its fields, of which those with "?" may be absent.
 */
function conforms(value, form, where = "answer") {
  if (typeof form === "string") {
    const type = value === null ? "null" : Number.isInteger(value) ? "integer" : typeof value;
    const types = form.replace("number", "number or integer").split(" or ");
    return assert.ok(types.includes(type), `${where}: expected ${form}, got ${type}`);
  }
  if (Array.isArray(form)) {
    assert.ok(Array.isArray(value), `${where}: expected an array`);
    return value.forEach((item, n) => conforms(item, form[0], `${where}[${n}]`));
  }
  for (const [field, inner] of Object.entries(form)) {
    const name = field.replace("?", "");
    if (name === field || Object.hasOwn(value, name)) conforms(value[name], inner, `${where}.${name}`);
  }
}

test("text-embeddings-inference: requests and answers have the forms of its description", async () => {
  const nli = createHandler({ nli: open.pairs });
  const ranking = createHandler({ ranker: open.rank });
  const classifying = createHandler({ sentiment: open.sentiment });
  const defaults = { truncate: null, truncation_direction: "Right", prompt_name: null };
  const parameters = { truncation_direction: "Right" };
  const calls = [
    ["/embed", { inputs: TEXTS, normalize: true, ...defaults }, [["number"]]],
    ["/embed_all", { inputs: TEXTS[0], ...defaults }, [[["number"]]]],
    ["/embed_sparse", { inputs: TEXTS, ...defaults }, [[{ index: "integer", value: "number" }]]],
    ["/similarity", { inputs: { source_sentence: "a", sentences: ["b", "c"] }, parameters }, ["number"]],
    ["/similarity", { inputs: { source_sentence: "a", sentences: ["b"] }, parameters: null }, ["number"]],
    ["/predict", { inputs: "a", raw_scores: false, truncate: null, truncation_direction: "Right" }, LABELS],
    ["/predict", { inputs: [["a"], ["b", "c"]] }, [LABELS], nli],
    ["/predict", { inputs: ["a", "b"] }, LABELS, nli],
    ["/rerank", { query: "a", texts: ["b", "c"], raw_scores: false, return_text: true, truncate: null }, [RANK]],
    ["/tokenize", { inputs: TEXTS, add_special_tokens: true, prompt_name: null }, [[TOKEN]]],
    ["/decode", { ids: [5, 6], skip_special_tokens: true }, ["string"]],
    ["/info", undefined, { ...INFO, model_type: { embedding: { pooling: "string" } } }],
    ["/info", undefined, { ...INFO, model_type: { classifier: HEAD } }, classifying],
    ["/info", undefined, { ...INFO, model_type: { reranker: HEAD } }, ranking],
    ["/v1/embeddings", { input: TEXTS, model: null, user: null, encoding_format: "base64" }, OPENAI],
  ];
  for (const [path, body, form, by] of calls) {
    conforms(await answer(path, body, by), form, path);
  }
  const full = createHandler({ minilm: open.embed }, { max_queue: 1, batch_size: 1 });
  const all = await Promise.all(["a", "b", "c"].map((inputs) => send("/embed", { inputs }, {}, full)));
  const failures = [
    ...all.filter(({ status }) => status === 429),
    await send("/embed", { inputs: 1 }),
    await send("/embed", { inputs: "word ".repeat(300) }),
    await send("/embed_sparse", { inputs: "a" }, {}, createHandler({ minilm: open.embed })),
  ];
  assert.deepEqual(
    failures.map(({ status }) => status),
    [429, 429, 422, 413, 424],
  );
  for (const failure of failures) {
    const body = await failure.json();
    conforms(body, { error: "string", error_type: "string" }, String(failure.status));
    assert.match(body.error_type, /^(Unhealthy|Backend|Overloaded|Validation|Tokenizer)$/);
  }
  // Every line of the metrics is a comment or a sample of Prometheus' text format.
  const metrics = await (await send("/metrics")).text();
  for (const line of metrics.trimEnd().split("\n"))
    assert.match(line, /^(# (TYPE|HELP) \w+ .+|\w+(\{\w+="[^"\\\n]*"(,\w+="[^"\\\n]*")*\})? -?[\d.e+-]+)$/, line);
});

test("text-embeddings-inference: errors by status and error_type", async () => {
  const type = async (status, error_type, path, body, by) =>
    assert.equal((await refused(status, /"error"/, path, body, {}, by)).error_type, error_type);
  await type(413, "Validation", "/embed", { inputs: "word ".repeat(300) });
  assert.equal((await answer("/embed", { inputs: "word ".repeat(300), truncate: true })).length, 1);
  await type(400, "Empty", "/embed", { inputs: "" });
  await type(422, "Validation", "/embed", { inputs: 1 });
  await type(422, "Validation", "/embed", { inputs: "a", pooling: "mean" });
  await type(424, "Backend", "/embed", { inputs: "a", truncation_direction: "Left" });
  await type(424, "Backend", "/rerank", { query: "a", texts: ["b"] }, createHandler({ minilm: open.embed }));
  await type(
    413,
    "Validation",
    "/embed",
    { inputs: ["a", "b", "c"] },
    createHandler({ minilm: open.embed }, { max_inputs: 2 }),
  );
  await type(400, "Validation", "/embed", "{");
  await type(413, "Validation", "/embed", { inputs: "a".repeat(2_000_001) });
});

test("batches texts of concurrent requests, and each gets its own answer", async () => {
  const sizes = [];
  const counting = new Proxy(open.embed, {
    get: (pipe, name) =>
      name === "stream" ? (texts, options) => (sizes.push(texts.length), pipe.stream(texts, options)) : pipe[name],
  });
  const batching = createHandler({ minilm: counting }, { batch_size: 8 });
  const texts = Array.from({ length: 20 }, (_, n) => `number ${n}`);
  const expected = await own(texts);
  const found = await Promise.all(texts.map((text) => answer("/embed", { inputs: text }, batching)));
  rows(found.flat(), expected, 5e-3);
  assert.deepEqual(sizes.slice(1), [8, 8, 4]); // the first call finds out what the model makes
  // A long request and a short one take turns.
  sizes.length = 0;
  const order = [];
  await Promise.all([
    answer("/embed", { inputs: Array(40).fill("long") }, batching).then(() => order.push("long")),
    answer("/embed", { inputs: ["short"] }, batching).then(() => order.push("short")),
  ]);
  assert.deepEqual(order, ["short", "long"]);
});

test("a failing request does not fail others of its batch", async () => {
  const picky = new Proxy(open.embed, {
    get: (pipe, name) =>
      name !== "stream"
        ? pipe[name]
        : async function* (texts, options) {
            if (texts.includes("bad")) throw Object.assign(new Error("text is bad"), { code: "bad_input" });
            yield* pipe.stream(texts, options);
          },
  });
  const by = createHandler({ minilm: picky });
  const [bad, ...good] = await Promise.all(["bad", "a", "b"].map((inputs) => send("/embed", { inputs }, {}, by)));
  assert.equal(bad.status, 422);
  assert.deepEqual(
    good.map(({ status }) => status),
    [200, 200],
  );
});

test("a full queue answers 429, and a request that hangs up leaves it", async () => {
  const by = createHandler({ minilm: open.embed }, { max_queue: 4, batch_size: 1 });
  await answer("/embed", { inputs: "a" }, by);
  const hangUp = new AbortController();
  const first = send("/embed", { inputs: Array(4).fill("word ".repeat(200)) }, { signal: hangUp.signal }, by);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const { error_type } = await refused(429, /4 of at most 4/, "/embed", { inputs: "a" }, {}, by);
  assert.equal(error_type, "Overloaded");
  hangUp.abort();
  assert.equal((await first).status, 499);
  assert.equal((await answer("/embed", { inputs: ["a", "b", "c", "d"] }, by)).length, 4);
  assert.match(await (await send("/metrics", undefined, {}, by)).text(), /te_queue_size 0/);
});

test("keys, origins, methods, types and paths", async () => {
  const by = createHandler({ minilm: open.embed }, { api_key: KEY, cors: ["https://a.example"], base_path: "/api/" });
  await refused(401, /invalid_api_key/, "/api/v1/models", undefined, {}, by);
  for (const wrong of ["", "k3", "k3y ", "K3Y"])
    await refused(
      401,
      /invalid_api_key/,
      "/api/v1/models",
      undefined,
      { headers: { authorization: `Bearer ${wrong}x` } },
      by,
    );
  const authorization = `Bearer ${KEY}`;
  const allowed = await send(
    "/api/v1/models",
    undefined,
    { headers: { authorization, origin: "https://a.example" } },
    by,
  );
  assert.equal(allowed.status, 200);
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://a.example");
  const other = await send(
    "/api/v1/models",
    undefined,
    { headers: { authorization, origin: "https://b.example" } },
    by,
  );
  assert.equal(other.headers.get("access-control-allow-origin"), null);
  assert.equal((await send("/api/health", undefined, {}, by)).status, 200);
  const asks = new Request(`${LOCAL}/api/v1/embeddings`, {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-headers": "authorization, content-type" },
  });
  const preflight = await by(asks);
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-headers"), "authorization, content-type");
  const plain = await send("/v1/models", undefined, { headers: { origin: "https://a.example" } });
  assert.equal(plain.headers.get("access-control-allow-origin"), null);
  await refused(404, /unknown path/, "/v1/models", undefined, { headers: { authorization } }, by);
  await refused(405, /expected POST/, "/v1/embeddings");
  await refused(415, /application\/json/, "/embed", "{}", { headers: { "content-type": "text/plain" } });
  await refused(404, /unknown path/, "/v1/chat/completions", {});
  await refused(404, /unknown path/, "/%zz", {});
  // Servers pass values of their own beside the request.
  assert.equal((await handler(new Request(`${LOCAL}/health`), { env: 1 })).status, 200);
});

test("rejects wrong models and options", () => {
  const wrong = (pattern, ...args) => assert.throws(() => createHandler(...args), pattern);
  wrong(/at least one pipeline/, {});
  wrong(/"a": expected a pipeline/, { a: "text" });
  wrong(/"a": expected a pipeline/, { a: [] });
  wrong(/unknown option `port`/, { a: open.embed }, { port: 1 });
  wrong(/max_body: expected a whole number/, { a: open.embed }, { max_body: -1 });
});
