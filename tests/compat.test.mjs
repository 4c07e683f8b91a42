// Programs written for transformers.js: its classes, the members of a pipeline, and its types.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as webert from "../dist/node.js";
import { checkTypes } from "./type-check.mjs";

const root = join(import.meta.dirname, "..");
const golden = (name) => join(root, "tests/goldens/models", name);
const open = [];
const opened = async (loading) => {
  const loaded = await loading;
  open.push(loaded);
  return loaded;
};
let unmask;

before(async () => {
  unmask = await opened(webert.pipeline("fill-mask", golden("bert-mlm"), { dtype: "fp32" }));
});
after(() => Promise.all(open.map((model) => model.dispose())));

test("pipelines are instances of their classes, and can be called by _call", async () => {
  assert.ok(
    unmask instanceof webert.FillMaskPipeline && unmask instanceof webert.Pipeline && unmask instanceof Function,
  );
  assert.ok(!(unmask instanceof webert.TextClassificationPipeline) && !(unmask instanceof webert.PreTrainedModel));
  assert.equal(webert.FillMaskPipeline.name, "FillMaskPipeline");
  assert.deepEqual([unmask.task, unmask.processor], ["fill-mask", null]);
  assert.deepEqual(await unmask._call("a [MASK]", { top_k: 1 }), await unmask("a [MASK]", { top_k: 1 }));
  for (const name of ["FillMaskPipeline", "BertModel", "BertTokenizer", "Pipeline"]) {
    assert.throws(() => new webert[name](), { code: "unsupported", message: new RegExp(`new ${name}`) });
  }
});

test("a pipeline's model and tokenizer return its answer", async () => {
  const { model, tokenizer } = unmask;
  assert.ok(
    model instanceof webert.BertForMaskedLM &&
      model instanceof webert.BertPreTrainedModel &&
      model instanceof webert.PreTrainedModel,
  );
  assert.ok(tokenizer instanceof webert.PreTrainedTokenizer);
  const config = JSON.parse(readFileSync(join(golden("bert-mlm"), "config.json"), "utf8"));
  assert.ok(model.config instanceof webert.PretrainedConfig);
  assert.deepEqual({ ...model.config }, config);
  const [{ token, score }] = await unmask("the [MASK] is old", { top_k: 1 });
  const inputs = tokenizer("the [MASK] is old");
  const at = inputs.input_ids.tolist()[0].indexOf(BigInt(tokenizer.mask_token_id));
  for (const run of [model, model.forward.bind(model), model._call.bind(model)]) {
    const { logits } = await run(inputs);
    assert.equal(logits[0][at].argmax().item(), BigInt(token));
    assert.ok(Math.abs(webert.softmax(logits[0][at].data)[token] - score) < 1e-4);
  }
});

test("from_pretrained of each class loads its head and returns an instance", async () => {
  const cases = [
    ["BertModel", "bert-base-gelu", "last_hidden_state"],
    ["BertModel", "bert-mlm", "last_hidden_state"],
    ["BertForMaskedLM", "bert-mlm", "logits"],
    ["BertForSequenceClassification", "bert-seqcls-3", "logits"],
    ["BertForTokenClassification", "bert-tokencls-bio", "logits"],
    ["BertForQuestionAnswering", "bert-qa", "start_logits"],
    ["BertForNextSentencePrediction", "bert-nsp", "logits"],
    ["BertForPreTraining", "bert-pretraining", "prediction_logits"],
    ["DistilBertForMaskedLM", "distilbert-mlm", "logits"],
    ["DistilBertForSequenceClassification", "distilbert-seqcls", "logits"],
    ["ElectraForPreTraining", "electra-discriminator", "logits"],
    ["RobertaForMaskedLM", "roberta-mlm", "logits"],
    ["AlbertForMaskedLM", "albert-mlm", "logits"],
  ];
  for (const [name, folder, output] of cases) {
    const model = await opened(webert[name].from_pretrained(golden(folder), { dtype: "fp32" }));
    assert.ok(model instanceof webert[name] && model instanceof webert.PreTrainedModel, name);
    assert.ok(output in (await model({ input_ids: [[1, 2, 3]] })), `${name}: ${output}`);
    const auto = await opened(webert.AutoModel.from_pretrained(golden(folder)));
    if (name !== "BertModel" || folder === "bert-base-gelu")
      assert.ok(auto instanceof webert[name], `AutoModel for ${name}`);
  }
  await assert.rejects(webert.BertForQuestionAnswering.from_pretrained(golden("bert-mlm")), { code: "unsupported" });
  const tokenizer = await webert.BertTokenizer.from_pretrained(golden("bert-mlm"));
  assert.ok(tokenizer instanceof webert.BertTokenizer);
  assert.deepEqual(tokenizer._call("the piano").input_ids.tolist(), tokenizer("the piano").input_ids.tolist());
});

