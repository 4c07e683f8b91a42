// Sentence embeddings through the public API, over the built package: results equal to sentence-transformers' `encode`, and the errors for
// unsupported folders and options.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pipeline } from "../dist/node.js";
import { agreement, cosines } from "../models/eval/vectors.mjs";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens", "sentence-transformers");
const FOLDERS = {
  "cls-max-legacy": 1,
  "dense-identity": 1,
  "dense-tanh-normalize": 1,
  "lowercase-legacy": 1,
  "max-seq-length-legacy": 2,
  "mean-sqrt-len": 1,
  "prompts-default": 4,
  "prompts-excluded-weighted-legacy": 2,
  "truncate-dim": 3,
};

const open = [];
const folders = [];
after(async () => {
  await Promise.all(open.map((pipe) => pipe.dispose()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});
async function load(folder) {
  const embed = await pipeline("feature-extraction", folder, { dtype: "fp32" });
  open.push(embed);
  return embed;
}

/** A golden's folder with files replaced; null removes a file. */
async function changed(name, files) {
  const folder = await mkdtemp(join(tmpdir(), "webert-sentence-"));
  folders.push(folder);
  await cp(join(goldens, name), folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    if (content === null) await rm(join(folder, file));
    else await writeFile(join(folder, file), content instanceof Uint8Array ? content : JSON.stringify(content));
  }
  return load(folder);
}

const embedded = async (embed, texts, options) => (await embed(texts, { pooling: "model", ...options })).tolist();
const length = (vector) => Math.hypot(...vector);

test("a folder of a repository is a sentence-transformers folder, too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "webert-sentence-"));
  folders.push(folder);
  for (const name of ["dense-tanh-normalize", "static-normalize"]) {
    await cp(join(goldens, name), join(folder, "deep", name), { recursive: true });
    const below = await pipeline("feature-extraction", folder, { dtype: "fp32", subfolder: `deep/${name}` });
    open.push(below);
    assert.deepEqual(
      await embedded(below, ["a text"]),
      await embedded(await load(join(goldens, name)), ["a text"]),
      name,
    );
  }
});

for (const [name, count] of Object.entries(FOLDERS)) {
  test(`${name} gives what sentence-transformers gives`, async () => {
    const { texts, cases } = JSON.parse(await readFile(join(goldens, name, "cases.json"), "utf8"));
    assert.equal(cases.length, count);
    const embed = await load(join(goldens, name));
    for (const { options, embeddings } of cases) {
      const { normalize_embeddings, ...rest } = options;
      const got = await embedded(embed, texts, { ...rest, ...(normalize_embeddings && { normalize: true }) });
      for (const [n, vector] of embeddings.entries()) {
        assert.equal(got[n].length, vector.length);
        const far = Math.max(...vector.map((x, i) => Math.abs(x - got[n][i])));
        assert.ok(far <= 1e-4 * Math.max(1, ...vector.map(Math.abs)), `${JSON.stringify(options)} ${texts[n]}: ${far}`);
      }
      const alone = await embedded(embed, texts[0], { ...rest, ...(normalize_embeddings && { normalize: true }) });
      assert.deepEqual(alone, [got[0]]);
    }
  });
}

const type = (kind) => `sentence_transformers.models.${kind}`;
const [first, pooling] = [
  { type: type("Transformer"), path: "" },
  { type: type("Pooling"), path: "1_Pooling" },
];

test("rejects unknown modules only if the folder's pooling is requested", async () => {
  const lists = [
    [[first, pooling, { type: type("LSTM"), path: "2_LSTM" }], /module 2 is .*models\.LSTM/],
    [[{ type: type("BoW"), path: "" }], /module 0 is .*models\.BoW/],
    [[first, { type: type("Normalize"), path: "" }], /expected a Pooling, got none/],
    [[first, pooling, { path: "2" }], /module 2 is without a type/],
  ];
  for (const [modules, pattern] of lists) {
    const embed = await changed("mean-sqrt-len", { "modules.json": modules });
    await fails(embed("a", { pooling: "model" }), "unsupported", pattern);
    assert.equal((await embed("a", { pooling: "mean" })).dims.length, 2);
  }
  const file = "1_Pooling/config.json";
  const configs = [
    [{ pooling_mode: "attention" }, "unsupported", /pooling_mode: expected one of cls, .*, got "attention"/],
    [{ pooling_mode: ["mean", "median"] }, "unsupported", /pooling_mode: expected one of .*, got "median"/],
    [null, "bad_config", /1_Pooling\/config.json: required by modules.json, but missing/],
    [["mean"], "bad_config", /1_Pooling\/config.json: expected an object/],
    [new TextEncoder().encode("{"), "bad_config", /1_Pooling\/config.json: expected JSON/],
  ];
  for (const [config, code, pattern] of configs)
    await fails((await changed("mean-sqrt-len", { [file]: config }))("a", { pooling: "model" }), code, pattern);
  const none = await changed("mean-sqrt-len", { "modules.json": {} });
  await fails(none("a", { pooling: "model" }), "bad_config", /modules.json: expected a list of modules/);
});

test("rejects dense layers that do not fit", async () => {
  const name = "dense-tanh-normalize";
  const [config, weights] = ["2_Dense/config.json", "2_Dense/model.safetensors"];
  const whole = await readFile(join(goldens, name, weights));
  const renamed = Buffer.from(whole.toString("latin1").replace("linear.bias", "linear.bios"), "latin1");
  const nan = Buffer.concat([whole.subarray(0, -4), Buffer.from([0, 0, 0xc0, 0x7f])]);
  const cases = [
    [{ [config]: { activation_function: "torch.nn.modules.activation.Tanh" } }, "bad_config", /in_features: expected/],
    [{ [weights]: null }, "unsupported", /2_Dense\/model\.safetensors: expected the module's weights, got neither/],
    [
      { [weights]: whole.subarray(0, -1) },
      "bad_weights",
      /2_Dense\/model.safetensors: the file ends 1 bytes too early/,
    ],
    [{ [weights]: renamed }, "bad_weights", /linear.bias: expected floats \[\d+\], got none/],
    [{ [weights]: nan }, "bad_weights", /linear.weight: expected floats .* no finite numbers/],
  ];
  for (const [files, code, pattern] of cases)
    await fails((await changed(name, files))("a", { pooling: "model" }), code, pattern);
  const embed = await load(join(goldens, name)); // states of two layers are twice as wide
  await fails(embed("a", { pooling: "model", layers: [1, 2] }), "bad_input", /takes 24 numbers, here there are 48/);
});

test("applies prompts, lengths and case as requested", async () => {
  const embed = await load(join(goldens, "prompts-default"));
  const ask = async (options) => (await embedded(embed, "the old house", options))[0];
  await fails(ask({ prompt_name: "question" }), "bad_input", /no prompt "question", expected one of \[document, long/);
  await fails(ask({ prompt: 3 }), "bad_input", /prompt is a string, not number/);
  await fails(ask({ truncate_dim: 0 }), "bad_input", /truncate_dim is a whole number, 1 or more, not 0/);
  await fails(ask({ truncate_dim: 1.5 }), "bad_input", /truncate_dim/);
  const both = await ask({ prompt_name: "question", prompt: "passage: " });
  assert.deepEqual(both, await ask({ prompt_name: "passage" }), "prompt goes before prompt_name");
  // Another pooling in the call replaces the folder's pooling.
  const mean = await ask({ pooling: "mean" });
  assert.deepEqual(mean, await ask({ prompt: "", normalize: false }));
  assert.deepEqual(await ask({ pooling: "mean", prompt_name: "query" }), await ask({ normalize: false }));
  assert.ok(Math.abs(length(await ask({})) - 1) < 1e-5 && Math.abs(length(mean) - 1) > 0.1);
  const states = await embed("the old house");
  const cut = await embed("the old house", { truncate_dim: 3 });
  assert.deepEqual(cut.dims, [1, states.dims[1], 3]);
  assert.deepEqual(
    cut.tolist()[0],
    states.tolist()[0].map((row) => row.slice(0, 3)),
  );
  assert.equal((await ask({ truncate_dim: 1000 })).length, 24, "there are no more");
  const short = await embed("the old house", { pooling: "model", prompt: "", max_length: 3 });
  assert.equal(short.truncated, true);
  assert.notDeepEqual(short.tolist()[0], await ask({ prompt: "" }));
  // A tokenizer that lowercases itself ignores do_lower_case; without modules the pooling is the mean.
  const lower = await changed("prompts-default", { "sentence_bert_config.json": { do_lower_case: true } });
  assert.deepEqual(await embedded(lower, "The OLD house"), await embedded(embed, "The OLD house"));
  const bare = await changed("truncate-dim", { "modules.json": null });
  assert.deepEqual(await embedded(bare, "a"), (await bare("a", { pooling: "mean" })).tolist());
});

test("prompt() returns what a call puts before each text", async () => {
  const embed = await load(join(goldens, "prompts-default"));
  const cases = [
    [undefined, ""],
    [{ pooling: "model" }, "query: "], // the folder's default
    [{ task: "document" }, ""],
    [{ pooling: "model", prompt_name: "passage" }, "passage: "],
    [{ pooling: "model", prompt: "own ", prompt_name: "passage" }, "own "],
  ];
  for (const [options, text] of cases) assert.equal(await embed.prompt(options), text, JSON.stringify(options));
  await fails(embed.prompt({ prompt_name: "none" }), "bad_input", /no prompt "none"/);
});

test("a prompt that is left out of the mean leaves room for a text", async () => {
  const tokens = (await readFile(join(goldens, "prompts-excluded-weighted-legacy", "vocab.txt"), "utf8")).trimEnd();
  const vocab = Object.fromEntries(tokens.split("\n").map((token, id) => [token, id]));
  // Without [SEP] at the end, because it would count.
  const tokenizer = { model: { type: "WordPiece", vocab }, pre_tokenizer: { type: "BertPreTokenizer" } };
  const embed = await changed("prompts-excluded-weighted-legacy", { "tokenizer.json": tokenizer });
  assert.equal((await embedded(embed, "a", { prompt: "the piano " }))[0].length, 48);
  await fails(
    embed("a", { pooling: "model", prompt: "the piano ".repeat(40) }),
    "bad_input",
    /prompt alone takes the 48/,
  );
});

test("the package's vectors have the cosines of all-MiniLM-L6-v2's", async () => {
  const { texts, cosines: original } = JSON.parse(
    await readFile(join(import.meta.dirname, "goldens", "minilm", "cosines.json"), "utf8"),
  );
  const embed = await pipeline("feature-extraction");
  open.push(embed);
  const vectors = await embedded(embed, texts);
  for (const vector of vectors) assert.ok(Math.abs(length(vector) - 1) < 1e-5, "normalized");
  const { correlation, same } = agreement(cosines(vectors), original);
  console.log(`Spearman's correlation ${correlation.toFixed(3)}, ${100 * same} % of nearest neighbours the same`);
  assert.ok(correlation >= 0.97 && same >= 37 / 40, `${correlation}, ${same}`);
});
