// Training in a page: in a Worker with threads, and without either.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { blank, withPage } from "./browser.mjs";

const golden = JSON.parse(await readFile(new URL("goldens/training/rows/rows.json", import.meta.url), "utf8"));
const names = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"];
const folder = (url) => Object.fromEntries(names.map((name) => [name, `${url}tests/goldens/training/rows/${name}`]));

/** Trains in the page as the golden does. Returns losses, the answers of the pipeline over it, and the fetched files. */
const train = async ({ url, files, options, golden, entry = "index" }) => {
  const { pipeline, Trainer, trainTokenizer } = await import(`${url}dist/${entry}.js`);
  const urls = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, new URL(file)]));
  const trainer = await Trainer.from_pretrained("text-classification", { files: urls }, { device: "wasm", ...options });
  const losses = [];
  const { text } = golden.eval_rows[0];
  const classify = await trainer.pipeline();
  const seen = [];
  const callback = async (event) => {
    losses.push(event.loss);
    seen.push(await classify(text, { top_k: null }));
  };
  await trainer.train(golden.train_rows, { ...golden.train_args, max_length: 24, callback });
  const controller = new AbortController();
  const stopped = await trainer
    .train(golden.train_rows, {
      num_train_epochs: 1000,
      signal: controller.signal,
      callback: (event) => event.step === 2 && controller.abort(),
    })
    .catch(({ code }) => code);
  const thrown = await trainer
    .train(golden.train_rows, {
      callback() {
        throw new Error("enough");
      },
    })
    .catch(({ code, message }) => `${code} ${message}`);
  const last = await classify(text, { top_k: null });
  const saved = await trainer.save();
  const { threads } = trainer.info;
  await trainer.dispose();
  const after = await trainer.evaluate(golden.eval_rows).catch(({ code }) => code);
  const again = await pipeline("text-classification", saved, { device: "wasm", dtype: "fp32" });
  const loaded = await again(text, { top_k: null });
  const vocabulary = await trainTokenizer(["low lower lowest", "new newer newest"], {
    vocab_size: 40,
    worker: options.worker,
  });
  const fetched = performance.getEntriesByType("resource").map(({ name }) => name.split("/").pop());
  return {
    losses,
    seen,
    stopped,
    thrown,
    last,
    loaded,
    after,
    threads,
    fetched,
    tokens: await vocabulary.files["vocab.txt"].text(),
  };
};

const scores = (answers) => answers.map(({ label, score }) => `${label} ${score.toFixed(5)}`);

/** Checks the result of `train`. */
function assertTrained(found, { threads }) {
  assert.equal(found.threads, threads);
  assert.equal(found.losses.length, 3);
  for (const [n, loss] of found.losses.entries())
    assert.ok(Math.abs(loss - golden.loss_before_step[n]) < 1e-4, `${loss}`);
  assert.notDeepEqual(scores(found.seen[0]), scores(found.seen[2]), "the pipeline sees the steps");
  assert.equal(found.stopped, "aborted");
  assert.equal(found.thrown, "bad_input enough");
  assert.deepEqual(scores(found.loaded), scores(found.last));
  assert.equal(found.after, "disposed");
  assert.match(found.tokens, /^\[PAD\]\n\[UNK\]\n/);
}

for (const [what, options] of [
  ["a Worker with two threads", { worker: true, threads: 2 }],
  ["this thread", { worker: false, threads: 1 }],
]) {
  test(`a page trains in ${what}`, async () => {
    await withPage({ path: blank }, async (page, { url }) => {
      const found = await page.evaluate(train, { url, files: folder(url), options, golden });
      assertTrained(found, options);
      if (!options.worker)
        assert.ok(
          found.fetched.some((name) => /_full\.wasm$/.test(name)),
          found.fetched.join(),
        );
    });
  });

  // eval is forbidden, and only the package's JavaScript can be fetched
  test(`a page trains in ${what} by webert/inline, under a strict Content-Security-Policy`, async () => {
    const policy =
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'self'; img-src data:";
    const requests = [];
    const prepare = async (page) => {
      page.context().on("request", (request) => requests.push(request.url().split("/").pop()));
      await page.route("**/*.html", async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          headers: { ...response.headers(), "content-security-policy": policy },
        });
      });
    };
    await withPage({ path: blank, prepare }, async (page, { url }) => {
      const found = await page.evaluate(train, { url, files: folder(url), options, golden, entry: "inline" });
      assertTrained(found, options);
    });
    const others = requests.filter((name) => /\.wasm$|worker|glue/i.test(name));
    assert.deepEqual(others, [], "all of it is inside");
  });
}

const attributions = JSON.parse(await readFile(new URL("goldens/explain/attributions.json", import.meta.url), "utf8"));
const explained = "tests/goldens/models/bert-seqcls-3/";

/** Explains a text in the page. Returns the files fetched before the call and for it. */
const explain = async ({ url, folder, options, input, target }) => {
  const { pipeline } = await import(`${url}dist/index.js`);
  const names = ["config.json", "model.safetensors", "vocab.txt", "tokenizer_config.json"];
  const files = Object.fromEntries(names.map((name) => [name, new URL(url + folder + name)]));
  const fetched = () => performance.getEntriesByType("resource").map(({ name }) => name.split("/").pop());
  const classify = await pipeline("text-classification", { files }, { device: "wasm", ...options });
  const before = fetched();
  const { tokens } = await classify.explain(input, { target });
  const controller = new AbortController();
  const callback = ({ step }) => step && controller.abort();
  const stopped = await classify
    .explain(input, { n_steps: 1000, callback, signal: controller.signal })
    .catch(({ code }) => code);
  const during = fetched();
  await classify.dispose();
  const after = await classify.explain(input).catch(({ code }) => code);
  return { found: tokens.map(({ attribution }) => attribution), before, during, stopped, after };
};

for (const worker of [true, false]) {
  test(`a page explains answers in ${worker ? "a Worker" : "this thread"}`, async () => {
    const { input, options, integrated_gradients } = attributions[0];
    await withPage({ path: blank }, async (page, { url }) => {
      const given = { url, folder: explained, options: { worker, threads: 1 }, input, ...options };
      const { found, before, during, stopped, after } = await page.evaluate(explain, given);
      for (const [n, expected] of integrated_gradients.entries())
        assert.ok(Math.abs(found[n] - expected) < 1e-3, `token ${n}: ${found[n]}, expected ${expected}`);
      const isOfTraining = (name) => /_full\.wasm$|^train-worker\.js$/.test(name);
      assert.ok(!before.some(isOfTraining), before.join());
      assert.ok(during.some(isOfTraining), during.join());
      assert.deepEqual([stopped, after], ["aborted", "disposed"]);
    });
  });
}