test("the model's config decides how labels are scored, also after a program changed it", async () => {
  const label = await opened(webert.pipeline("text-classification", golden("bert-seqcls-3"), { dtype: "fp32" }));
  const sum = async () => (await label("the piano", { top_k: null })).reduce((all, { score }) => all + score, 0);
  assert.ok(Math.abs((await sum()) - 1) < 1e-6);
  const sigmoid = await label("the piano", { top_k: null, function_to_apply: "sigmoid" });
  const { problem_type } = label.model.config;
  label.model.config.problem_type = "multi_label_classification";
  assert.deepEqual(await label("the piano", { top_k: null }), sigmoid);
  label.model.config.problem_type = problem_type;
  assert.ok(Math.abs((await sum()) - 1) < 1e-6);
  const named = await opened(
    webert.pipeline("text-classification", golden("bert-seqcls-3"), {
      config: { id2label: { 0: "no", 1: "maybe", 2: "yes" }, label2id: { no: 0, maybe: 1, yes: 2 } },
    }),
  );
  assert.deepEqual((await named("the piano", { top_k: null })).map((answer) => answer.label).sort(), [
    "maybe",
    "no",
    "yes",
  ]);
});

test("accepts option names of version 2", async () => {
  const label = await opened(webert.pipeline("text-classification", golden("bert-seqcls-3"), { quantized: false }));
  assert.deepEqual(await label("the piano", { topk: 2 }), await label("the piano", { top_k: 2 }));
  assert.equal((await label("the piano", { topk: null })).length, 3);
  assert.equal((await label("the piano", { topk: 2, top_k: 1 })).length, 1);
  assert.equal((await unmask("a [MASK]", { topk: 2 })).length, 2);
});

test("rejects a batch of unequal lengths as a Tensor", () => {
  const { tokenizer } = unmask;
  assert.throws(() => tokenizer(["the piano", "the"]), {
    code: "bad_input",
    message: /^Unable to create tensor.*padding/,
  });
});

test("feature-extraction returns states unless pooling is set, one Tensor per batch, fewer bits on request", async () => {
  const extract = await opened(webert.pipeline("feature-extraction", golden("bert-base-gelu"), { dtype: "fp32" }));
  const texts = ["the piano is near the window", "the piano"];
  const states = await extract(texts);
  const { attention_mask } = extract.tokenizer(texts, { padding: true });
  assert.deepEqual(states.dims.slice(0, 2), attention_mask.dims);
  assert.ok(
    states[1][-1].data.every((x) => x === 0),
    "padding is zeros",
  );
  const alone = await extract(texts[1]);
  assert.deepEqual(states[1].slice([0, alone.dims[1]]).tolist(), alone[0].tolist());
  const near = (a, b) =>
    a.data.forEach((x, i) => assert.ok(Math.abs(x - b.data[i]) < 1e-5, `${i}: ${x}, not ${b.data[i]}`));
  near(await extract(texts, { pooling: "mean" }), webert.mean_pooling(states, attention_mask));
  near(
    await extract(texts, { pooling: "mean", normalize: true }),
    webert.mean_pooling(states, attention_mask).normalize(),
  );
  near(await extract(texts, { pooling: "cls" }), states.slice(null, 0));
  near(await extract(texts, { pooling: "first_token" }), states.slice(null, 0));
  const last = webert.stack([states[0][-1], alone[0][-1]]);
  for (const pooling of ["last_token", "eos"]) near(await extract(texts, { pooling }), last); // of the text, not of the padding
  const pooled = await extract(texts, { pooling: "mean" });
  for (const precision of ["binary", "ubinary", "int8", "uint8"]) {
    const bits = await extract(texts, { pooling: "mean", quantize: true, precision });
    assert.deepEqual(bits, webert.quantize_embeddings(pooled, precision));
  }
});

