// Folders in the layouts of all sentence-transformers releases, through the public API over the built package. Vectors must equal the
// results of its `encode`; errors for folders without a model must name their contents.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { AutoModel, pipeline } from "../dist/node.js";
import { fails } from "./fails.mjs";

const golden = join(import.meta.dirname, "goldens", "folders.json");
const { texts, encoder, cases } = JSON.parse(await readFile(golden, "utf8"));

/** The bytes of a file: decoded from `base64`, or the object as JSON. */
const bytesOf = (content) =>
  typeof content === "string"
    ? Buffer.from(content)
    : content?.base64 !== undefined
      ? Buffer.from(content.base64, "base64")
      : Buffer.from(JSON.stringify(content));

/** Files that replace the encoder's; fields of its two configs are merged. */
function over(files) {
  const merged = { ...encoder };
  for (const [name, content] of Object.entries(files))
    merged[name] = ["config.json", "tokenizer_config.json"].includes(name) ? { ...encoder[name], ...content } : content;
  return merged;
}

function contents({ files, below, static: isStatic }) {
  if (isStatic) return files;
  if (!below) return over(files);
  const laid = Object.entries(encoder).map(([name, content]) => [`${below}/${name}`, content]);
  return { ...Object.fromEntries(laid), ...files };
}

const source = (files) => ({
  files: Object.fromEntries(Object.entries(files).map(([name, content]) => [name, bytesOf(content)])),
});
const load = (files, task = "feature-extraction") => pipeline(task, source(files), { dtype: "fp32" });

