// The package's own model of personal data: the default of pipeline("token-classification") and of redact.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { env, pipeline, redact } from "../dist/node.js";
import { covers, f1, marked, spansOf } from "../models/eval/spans.mjs";
import { blank, longestTask, withPage } from "./browser.mjs";

const rows = marked(await readFile(join(import.meta.dirname, "../models/eval/entities.txt"), "utf8"));
const texts = rows.map(({ text }) => text);
const ner = await pipeline("token-classification", null, { threads: 1 });
after(() => ner.dispose());

test("finds entities in sentences that were written separately from the training text", async () => {
  const found = (await ner(texts, { aggregation_strategy: "first" })).map(spansOf);
  const { f1: score, count } = f1(rows.map(({ spans }, n) => ({ spans, found: found[n] })));
  console.log(`F1 of exact spans ${score.toFixed(3)}, of ${count}`);
  assert.ok(score >= 0.85, `F1 ${score}`);
});

test("redact leaves no e-mail address, card number or telephone number of these sentences but one in thirty", async () => {
  const redactions = await redact(texts, { model: ner });
  for (const kind of ["EMAIL", "PHONE", "card"]) {
    const covered = redactions.flatMap(({ entities }, n) =>
      rows[n].spans.filter((span) => span.kind === kind).map((span) => covers(entities, span)),
    );
    const share = covered.filter(Boolean).length / covered.length;
    console.log(`${kind}: ${covered.filter(Boolean).length} of ${covered.length}`);
    assert.ok(covered.length >= 15 && share >= 0.97, `${kind}: ${share}`);
  }
  for (const [n, { text, restore }] of redactions.entries()) assert.equal(restore(text), texts[n]);
});

test("finds ages, user names, passwords, keys and details of health without the detectors", async () => {
  for (const [text, label, ...words] of [
    ["The driver, aged 47, was taken home. Her son is 12 years old.", "AGE", "47", "12 years old"],
    ["The login is blocked for jpark_88, please unlock it.", "USERNAME", "jpark_88"],
    ["the wifi password is Sunflower!42 for all guests", "PASSWORD", "Sunflower!42"],
    ["She has epilepsy and takes lamotrigine twice a day.", "HEALTH", "epilepsy", "lamotrigine"],
    ["api key: 4f9a27cc01be8853a7d2e6b0915cd3f8", "SECRET", "4f9a27cc01be8853a7d2e6b0915cd3f8"],
  ]) {
    const { entities } = await redact(text, { model: ner, detectors: [], labels: [label] });
    assert.deepEqual(
      entities.map(({ word }) => word),
      words,
    );
  }
});

test("redact uses it by default", async () => {
  const text = "Anna Kovács (anna@example.org) flew to Oslo. Anna Kovács is ill.";
  const { text: redacted, restore } = await redact(text);
  assert.equal(redacted, "[PERSON_1] ([EMAIL_1]) flew to [LOCATION_1]. [PERSON_1] is ill.");
  assert.equal(restore("Get well soon, [PERSON_1]!"), "Get well soon, Anna Kovács!");
});

test("is an adapter over the masked model's encoder and does not change it", async () => {
  const fill = await pipeline("fill-mask", null, { threads: 1 });
  const plain = await fill("Paris is the [MASK] of France.", { top_k: 3 });
  await fill.dispose();
  const beside = await pipeline("fill-mask", null, { threads: 1 });
  assert.deepEqual(await beside("Paris is the [MASK] of France.", { top_k: 3 }), plain);
  await beside.dispose();
  const folder = new URL(env.defaultModels["token-classification"]);
  const { weight_map } = JSON.parse(await readFile(new URL("model.safetensors.index.json", folder), "utf8"));
  assert.deepEqual([...new Set(Object.values(weight_map))].sort(), [
    "../minilm-mlm/model.safetensors",
    "adapter.safetensors",
  ]);
});

test("redacting a long text does not block a page with the model in a Worker", async () => {
  await withPage({ path: blank }, async (page, { url }) => {
    await page.evaluate(async (url) => {
      const { pipeline, redact } = await import(`${url}dist/index.js`);
      const model = await pipeline("token-classification", null, { device: "wasm", threads: 1 });
      globalThis.redactAll = async (text) => {
        const { entities, restore, text: redacted } = await redact(text, { model });
        return { length: text.length, found: entities.length, whole: restore(redacted) === text };
      };
    }, url);
    const text = [...texts, ...texts].join(" ");
    // In the first call, V8 compiles each expression: Chromium 148 takes up to 60 ms for one.
    for (const most of [150, 50]) {
      const { result, longest } = await longestTask(page, () => page.evaluate((text) => redactAll(text), text));
      console.log(`${result.length} characters, ${result.found} entities; the longest task ${longest.toFixed(1)} ms`);
      assert.ok(result.whole && result.found > 500);
      assert.ok(longest < most, `a task of ${longest} ms`);
    }
  });
});
