// scripts/quantize.mjs: a checkpoint whose index names another model's encoder comes out as the same model in one file does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { pipeline } from "../dist/node.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const golden = join(root, "tests/goldens/models/bert-seqcls-3");
const folder = mkdtempSync(join(tmpdir(), "webert-quantize-"));
after(() => rmSync(folder, { recursive: true }));

const quantize = (from, to) => execFileSync(process.execPath, [join(root, "scripts/quantize.mjs"), from, to], { stdio: "pipe" });

/** Writes those tensors of a safetensors file whose names `wanted` takes; gives the names. */
function excerpt(file, path, wanted) {
  const length = Number(file.readBigUInt64LE(0));
  const { __metadata__, ...header } = JSON.parse(file.toString("utf8", 8, 8 + length));
  const chosen = Object.entries(header).filter(([name]) => wanted(name));
  let end = 0;
  const parts = chosen.map(([, { data_offsets: [from, to] }]) => file.subarray(8 + length + from, 8 + length + to));
  const own = Object.fromEntries(chosen.map(([name, entry], i) => [name, { ...entry, data_offsets: [end, end += parts[i].length] }]));
  const json = Buffer.from(JSON.stringify(own));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(json.length));
  writeFileSync(path, Buffer.concat([size, json, ...parts]));
  return Object.keys(own);
}

/** The golden's encoder in exact/encoder, the rest and an index in exact/classifier. */
function splitGolden() {
  const file = readFileSync(join(golden, "model.safetensors"));
  for (const name of ["encoder", "classifier"]) {
    mkdirSync(join(folder, "exact", name), { recursive: true });
    for (const other of ["config.json", "vocab.txt", "tokenizer_config.json"]) copyFileSync(join(golden, other), join(folder, "exact", name, other));
  }
  const shared = (name) => /embeddings|encoder/.test(name);
  const map = {};
  for (const name of excerpt(file, join(folder, "exact/encoder/model.safetensors"), shared)) map[name] = "../encoder/model.safetensors";
  for (const name of excerpt(file, join(folder, "exact/classifier/head.safetensors"), (name) => !shared(name))) map[name] = "head.safetensors";
  writeFileSync(join(folder, "exact/classifier/model.safetensors.index.json"), JSON.stringify({ weight_map: map }));
}

test("an index with a shared encoder", async () => {
  splitGolden();
  quantize(golden, join(folder, "whole"));
  assert.throws(() => quantize(join(folder, "exact/classifier"), join(folder, "int8/classifier")), /quantize the model that it belongs to first/);
  for (const name of ["encoder", "classifier"]) quantize(join(folder, "exact", name), join(folder, "int8", name));
  const { weight_map: map } = JSON.parse(readFileSync(join(folder, "int8/classifier/model.safetensors.index.json"), "utf8"));
  const scales = Object.keys(map).filter((name) => name.endsWith("_scale"));
  assert.ok(scales.some((name) => map[name] === "head.safetensors") && scales.some((name) => map[name] === "../encoder/model.safetensors"));
  const answers = await Promise.all(["whole", "int8/classifier"].map(async (name) => {
    const run = await pipeline("text-classification", join(folder, name));
    const found = await run("the man reads", { top_k: null });
    await run.dispose();
    return found;
  }));
  assert.deepEqual(answers[1], answers[0]);
});
