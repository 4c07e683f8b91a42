// Folders whose code a Worker takes from the script of the glues: the reader of ONNX, of PyTorch's files, and the search for the weights of
// a model with unreadable ONNX files.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { AutoModel } from "../dist/node.js";
import { blank, withPage } from "./browser.mjs";

const goldens = join(import.meta.dirname, "goldens");
const onnx = JSON.parse(await readFile(join(goldens, "onnx/files.json"), "utf8"));
const torch = JSON.parse(await readFile(join(goldens, "pytorch/files.json"), "utf8"));
const cut = async (folder, rows, name) =>
  (await readFile(join(goldens, folder, "files"))).subarray(...rows[name].bytes);
const electra = (name) => readFile(join(goldens, "models/electra-mlm", name));
const config = Buffer.from(JSON.stringify(onnx.config));

const exact = await cut("onnx", onnx, "fp32");
/** The exact file with a part of another. */
const unreadable = Buffer.concat([
  exact.subarray(0, onnx["unknown-op"].first),
  await cut("onnx", onnx, "unknown-op"),
  exact.subarray(-onnx["unknown-op"].last),
]);

/** A hub of models by name: their files by path. */
const HUB = {
  "maker/torch": {
    "config.json": await electra("config.json"),
    "pytorch_model.bin": await cut("pytorch", torch, "model"),
  },
  "maker/onnx": { "config.json": config, "onnx/model.onnx": exact },
  "maker/original": {
    "config.json": await electra("config.json"),
    "model.safetensors": await electra("model.safetensors"),
  },
  "maker/copy": {
    "config.json": Buffer.from(
      JSON.stringify({ ...JSON.parse(await electra("config.json")), _name_or_path: "maker/original" }),
    ),
    "onnx/model.onnx": unreadable,
  },
};
const { inputs } = JSON.parse(await electra("cases.json")).cases[0];

/** Loads a model of `HUB` in a Worker of a page, and returns its logits, its source, and whether the glues were fetched. */
async function inWorker(model, inputs) {
  return withPage({ path: blank, allowErrors: true }, async (page) => {
    const fetched = [];
    page.on("request", (request) => fetched.push(request.url()));
    await page.context().route("**/hub/**", (route) => {
      const [name, file] = new URL(route.request().url()).pathname.slice("/hub/".length).split("/resolve/main/");
      const body = HUB[name]?.[file];
      return route.fulfill(body ? { body } : { status: 404 });
    });
    const found = await page.evaluate(
      async ([model, inputs]) => {
        const { AutoModel, AutoModelForMaskedLM, env } = await import("/dist/index.js");
        env.remoteHost = `${location.origin}/hub/`;
        env.useBrowserCache = false;
        const kind = model === "maker/onnx" ? AutoModel : AutoModelForMaskedLM;
        const loaded = await kind.from_pretrained(model, { dtype: "fp32", device: "wasm", threads: 1 });
        const { logits } = await loaded(inputs);
        return { logits: [...logits.data], source: loaded.info.source };
      },
      [model, inputs],
    );
    return { ...found, hasGlues: fetched.some((url) => url.endsWith("/webert_glues.js")) };
  });
}

const near = (found, expected) => {
  assert.equal(found.length, expected.length);
  assert.ok(Math.max(...found.map((value, n) => Math.abs(value - expected[n]))) < 1e-4);
};

test("a Worker reads pytorch_model.bin, an ONNX file, and the original of a file that it cannot read", async () => {
  const files = {
    "config.json": await electra("config.json"),
    "model.safetensors": await electra("model.safetensors"),
  };
  const model = await AutoModel.from_pretrained({ files }, { dtype: "fp32" });
  const expected = [...(await model(inputs)).logits.data];
  await model.dispose();
  for (const [name, source] of [
    ["maker/original", undefined],
    ["maker/torch", undefined],
    ["maker/copy", "maker/original"],
  ]) {
    const found = await inWorker(name, inputs);
    near(found.logits, expected);
    assert.deepEqual([found.source, found.hasGlues], [source, name !== "maker/original"], name);
  }
  const found = await inWorker("maker/onnx", onnx.inputs);
  near(found.logits, onnx.fp32.logits);
  assert.equal(found.source, "onnx/model.onnx");
});
