// PEFT adapters through the public API over the built package: outputs equal to peft's, and the errors for adapters that are not supported.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { AutoModel, AutoModelForMaskedLM, ModelRegistry, pipeline } from "../dist/node.js";
import { alike } from "./alike.mjs";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens");
const peft = join(goldens, "peft");
const base = join(goldens, "models/bert-seqcls-3");
const ADAPTERS = ["biases", "dora", "five-labels", "lora", "lora-bin", "patterns", "states", "table"];
const CONFIG = "adapter_config.json";
const fp32 = { dtype: "fp32", device: "wasm" };
const golden = async (name) => JSON.parse(await readFile(join(peft, name, "cases.json"), "utf8"));

const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function filesOf(folder) {
  const names = await readdir(folder);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))])));
}
/** The adapter `lora` with fields of adapter_config.json replaced, as files. */
async function changed(fields, name = "lora") {
  const files = await filesOf(join(peft, name));
  const config = { ...JSON.parse(files[CONFIG]), ...fields };
  return { files: { ...files, [CONFIG]: Buffer.from(JSON.stringify(config)) } };
}

async function outputs(source, options, name) {
  const { inputs, outputs } = await golden(name);
  const model = await AutoModel.from_pretrained(source, { ...fp32, ...options });
  const got = await model(inputs);
  const config = model.config;
  await model.dispose();
  for (const [field, wanted] of Object.entries(outputs)) {
    const rows = got[field].tolist();
    // Masked positions are zeros here.
    const seen = (rows, masked) => rows.filter((_, at) => masked[at]);
    const perToken = Array.isArray(wanted[0][0]);
    const of = (all) => (perToken ? all.map((row, n) => seen(row, inputs.attention_mask[n])) : all).flat(3);
    alike(of(rows), of(wanted), `${name}.${field}`);
  }
  return config;
}

test("the goldens are the adapters that are tested", async () => {
  assert.deepEqual((await readdir(peft)).sort(), ADAPTERS);
});

for (const name of ADAPTERS) {
  test(`adapter ${name} gives what peft gives, with its base and by itself`, async () => {
    const folder = join(peft, name);
    await outputs(base, { adapter: folder }, name);
    await outputs(folder, { base }, name);
    await outputs(folder, {}, name); // adapter_config.json names the base
  });
}

test("a folder with weights and an adapter loads with the adapter", async () => {
  const both = { ...(await filesOf(base)), ...(await filesOf(join(peft, "lora"))) };
  delete both["cases.json"];
  const folder = await mkdtemp(join(tmpdir(), "webert-both-"));
  folders.push(folder);
  for (const [name, bytes] of Object.entries(both)) await writeFile(join(folder, name), bytes);
  await outputs(folder, {}, "lora");
  await outputs({ files: both }, {}, "lora");
  await rm(join(folder, "adapter_model.safetensors"));
  await fails(AutoModel.from_pretrained(folder, fp32), "not_found", /adapter_model\.safetensors/);
});

test("ModelRegistry looks for the files of an adapter and of its base", async () => {
  const lora = join(peft, "lora");
  assert.equal(await ModelRegistry.is_cached(base, { adapter: lora }), true);
  assert.equal(await ModelRegistry.is_cached(lora, { base }), true);
  assert.equal(await ModelRegistry.is_cached(base, { adapter: "nobody/no-adapter" }), false);
  assert.equal(await ModelRegistry.is_cached(lora, { base: "nobody/no-base" }), false);
  await fails(ModelRegistry.is_cached(lora, { base, adapter: lora }), "bad_input", /adapter, base/);
});

test("a pipeline takes an adapter, and the tokenizer of its base", async () => {
  const classify = await pipeline("text-classification", base, { ...fp32, adapter: join(peft, "lora") });
  const text = classify.tokenizer.decode([30, 41, 52]);
  const { logits } = await classify.model(classify.tokenizer(text));
  const plain = await AutoModel.from_pretrained(base, fp32);
  const before = (await plain(classify.tokenizer(text))).logits.tolist()[0];
  const answer = await classify(text, { top_k: null, function_to_apply: "none" });
  const scores = answer.map(({ score }) => score);
  const sorted = logits.tolist()[0].sort((a, b) => b - a);
  alike(scores, sorted, "scores");
  assert.ok(sorted.some((score, n) => Math.abs(score - before.sort((a, b) => b - a)[n]) > 1e-2));
  await Promise.all([plain, classify].map((model) => model.dispose()));
});

test("labels come from the base, from the adapter's own config.json, or are numbered", async () => {
  const labels = async (source, options) => (await outputs(source, options, "five-labels")).id2label;
  const folder = join(peft, "five-labels");
  assert.deepEqual(
    Object.values(await labels(base, { adapter: folder })),
    [0, 1, 2, 3, 4].map((n) => `LABEL_${n}`),
  );
  const id2label = { 0: "A", 1: "B", 2: "C", 3: "D", 4: "E" };
  assert.deepEqual(await labels(base, { adapter: folder, config: { id2label } }), id2label);
  const own = await changed({}, "five-labels");
  own.files["config.json"] = Buffer.from(JSON.stringify({ id2label }));
  assert.deepEqual(await labels(base, { adapter: own }), id2label);
});

