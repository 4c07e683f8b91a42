// Search in a page: the fetched files, the kept index, and a responsive page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blank, longestTask, withPage } from "./browser.mjs";
import { collection } from "./goldens/search/collection.mjs";

const { passages } = await collection();

/** Makes, searches, keeps and loads an index in the page. Returns the results and the files fetched by then. */
const inPage = async ({ url, passages, options }) => {
  const { createIndex, deleteIndex, hasIndex, listIndexes, loadIndex, pipeline } = await import(`${url}dist/index.js`);
  const fetched = () => performance.getEntriesByType("resource").map(({ name }) => name.split("/").pop());
  const model = await pipeline("feature-extraction", null, { device: "wasm", threads: 1, ...options });
  await model("a text");
  const before = fetched();
  const index = await createIndex({ model });
  const told = [];
  await index.add(passages, { progress_callback: ({ loaded }) => told.push(loaded) });
  const question = "how do I know that the bread is done";
  const found = await index.search(question, { top_k: 3 });
  const blob = await index.save({ name: "notes / 1" });
  const again = await loadIndex("notes / 1", { model });
  const kept = await again.search(question, { top_k: 3 });
  const address = URL.createObjectURL(blob);
  const fromAddress = await (await loadIndex(address, { model })).search(question, { top_k: 3 });
  const error = ({ code, message }) => `${code}: ${message}`;
  const missing = await loadIndex("other", { model }).catch(error);
  const absent = await loadIndex(`${url}no.index`, { model }).catch(error);
  const stored = [await hasIndex("notes / 1"), await hasIndex("other"), await listIndexes()];
  stored.push(await deleteIndex("notes / 1"), await deleteIndex("notes / 1"), await listIndexes());
  await index.dispose();
  const after = await index.search("a").catch(error);
  return { before, told, found, kept, stored, fromAddress, missing, absent, after, fetched: fetched() };
};

for (const [where, options] of [
  ["a Worker", {}],
  ["the page's thread", { worker: false }],
])
  test(`a page finds, keeps and loads, its model in ${where}`, async () => {
    await withPage({ path: blank, allowErrors: true }, async (page, { url, errors }) => {
      const got = await page.evaluate(inPage, { url, passages, options });
      assert.ok(!got.before.some((name) => /search/.test(name)), "what searches is fetched once it is asked for");
      assert.equal(got.fetched.filter((name) => name === "webert_search.wasm").length, 1);
      assert.deepEqual(got.told, [32, 60]);
      assert.equal(got.found[0].id, "p08");
      assert.deepEqual(got.kept, got.found);
      assert.deepEqual(got.stored, [true, false, ["notes / 1"], true, false, []]);
      assert.deepEqual(got.fromAddress, got.found);
      assert.match(got.missing, /^not_found: no index is kept under the name "other"/);
      assert.match(got.absent, /^not_found: .*no\.index: the server answers 404/);
      assert.match(got.after, /^disposed/);
      assert.deepEqual(
        errors.filter((text) => !/no\.index/.test(text)),
        [],
      );
    });
  });

test("searching, saving and loading 10,000 passages never blocks a page for 50 ms", async () => {
  await withPage({ path: blank }, async (page, { url }) => {
    await page.evaluate(async (url) => {
      const made = (await import(`${url}dist/webert_search.js`)).default();
      await made.default({ module_or_path: await (await fetch(`${url}dist/webert_search.wasm`)).arrayBuffer() });
      const index = made.search_index(384, false, true, true, false);
      const none = [new Uint32Array(), new Uint32Array(), new Float32Array()]; // no sparse vectors
      const pieces = Uint32Array.from({ length: 80 }, (_, n) => n * n);
      const places = Uint32Array.of(0, 400);
      for (let n = 0; n < 10_000; n++) {
        pieces[n % 80] = (n * 7919) % 30_000;
        const vector = Float32Array.from({ length: 384 }, (_, col) => Math.sin(n * 384 + col * col));
        index.add(places, Uint32Array.of(80), pieces, vector, ...none);
      }
      const query = Float32Array.from({ length: 384 }, (_, col) => Math.cos(col));
      const writer = made.index_writer();
      const pieceOfFile = index.section(5, 0, 1 << 20);
      globalThis.work = {
        search: () => index.search(query, pieces.subarray(0, 8), 0.15, 10, 0, 1.2, 0.75, 0, none[1], none[2]),
        words: () => index.section(3, 0, 1 << 20),
        piece: () => writer.push(5, pieceOfFile),
        remove: () => index.remove(Uint32Array.of(5)),
      };
    }, url);
    for (const [name, limit] of Object.entries({ search: 20, words: 50, piece: 50, remove: 50 })) {
      const run = () => longestTask(page, () => page.evaluate((name) => void work[name](), name));
      const times = [];
      for (let n = 0; n < 4; n++) times.push((await run()).longest);
      console.log(`${name}: ${times.map((time) => time.toFixed(1))} ms`);
      assert.ok(Math.min(...times) < limit, `${name}: ${times} ms`);
    }
  });
});
