// Static embeddings through the public API, over the built package: results equal to model2vec's, and the errors.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pipeline } from "../dist/node.js";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens", "sentence-transformers");
const cases = async (name) => JSON.parse(await readFile(join(goldens, name, "cases.json"), "utf8"));
const load = (folder, options) => pipeline("feature-extraction", folder, options);

const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** A golden's folder with a file changed. */
async function changed(name, file, change) {
  const folder = await mkdtemp(join(tmpdir(), "webert-static-"));
  folders.push(folder);
  await cp(join(goldens, name), folder, { recursive: true });
  await writeFile(join(folder, file), change(await readFile(join(folder, file))));
  return folder;
}

for (const name of ["fp16", "int8", "normalize", "quantized-vocabulary", "weights"]) {
  test(`static embeddings (${name}) equal model2vec's`, async () => {
    const { texts, cases: all } = await cases(`static-${name}`);
    const embed = await load(join(goldens, `static-${name}`));
    // NumPy averages half floats in half precision.
    const tolerance = name === "fp16" ? 3e-3 : 1e-5;
    for (const { options, embeddings } of all) {
      const got = (await embed(texts, { pooling: "model", ...options })).tolist();
      for (const [n, vector] of embeddings.entries()) {
        assert.equal(got[n].length, vector.length);
        const far = Math.max(...vector.map((x, i) => Math.abs(x - got[n][i])));
        const greatest = Math.max(1, ...vector.map(Math.abs));
        assert.ok(far <= tolerance * greatest, `${JSON.stringify(options)} "${texts[n]}": ${far}`);
      }
    }
    assert.equal(embed.info.model_type, "model2vec");
    await embed.dispose();
  });
}

test("returns tokens, their mean or its leading numbers as requested", async () => {
  const embed = await load(join(goldens, "static-weights"));
  const text = "The teacher walked to the old bridge.";
  const states = await embed(text);
  const [, tokens, width] = states.dims;
  assert.ok(tokens > 4 && width === 20, `${states.dims}`);
  const mean = (await embed(text, { pooling: "mean" })).tolist()[0];
  const sums = states.tolist()[0].reduce((sum, row) => sum.map((x, n) => x + row[n]));
  for (const [n, x] of mean.entries()) assert.ok(Math.abs(x - sums[n] / tokens) < 1e-5);
  assert.deepEqual((await embed(text, { pooling: "mean", truncate_dim: 7 })).tolist()[0], mean.slice(0, 7));
  const unscaled = await embed(text, { pooling: "model", normalize: false });
  assert.deepEqual(unscaled.tolist()[0], mean);
  assert.equal((await embed(text, { max_length: 3 })).dims[1], 3);
  assert.equal((await embed(text, { max_length: 3 })).truncated, true);
  // The median length of a token is 3. For a limit of one token, three characters are read: "wor", which is not a token.
  const whole = (await embed("work", { max_length: 2 })).tolist()[0];
  const [cut, start] = await Promise.all(["work", "wor"].map((text) => embed(text, { max_length: 1 })));
  assert.deepEqual(cut.tolist(), start.tolist());
  assert.notDeepEqual(cut.tolist()[0], whole);
  assert.deepEqual((await embed("", { pooling: "mean" })).tolist()[0], Array(20).fill(0), "no token: zeros");
  assert.equal(embed.tokenizer.encode(text, { add_special_tokens: false }).length, tokens);
  await fails(embed(text, { pooling: "cls" }), "bad_input", /one of none, mean, model, got "cls"/);
  await fails(embed(text, { layers: [1] }), "bad_input", /layers: static embeddings have none/);
  await fails(embed(text, { max_length: 0 }), "bad_input", /max_length: expected a whole number of at least 1, got 0/);
  await fails(embed.model(embed.tokenizer(text)), "unsupported", /no encoder/);
  await fails(embed(text, { signal: AbortSignal.abort() }), "aborted", /./);
  await embed.dispose();
  await fails(embed(text), "disposed", /./);
});

test("rejects invalid folders", async () => {
  const [name, weights] = ["static-quantized-vocabulary", "model.safetensors"];
  const renamed = (from, to) => (bytes) => Buffer.from(bytes.toString("latin1").replace(from, to), "latin1");
  const files = [
    [weights, renamed("embeddings", "embedding_"), /expected embeddings/],
    [weights, (bytes) => bytes.subarray(0, -4), /ends 4 bytes too early/],
    [weights, (bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.from([0, 0, 0xc0, 0x7f])]), /finite floats/],
    [weights, renamed("mapping", "mappinG"), /mappinG: expected finite floats/],
  ];
  for (const [file, change, pattern] of files)
    await fails(load(await changed(name, file, change)), "bad_weights", pattern);
  const infinite = (bytes) => Buffer.concat([bytes.subarray(0, -2), Buffer.from([0, 0x7c])]);
  await fails(
    load(await changed("static-fp16", weights, infinite)),
    "bad_weights",
    /embeddings: expected finite floats/,
  );
  const mapped = (row) => (bytes) => {
    const start = 8 + Number(bytes.readBigUInt64LE());
    bytes.writeBigInt64LE(row, start + JSON.parse(bytes.subarray(8, start)).mapping.data_offsets[0]);
    return bytes;
  };
  for (const row of [-1n, 1n << 40n])
    await fails(load(await changed(name, weights, mapped(row))), "bad_weights", /mapping: expected rows below \d+/);
  const short = await changed("static-weights", "tokenizer.json", (bytes) => {
    const json = JSON.parse(bytes);
    json.model.vocab.more = 220;
    return JSON.stringify(json);
  });
  await fails(load(short), "bad_weights", /expected a row and a weight .*got none for 220/);
  // By modules.json it is sentence-transformers' StaticEmbedding, with any config.json; without modules.json it is not a model.
  const other = await changed(name, "config.json", () => '{"model_type": "model3vec"}');
  const embed = await load(other);
  assert.equal(embed.info.model_type, "static-embedding");
  await embed.dispose();
  await rm(join(other, "modules.json"));
  await assert.rejects(load(other), /hidden_size|model3vec/);
  const page = await changed(name, "config.json", () => "<!doctype html><title>not here</title>");
  await fails(load(page), "bad_config", /a web page/);
  await assert.rejects(pipeline("text-ranking", join(goldens, name)), /hidden_size|static embeddings/);
});