test("env has the fields that programs read and set", () => {
  const { env } = webert;
  assert.equal(env.version, JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  assert.ok(env.useFS && env.allowLocalModels && env.allowRemoteModels);
  assert.equal(typeof env.localModelPath, "string");
  assert.equal(typeof env.backends.onnx.versions.common, "string");
  env.backends.onnx.wasm.numThreads = 1;
  env.backends.onnx.wasm.wasmPaths = "/there/";
  env.logLevel = webert.LogLevel.ERROR;
  assert.equal(env.logLevel, 40);
});

test("both entries export the same names", () => {
  const names = (file) =>
    Object.keys(
      JSON.parse(
        execFileSync(
          process.execPath,
          [
            "--input-type=module",
            "-e",
            `import * as all from ${JSON.stringify(join(root, "dist", file))}; console.log(JSON.stringify(Object.fromEntries(Object.keys(all).map((name) => [name, 1]))))`,
          ],
          { encoding: "utf8" },
        ),
      ),
    );
  assert.deepEqual(names("node.js"), names("index.js"));
});

test("a TypeScript program with the types of transformers.js compiles", () => {
  const folder = join(root, "target/compat-consumer");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "program.ts"),
    `
import { AutoConfig, AutoTokenizer, BertModel, cat, cos_sim, env, FeatureExtractionPipeline, FillMaskPipeline, mean_pooling, ModelRegistry, pipeline, Pipeline, PreTrainedModel,
  PreTrainedTokenizer, Tensor, TextClassificationPipeline } from "webert";
import { FFT, interpolate, random } from "webert/compat";
import type { FillMaskOutput, FillMaskSingle, PipelineType, ProgressCallback, ProgressInfo, QuestionAnsweringOutput, TextClassificationOutput, TokenClassificationOutput,
  ZeroShotClassificationOutput, DataType, PretrainedModelOptions } from "webert";
type Equal<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false;
const sure = <T extends true>(): T | void => {};
class Singleton {
  static task: PipelineType = "text-classification";
  static instance: Promise<TextClassificationPipeline> | null = null;
  static getInstance(progress_callback?: ProgressCallback) {
    return (this.instance ??= pipeline("text-classification", "owner/name", { progress_callback, dtype: "q4", device: "gpu", quantized: true }));
  }
}
const onProgress = (info: ProgressInfo) => { if (info.status === "progress_total") console.log(info.files); };
export async function program(): Promise<void> {
  env.allowLocalModels = false;
  env.backends.onnx.wasm.numThreads = 1;
  const options: PretrainedModelOptions = { dtype: { model: "q8" }, config: { id2label: { 0: "a" } } };
  const labels: TextClassificationOutput = await (await Singleton.getInstance(onProgress))("a");
  const unmask: FillMaskPipeline = await pipeline("fill-mask", "owner/name", options);
  sure<Equal<typeof unmask, FillMaskPipeline>>();
  const answers = await unmask("a [MASK]");
  sure<Equal<typeof answers, FillMaskOutput>>();
  const run = (any: Pipeline) => any("a", { pooling: "mean" });
  const anything = [await run(unmask), await run(await pipeline("feature-extraction", "owner/name"))][0];
  env.fetch = async (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init);
  if (await ModelRegistry.is_pipeline_cached("ner", "owner/name", { dtype: "q8" })) console.log(anything.dims);
  random.seed(1);
  const resized: Tensor<"float32"> = interpolate(new Tensor("float32", [1, 2], [1, 2]), [1, new FFT(2).size]);
  const best: FillMaskSingle = answers[0]!;
  const extract: FeatureExtractionPipeline = await pipeline("feature-extraction", "owner/name");
  const output: Tensor = await extract(["a", "b"], { pooling: "mean", normalize: true, quantize: false, precision: "binary" });
  const rows: number[][] = output.tolist();
  const similarity: number = cos_sim(rows[0]!, rows[1]!);
  const values = Array.from(output.data as Float32Array);
  const tokenizer: PreTrainedTokenizer = await AutoTokenizer.from_pretrained("owner/name");
  const inputs = tokenizer("a");
  const model: PreTrainedModel = await BertModel.from_pretrained("owner/name");
  const { last_hidden_state } = await model(inputs);
  const pooled = mean_pooling(last_hidden_state!, inputs.attention_mask);
  const count: bigint = new Tensor("int64", [1n], [1]).item();
  const type: DataType = cat([pooled, pooled])[0]!.type;
  const label: string | undefined = (await AutoConfig.from_pretrained("owner/name")).id2label?.[0];
  const qa: QuestionAnsweringOutput = await (await pipeline("question-answering"))("a", "b");
  const ner: TokenClassificationOutput = await (await pipeline("ner"))("a");
  const zero: ZeroShotClassificationOutput = await (await pipeline("zero-shot-classification"))("a", ["b"]);
  console.log(labels, best, similarity, values, count, type, label, qa, ner, zero, unmask instanceof Pipeline, unmask.model.config.model_type, unmask.tokenizer.mask_token);
}
`,
  );
  checkTypes(folder, ["es2022,esnext.disposable,dom"], "--noUncheckedIndexedAccess");
});
