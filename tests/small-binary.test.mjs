// Which binary a model needs: the rule in TypeScript and what the binaries themselves accept.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../scripts/lib/run.mjs";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

const { Instance } = await importTypeScript("src/js/engine/instance.ts");
const { needsAll } = await importTypeScript("src/js/sources/small-binary.ts");

const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
const SIZES = {
  vocab_size: 8,
  hidden_size: 8,
  embedding_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 8,
  max_position_embeddings: 16,
  type_vocab_size: 2,
};

/** A binary: `load` and `tokenizer` return the error for a model's config and for a tokenizer's files, if any. */
async function opened(build) {
  const glue = (await import(`../dist/webert_cpu${build}.js`)).default();
  const module = readFileSync(join(root, `dist/webert_simd128${build}.wasm`));
  const { memory } = await glue.default({ module_or_path: module });
  const instance = new Instance(memory, glue);
  const failure = async (work) => {
    try {
      (await instance.call(work)).free();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const options = { dtype: "fp32", device: "wasm", head: "none" };
  return {
    load: (config) => failure(() => glue.Loader.open({ "config.json": bytes({ ...SIZES, ...config }) }, options)),
    tokenizer: (files) => failure(() => new glue.Tokenizer(files)),
  };
}
const small = await opened("");
const full = await opened("_full");

/** The names that an error of a binary with all features lists. */
const listed = ({ message }) => /expected one of (.*)$/.exec(message)[1].split(", ");
const vocabulary = { "vocab.txt": new TextEncoder().encode("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n") };
const bert = readFileSync(join(root, "models/minilm-mlm/tokenizer.json"));
const ofClass = (name, file = "tokenizer_config.json") => ({
  "tokenizer.json": bert,
  [file]: bytes({ tokenizer_class: name }),
});

const families = listed(await full.load({ model_type: "none" }));
const activations = listed(await full.load({ model_type: "bert", hidden_act: "none" }));
/** Names of tokenizer classes in the crate, without suffixes. */
const classes = [
  ...new Set(
    [...readFileSync(join(root, "src/tokenizer/files/class.rs"), "utf8").matchAll(/"([A-Z]\w*(?:[ \\\n]+[A-Z]\w*)*)"/g)]
      .flatMap(([, names]) => names.split(/[ \\\n]+/))
      .filter((name) => !/^(Tokenizer|Fast)$/.test(name))
      .concat("", "Foo"),
  ),
];

/** Returns the names for which no call of `ask` returns an error. */
async function accepted(names, ask) {
  const found = [];
  for (const name of names) if (!(await ask(name))) found.push(name);
  return found;
}

test("the lists of TypeScript are what a small binary accepts", async () => {
  const known = {
    "Values of `model_type` of which a small binary reads the model and the tokenizer.": [
      "FAMILIES",
      await accepted(families, async (model_type) => {
        const tokenizer = { ...vocabulary, "config.json": bytes({ model_type }) };
        return (await small.load({ model_type })) ?? (await small.tokenizer(tokenizer));
      }),
    ],
    "Activations of a small binary.": [
      "ACTIVATIONS",
      await accepted(activations, (hidden_act) => small.load({ model_type: "bert", hidden_act })),
    ],
    "Tokenizer classes of a small binary, without the suffixes `Tokenizer` and `Fast`.": [
      "CLASSES",
      await accepted(classes.sort(), (name) => small.tokenizer(ofClass(name))),
    ],
  };
  const lines = Object.entries(known).map(
    ([comment, [name, values]]) =>
      `\n/** ${comment} */\nexport const ${name} = [\n${values.map((value) => `  ${JSON.stringify(value)},\n`).join("")}];\n`,
  );
  const head = "// Written by `WEBERT_WRITE_INTERFACE=1 node --test tests/small-binary.test.mjs` from the binaries.\n";
  const path = join(root, "src/js/generated/small-binary.ts");
  const text = head + lines.join("");
  if (process.env.WEBERT_WRITE_INTERFACE) writeFileSync(path, text);
  assert.equal(readFileSync(path, "utf8").replace(/\s+|,(?=\s*\])/g, ""), text.replace(/\s+|,(?=\s*\])/g, ""));
});

const isRefused = (error) =>
  /smaller binaries|only binaries with all features|position_embedding_type/.test(error?.message);

test("every model that a small binary refuses asks for the full one", async () => {
  const configs = [
    ...families.map((model_type) => ({ model_type })),
    ...activations.flatMap((name) => [
      { model_type: "bert", hidden_act: name },
      { model_type: "distilbert", activation: name },
    ]),
    ...["absolute", "relative_key", "relative_key_query"].map((position_embedding_type) => ({
      model_type: "bert",
      position_embedding_type,
    })),
  ];
  let refused = 0;
  for (const config of configs) {
    assert.ok(!isRefused(await full.load(config)), JSON.stringify(config));
    if (!isRefused(await small.load(config))) continue;
    refused++;
    assert.ok(needsAll({ "config.json": bytes(config) }), JSON.stringify(config));
  }
  assert.ok(refused > 30 && !needsAll({ "config.json": bytes({ model_type: "bert", hidden_act: "gelu" }) }));
});

test("every tokenizer that a small binary refuses asks for the full one", async () => {
  let refused = 0;
  const names = classes.flatMap((name) => [name, `${name}Tokenizer`, `${name}TokenizerFast`]);
  for (const name of names)
    for (const file of ["tokenizer_config.json", "config.json"]) {
      const isNeeded = isRefused(await small.tokenizer(ofClass(name, file)));
      if (isNeeded) refused++;
      assert.equal(needsAll(ofClass(name, file)), isNeeded, `${file}: ${name}`);
    }
  assert.ok(refused > 100);
  const goldens = join(root, "tests/goldens");
  const paths = readdirSync(goldens, { recursive: true }).filter((path) => /\btokenizer\.json$/.test(path));
  assert.ok(paths.length > 20);
  for (const path of paths) {
    const files = { "tokenizer.json": readFileSync(join(goldens, path)) };
    if (isRefused(await small.tokenizer(files))) assert.ok(needsAll(files), path);
  }
});
