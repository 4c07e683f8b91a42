// The page's texts for errors: www/src/explain.ts and www/src/frame/own-model.ts, without a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

const { explain, Mistake } = await importTypeScript("www/src/explain.ts");
const { lacking } = await importTypeScript("www/src/frame/own-model.ts");

const [, union] = /export type ErrorCode =([^;]+);/.exec(
  await readFile(new URL("../src/js/errors.ts", import.meta.url), "utf8"),
);
const CODES = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code);

/** Terms that only programmers understand. */
const PROGRAMMERS = /_|env\.|header|webgpu|wasm|worker|safetensors|top_k|url|undefined|null|NaN|[{}<>=()]/i;
const failure = (code, cause) =>
  Object.assign(new Error("env.workerUrl <b> needs the header Cross-Origin-Embedder-Policy"), { code, cause });

test("explains every error code without programmers' terms, wherever it occurs", () => {
  assert.ok(CODES.length >= 11);
  const UNKNOWN = explain(new Error("anything"), { offline: false });
  for (const code of CODES) {
    for (const offline of [false, true])
      for (const own of [false, true])
        for (const device of ["auto", "webgpu", "wasm"])
          for (const limit of [512, Infinity, undefined]) {
            for (const cause of [undefined, new TypeError("Failed to fetch")]) {
              const said = explain(failure(code, cause), {
                thing: "The two classifiers",
                own,
                device,
                limit,
                gaps: limit === 512,
                offline,
              });
              assert.match(said, /^[A-Z].*\.$/, code);
              assert.doesNotMatch(said.replace("config.json", ""), PROGRAMMERS, code);
              assert.notEqual(said, UNKNOWN, code);
            }
          }
  }
  assert.doesNotMatch(UNKNOWN, PROGRAMMERS);
});

test("the sentence states what to do", () => {
  const said = (code, about = {}, cause) => explain(failure(code, cause), { offline: false, ...about });
  assert.match(
    said("network", { offline: true, thing: "The two classifiers" }),
    /^The two classifiers could not be fetched: you seem to be offline\. Try again/,
  );
  assert.match(said("network"), /^The model could not be fetched\. Try again in a moment\.$/);
  assert.match(said("not_found", {}, new TypeError("fetch")), /^The model could not be fetched\./);
  assert.match(said("not_found"), /^The model could not be found where this page comes from\./);
  assert.match(said("not_found", { own: true }), /^The folder lacks a file/);
  assert.match(
    said("bad_weights", { own: true }),
    /its weights are damaged or belong to another model\. Use the whole folder/,
  );
  assert.match(said("bad_weights"), /^The download is incomplete or damaged: the model\./);
  assert.match(said("unsupported", { device: "webgpu" }), /graphics card.*Choose Auto or CPU\.$/);
  assert.match(said("unsupported", { own: true }), /a BERT that fills masks/);
  assert.match(said("out_of_memory", { own: true }), /not enough memory.*a smaller model\.$/);
  assert.match(said("device_lost", { device: "webgpu" }), /graphics card stopped.*choose CPU\.$/);
  assert.match(said("device_lost", { device: "auto" }), /program stopped\. Load the page again\.$/);
  assert.match(said("bad_input", { gaps: true, limit: 512 }), /first 512 pieces.*a gap comes after them/);
  assert.equal(explain(new Mistake("Write a text first."), { offline: false }), "Write a text first.");
  assert.match(
    explain(Object.assign(new Error("x"), { name: "NotReadableError" }), { offline: false }),
    /could not read what was chosen/,
  );
});

test("reports a folder without a model before reading it", () => {
  assert.match(lacking(["photo.png"]), /^There is no config\.json in photo\.png\. A model's folder has/);
  assert.match(lacking(["a.txt", "b.txt"]), /^There is no config\.json in this folder\./);
  assert.match(lacking(["config.json", "vocab.txt"]), /^There are no weights that the page can read in this folder\. /);
  assert.match(lacking(["config.json", "vocab.txt", "tf_model.h5"]), /: tf_model\.h5 is of another format\. /);
  assert.match(lacking(["config.json", "model.safetensors"]), /^There is no vocabulary/);
  for (const weights of [
    "model.safetensors",
    "model.safetensors.index.json",
    "bert.safetensors",
    "pytorch_model.bin",
  ]) {
    assert.equal(lacking(["config.json", weights, "vocab.txt"]), undefined);
  }
  assert.equal(lacking(["config.json", "model.safetensors", "tokenizer.json"]), undefined);
});