test("models of one base with different adapters have their own answers", async () => {
  const { inputs, outputs } = await golden("lora");
  const plain = await AutoModel.from_pretrained(base, fp32);
  const adapted = await AutoModel.from_pretrained(base, { ...fp32, adapter: join(peft, "lora") });
  const embed = await pipeline("feature-extraction", base, { ...fp32, adapter: join(peft, "lora") });
  const plainLogits = (await plain(inputs)).logits.tolist();
  alike((await adapted(inputs)).logits.tolist(), outputs.logits, "adapted");
  assert.ok(Math.abs(plainLogits[0][0] - outputs.logits[0][0]) > 1e-2);
  // The second model of the adapter shares the first one's encoder.
  const text = embed.tokenizer.decode(inputs.input_ids[0], { skip_special_tokens: true });
  const alone = await AutoModel.from_pretrained(join(peft, "lora"), fp32);
  assert.deepEqual((await alone(inputs)).logits.tolist(), (await adapted(inputs)).logits.tolist());
  assert.equal((await embed(text)).dims[2], 64);
  await Promise.all([plain, adapted, embed, alone].map((model) => model.dispose()));
});

test("an answer is explained with the adapter's weights", async () => {
  const classify = await pipeline("text-classification", join(peft, "lora"), fp32);
  const text = classify.tokenizer.decode([30, 41, 52]);
  const [best] = await classify(text, { top_k: 1, function_to_apply: "none" });
  const { score } = await classify.explain(text, { method: "gradient_x_input" });
  alike(score, best.score, "the explained score");
  await classify.dispose();
});

test("a folder behind a URL finds its base relative to itself", async () => {
  const server = createServer(async (request, response) => {
    const bytes = await readFile(join(goldens, new URL(request.url, "http://x").pathname)).catch(() => undefined);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, resolve));
  const at = `http://localhost:${server.address().port}`;
  try {
    await outputs(`${at}/peft/lora`, {}, "lora");
  } finally {
    server.close();
  }
});

test("an adapter whose base is not found names the option", async () => {
  const nowhere = await changed({ base_model_name_or_path: "../nowhere" });
  await fails(AutoModel.from_pretrained(nowhere, fp32), "unsupported", /base_model_name_or_path.*option `base`/);
  const folder = await mkdtemp(join(tmpdir(), "webert-adapter-"));
  folders.push(folder);
  for (const [name, bytes] of Object.entries(nowhere.files)) await writeFile(join(folder, name), bytes);
  await fails(AutoModel.from_pretrained(folder, fp32), "not_found", /nowhere.*option `base`/);
});

test("adapters that are not supported are refused by name", async () => {
  const refused = async (fields, pattern) =>
    fails(AutoModel.from_pretrained(base, { ...fp32, adapter: await changed(fields) }), "unsupported", pattern);
  for (const kind of ["LOHA", "IA3", "PROMPT_TUNING"])
    await refused({ peft_type: kind }, new RegExp(`adapter_config\\.json: peft_type: expected "LORA", got "${kind}"`));
  await refused({ init_lora_weights: "pissa" }, /init_lora_weights "pissa" changes the base's weights/);
  await refused({ lora_bias: true }, /lora_bias: true is not supported.*merge_and_unload/);
  await refused({ layer_replication: [[0, 2]] }, /layer_replication/);
  await refused({ task_type: "CAUSAL_LM" }, /task_type: expected one of SEQ_CLS.*got "CAUSAL_LM"/);
});

test("an adapter that does not fit its base or its config is refused", async () => {
  const load = async (adapter, of = base) => AutoModel.from_pretrained(of, { ...fp32, adapter });
  await fails(load(await changed({ r: 8 })), "bad_weights", /adapter_config\.json makes its rank 8, the tensors 4/);
  await fails(load(await changed({ lora_alpha: "many" })), "bad_config", /lora_alpha: expected a number/);
  const other = join(goldens, "models/distilbert-seqcls");
  await fails(
    load(join(peft, "lora"), other),
    "bad_input",
    /tensor "bert\.encoder.*has no parameter in the base model/,
  );
  await fails(load(base), "not_found", /adapter_config\.json/);
  await fails(
    AutoModel.from_pretrained(base, { ...fp32, base, adapter: base }),
    "bad_input",
    /adapter, base: expected one of the two/,
  );
  await fails(
    load(join(peft, "lora"), join(peft, "states")),
    "unsupported",
    /expected a base model, got another adapter/,
  );
});

test("an adapter of the word table is refused where the decoder shares it", async () => {
  const files = await changed({ task_type: null }, "table");
  const mlm = join(goldens, "models/bert-mlm");
  await fails(
    AutoModelForMaskedLM.from_pretrained(mlm, { ...fp32, adapter: files }),
    "unsupported",
    /word_embeddings.*the decoder of the masked LM shares/,
  );
});