const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** A folder on disk of these files. */
async function onDisk(files) {
  const folder = await mkdtemp(join(tmpdir(), "webert-folders-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytesOf(content));
  }
  return folder;
}

async function equals(embed, { name, calls }) {
  for (const { options, embeddings } of calls) {
    const got = (await embed(texts, { pooling: "model", ...options })).tolist();
    for (const [n, vector] of embeddings.entries()) {
      assert.equal(got[n].length, vector.length);
      const far = Math.max(...vector.map((x, i) => Math.abs(x - got[n][i])));
      const tolerance = name === "static-f16" ? 3e-3 : 1e-4; // PyTorch averages half floats in half precision
      assert.ok(
        far <= tolerance * Math.max(1, ...vector.map(Math.abs)),
        `${JSON.stringify(options)} "${texts[n]}": ${far}`,
      );
    }
  }
}

for (const one of cases)
  test(`folder ${one.name}: vectors equal sentence-transformers'`, async () => {
    const embed = await load(contents(one));
    await equals(embed, one);
    await embed.dispose();
  });

const named = (name) => contents(cases.find((one) => one.name === name));

test("a folder on disk loads like the same files, with the encoder in it or below it", async () => {
  for (const name of ["two-dense", "zero-transformer", "other-paths", "older-config-name", "static-below"]) {
    const one = cases.find((other) => other.name === name);
    const embed = await pipeline("feature-extraction", await onDisk(contents(one)), { dtype: "fp32" });
    await equals(embed, one);
    await embed.dispose();
  }
});

test("prefers the encoder that modules.json names over another one in the folder", async () => {
  const one = cases.find(({ name }) => name === "zero-transformer");
  const changed = Buffer.from(encoder["model.safetensors"].base64, "base64");
  changed.fill(0, changed.length - 256);
  const embed = await load({
    ...encoder,
    "model.safetensors": { base64: changed.toString("base64") },
    ...contents(one),
  });
  await equals(embed, one);
  await embed.dispose();
});

test("AutoModel also finds the encoder below the folder", async () => {
  const model = await AutoModel.from_pretrained(source(named("zero-transformer")), { dtype: "fp32" });
  assert.equal(model.info.model_type, "bert");
  await model.dispose();
  await fails(
    AutoModel.from_pretrained(source(named("static-below"))),
    "unsupported",
    /got static embeddings.*pipeline\("feature-extraction"/,
  );
});

const plain = named("plain");
const [first, pooling] = plain["modules.json"];
const entry = (type, path = "2_X") => ({ type, path });

test("rejects unsupported modules by name", async () => {
  const own = "sentence_transformers.sentence_transformer.modules.";
  const lists = [
    [[first, pooling, entry(`${own}lstm.LSTM`)], /module 2 is .*lstm\.LSTM, expected/],
    [[first, entry(`${own}cnn.CNN`), pooling], /module 1 is .*cnn\.CNN/],
    [[first, entry(`${own}word_weights.WordWeights`), pooling], /module 1 is .*WordWeights/],
    [[entry("sentence_transformers.base.modules.router.Router", ""), pooling], /module 0 is .*router\.Router/],
    [[entry("custom_st.Transformer", ""), pooling], /module 0 is custom_st\.Transformer/],
    [[first], /expected a Pooling, got none/],
    [[first, pooling, { ...pooling, path: "../other" }], /module 2 is .*outside the model's/],
  ];
  for (const [modules, pattern] of lists) {
    const embed = await load({ ...plain, "modules.json": modules });
    await fails(embed("a", { pooling: "model" }), "unsupported", pattern);
    assert.equal((await embed("a", { pooling: "mean" })).dims.length, 2, "other poolings do not ask for modules");
    await embed.dispose();
  }
  const early = await load({
    ...named("two-dense"),
    "modules.json": [first, entry(`${own}Dense`, "2_Dense"), pooling],
  });
  await fails(early("a", { pooling: "model" }), "bad_config", /module 1 .*sentence_embedding, which no module before/);
  await early.dispose();
  const colbert = await load({ ...plain, "modules.json": [first, entry("pylate.models.Dense.Dense")] });
  await fails(colbert("a", { pooling: "model" }), "bad_config", /2_X\/config\.json: required by modules\.json/);
  await colbert.dispose();
  const splade = entry("sentence_transformers.sparse_encoder.models.SpladePooling");
  await fails(load({ ...plain, "modules.json": [first, splade] }), "unsupported", /no head for masked LM/);
  const none = await load({ ...plain, "modules.json": [] });
  await fails(none("a", { pooling: "model" }), "bad_config", /modules\.json: expected a list of modules/);
  await none.dispose();
  for (const kind of ["BoW", "WordEmbeddings", "CLIPModel"])
    await fails(
      load({ "modules.json": [entry(`sentence_transformers.models.${kind}`, `0_${kind}`)] }),
      "unsupported",
      new RegExp(`module 0: expected a Transformer or a StaticEmbedding, got .*${kind}`),
    );
});

test("rejects encoder settings that would change its vectors, by name", async () => {
  const settings = [
    [{ transformer_task: "fill-mask" }, /transformer_task: expected "feature-extraction", got "fill-mask"/],
    [{ module_output_name: "sentence_embedding" }, /module_output_name: expected "token_embeddings"/],
    [
      { modality_config: { text: { method: "forward", method_output_name: "pooler_output" } } },
      /method_output_name: expected "last_hidden_state", got "pooler_output"/,
    ],
    [
      {
        modality_config: {
          text: { method: "forward", method_output_name: "last_hidden_state" },
          message: { method: "forward", method_output_name: "last_hidden_state" },
        },
      },
      /modality_config\.message: chat templates/,
    ],
    [{ config_kwargs: { hidden_act: "relu" } }, /config_kwargs: "hidden_act" is not supported/],
    [{ tokenizer_args: { do_basic_tokenize: false } }, /tokenizer_args: "do_basic_tokenize"/],
    [{ processing_kwargs: { text: { add_special_tokens: false } } }, /processing_kwargs: "add_special_tokens"/],
  ];
  for (const [fields, pattern] of settings) {
    const embed = await load({ ...plain, "sentence_bert_config.json": fields });
    await fails(embed("a", { pooling: "model" }), "unsupported", pattern);
    await embed.dispose();
  }
});

test("rejects activations that are not a PyTorch class or take arguments, by name", async () => {
  const [name, file] = ["dense-ReLU", "2_Dense/config.json"];
  for (const activation_function of [
    "torch.nn.functional.gelu",
    "torch.nn.modules.activation.Threshold",
    "transformers.activations.NewGELUActivation",
    null,
  ]) {
    const files = named(name);
    const embed = await load({ ...files, [file]: { ...files[file], activation_function } });
    await fails(embed("a", { pooling: "model" }), "unsupported", /2_Dense\/config\.json: activation_function/);
    await embed.dispose();
  }
});

const config = { "config.json": encoder["config.json"], "tokenizer.json": encoder["tokenizer.json"] };
const bytes = "some weights";
const lora = { peft_type: "LORA", base_model_name_or_path: "~/base" };
const modulesOf = (type, path) => ({ "modules.json": [{ type: `sentence_transformers.models.${type}`, path }] });
const below = (folder, files) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
const OTHERS = [
  [{ "adapter_config.json": lora, "adapter_model.safetensors": bytes }, /base_model_name_or_path.*option `base`/],
  [{ "adapter_config.json": {}, "adapter_model.bin": bytes }, /base_model_name_or_path.*option `base`/],
  [{ "gliner_config.json": {}, "pytorch_model.bin": bytes }, /GLiNER model/],
  [{ "gliner_config.json": {}, "model.safetensors": bytes }, /GLiNER model/],
  [{ ...config, "tf_model.h5": bytes }, /got tf_model\.h5.*from_tf/],
  [{ ...config, "flax_model.msgpack": bytes }, /got flax_model\.msgpack.*from_flax/],
  [{ ...config, "tiny.Q4_K_M.gguf": bytes }, /got tiny\.Q4_K_M\.gguf.*checkpoint that it was made from/],
  [{ ...config, "openvino/openvino_model.xml": bytes }, /got openvino\/openvino_model\.xml/],
  [{ ...modulesOf("Transformer", "0_T"), ...below("0_T", { ...config, "tf_model.h5": bytes }) }, /got tf_model\.h5/],
];

test("errors for folders without a model name their contents and the way out", async () => {
  for (const [files, pattern] of OTHERS)
    for (const from of [source(files), await onDisk(files)]) {
      await fails(AutoModel.from_pretrained(from), "unsupported", pattern);
      await fails(pipeline("feature-extraction", from), "unsupported", pattern);
    }
  // A file of PyTorch is read; an index without its shards lacks these.
  for (const from of [
    source({ ...config, "pytorch_model.bin": bytes }),
    await onDisk({ ...config, "pytorch_model.bin": bytes }),
  ])
    await fails(AutoModel.from_pretrained(from), "bad_weights", /pytorch_model\.bin: expected a file of torch\.save/);
  const onnx = { ...config, "onnx/model_fp16.onnx": bytes };
  for (const from of [source(onnx), await onDisk(onnx)])
    await fails(AutoModel.from_pretrained(from), "bad_weights", /onnx\/model_fp16\.onnx: /);
  const index = {
    "pytorch_model.bin.index.json": { weight_map: { "embeddings.LayerNorm.bias": "pytorch_model-00001-of-00001.bin" } },
  };
  for (const from of [source({ ...config, ...index }), await onDisk({ ...config, ...index })])
    await fails(AutoModel.from_pretrained(from), "not_found", /there is no pytorch_model-00001-of-00001\.bin/);
  const shardless = { "pytorch_model.bin.index.json": { weight_map: { x: "../a/b/c.bin" } } };
  const leaving = AutoModel.from_pretrained(source({ ...config, ...shardless }));
  await fails(leaving, "bad_weights", /pytorch_model\.bin\.index\.json.*is no file name of a shard/);
  // An unknown folder is reported as a missing file.
  for (const from of [source(config), await onDisk(config)])
    await fails(AutoModel.from_pretrained(from), "not_found", /there is no model\.safetensors/);
  for (const from of [source({ "readme.txt": "" }), await onDisk({ "readme.txt": "" })])
    await fails(AutoModel.from_pretrained(from), "not_found", /there is no config\.json/);
});
