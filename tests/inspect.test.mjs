// Values inside the layers: scores of attention before the softmax, and activations of the feed-forward, against transformers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { AutoModel, AutoModelForMaskedLM } from "../dist/node.js";

const golden = (path) => new URL(`goldens/${path}`, import.meta.url);
const recorded = JSON.parse(await readFile(golden("inside/inside.json"), "utf8"));
/** A thread of its own: the test is about numbers. */
const INSPECT = { inspect: true, dtype: "fp32", threads: 1 };
const BOTH = { output_attention_scores: true, output_activations: true };
const folder = (name) =>
  fileURLToPath(golden(name.startsWith("families/") ? name.replace("/", "/models/") : `models/${name}`));

for (const [name, { inputs, ...wanted }] of Object.entries(recorded)) {
  test(`${name}: activations and attention scores equal the reference`, async () => {
    const model = await AutoModel.from_pretrained(folder(name), INSPECT);
    const found = await model(inputs, BOTH);
    for (const key of ["activations", "attention_scores"]) {
      assert.equal(found[key].length, wanted[key].length);
      for (const [layer, { dims, data }] of wanted[key].entries()) {
        assert.deepEqual(found[key][layer].dims, dims);
        const most = Math.max(...data.map((value, at) => Math.abs(value - found[key][layer].data[at])));
        assert.ok(most < 1e-4, `${key} of layer ${layer}: ${most}`);
      }
    }
    await model.dispose();
  });
}

test("the softmax of the scores is the attention of the same call", async () => {
  const model = await AutoModelForMaskedLM.from_pretrained(folder("bert-mlm"), INSPECT);
  const { attention_scores, attentions, logits } = await model(
    { input_ids: [[5, 6, 7, 8]] },
    { ...BOTH, output_attentions: true },
  );
  assert.equal(logits.dims[1], 4);
  for (const [layer, { data }] of attentions.entries()) {
    for (let row = 0; row < data.length; row += 4) {
      const powers = Array.from(attention_scores[layer].data.subarray(row, row + 4), Math.exp);
      const sum = powers.reduce((a, b) => a + b);
      for (const [at, power] of powers.entries()) assert.ok(Math.abs(power / sum - data[row + at]) < 1e-6);
    }
  }
  const plain = await model({ input_ids: [[5, 6]] });
  assert.deepEqual(Object.keys(plain), ["logits"]);
  await model.dispose();
});

test("names the way out without `inspect`, and the family whose layers are not as BERT's", async () => {
  const model = await AutoModel.from_pretrained(folder("bert-base-relu-eps"), { dtype: "fp32", threads: 1 });
  await assert.rejects(model({ input_ids: [[5]] }, { output_activations: true }), {
    code: "unsupported",
    message: "output_activations: expected a model loaded with `inspect: true`",
  });
  await model.dispose();
  const other = await AutoModel.from_pretrained(folder("families/modernbert-base"), INSPECT);
  await assert.rejects(other({ input_ids: [[5]] }, { output_attention_scores: true }), {
    code: "unsupported",
    message: /expected a family with BERT's layers, got model_type "modernbert"/,
  });
  await other.dispose();
});
