// Memory that ends at any point. WebAssembly's memory may grow to n pages, for each n from the initial size of a binary to the size that a
// load and its calls need. Each time the error is `out_of_memory`, no incomplete file is kept, and the next load works.
//
// `WEBERT_SWEEP=all node --test tests/out-of-memory.test.mjs` tests every n, and larger models.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { blank, withPage } from "./browser.mjs";
import { limitMemory, withMost } from "./small-memory.mjs";

const limit = limitMemory();
const { AutoTokenizer, createIndex, env, pipeline, Trainer, trainTokenizer, WebertError } = await import(
  "../dist/node.js"
);

const all = process.env.WEBERT_SWEEP === "all";
const dist = join(import.meta.dirname, "../dist");
const goldens = join(import.meta.dirname, "goldens");
const CPU = { device: "wasm", threads: 1, dtype: "fp32" };
const PAGE = 2 ** 16;
/** Seconds after which a promise counts as never settled. */
const NEVER = 60;

/** The result of `body` for `made`, which is then freed. */
async function using(made, body) {
  try {
    return await body(made);
  } finally {
    await made.dispose();
  }
}

/** A scenario's answer, or its error. An undocumented error, or a promise that never settles, fails the test. */
async function outcome(scenario) {
  let timer;
  const never = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: "it is never settled" })), NEVER * 1000);
  });
  try {
    return { answer: await Promise.race([scenario(), never]) };
  } catch (error) {
    assert.ok(error instanceof WebertError, error.stack);
    return { error };
  } finally {
    clearTimeout(timer);
  }
}

/** Ends all instances, so that the next load starts a new one. */
function endInstances() {
  for (const { fail } of limit.instances.splice(0)) fail();
}

/** The outcome in a new instance; the previous one ends at the first call. */
async function inNewInstance(scenario, most) {
  let last;
  endInstances();
  limit.most = most;
  try {
    for (let tries = 0; tries < 3; tries++) {
      const found = await outcome(scenario);
      last = found;
      if (limit.instances.length > 0 && !/the test has ended/.test(found.error?.message)) return found;
    }
  } finally {
    limit.most = undefined;
  }
  return assert.fail(`no instance is made: ${last.error?.stack}`);
}

/**
 * Runs `scenario` in less memory than it needs. `step`: pages between two tries, unless all are requested. `after`: called
 * after each failure, and after the load that follows.
 */
async function sweep(scenario, step, after = async () => {}) {
  const { answer: expected, error } = await inNewInstance(scenario);
  assert.ifError(error);
  const [{ initial = 64 }] = limit.instances;
  const peak = Math.max(...limit.instances.map(({ memory }) => memory.buffer.byteLength / PAGE));
  const counts = { instance: 0, call: 0, enough: 0 };
  for (let most = initial; most < peak; most += all ? 1 : step) {
    const where = `${most} of ${peak} pages`;
    const first = await inNewInstance(scenario, most);
    if (first.error) assert.equal(first.error.code, "out_of_memory", `${where}: ${first.error.stack}`);
    else assert.deepEqual(first.answer, expected, where);
    await after(first.error, where);
    // if the instance was abandoned, the next one has the memory
    const [{ memory }] = limit.instances;
    const second = await outcome(scenario);
    const isGone = limit.instances.some((instance) => instance.memory !== memory);
    if (first.error && isGone) counts.instance++;
    else counts[first.error ? "call" : "enough"]++;
    if (second.error && !isGone) {
      assert.equal(second.error.code, "out_of_memory", `${where}, the same again: ${second.error.stack}`);
      assert.deepEqual(await inNewInstance(scenario), { answer: expected }, where);
    } else assert.deepEqual(second, { answer: expected }, `${where}, the next load`);
    await after(undefined, where);
  }
  assert.ok(counts.instance + counts.call > 0, "memory that does not suffice");
  console.log(`${initial} to ${peak} pages: ${JSON.stringify(counts)}`);
}

/** Texts of a long call, then one that needs little: it works if the long one was rejected and the model still exists. */
async function longAndShort(pipe, long, short) {
  try {
    return await pipe(long);
  } catch (error) {
    const next = await outcome(() => pipe(short));
    if (next.error) assert.equal(next.error.code, "out_of_memory", next.error.stack);
    throw error;
  }
}

const model = (name) => join(goldens, "models", name);
const fillMask = (options) => async () =>
  using(await pipeline("fill-mask", model("bert-mlm"), { ...CPU, ...options }), (fill) => fill("the [MASK] of"));
const tokens = (text) => async () => {
  const ids = (await AutoTokenizer.from_pretrained(env.defaultModels["fill-mask"])).encode(text);
  return [ids.length, ids.slice(0, 5), ids.slice(-5)];
};

test("filling and searching an index", async () => {
  const documents = Array.from({ length: 500 }, (_, id) => ({ id, text: `the text of document ${id} `.repeat(4) }));
  // the embedding model has its memory
  const { length } = readFileSync(join(dist, "webert_search.wasm"));
  limit.affects = (bytes) => bytes.length === length;
  const embed = await pipeline("feature-extraction", join(goldens, "sentence-transformers/mean-sqrt-len"), CPU);
  const body = async (index) => {
    await index.add(documents);
    return index.search("text of", { top_k: 3 });
  };
  const scenario = async () => using(await createIndex({ model: embed }), body);
  await sweep(scenario, 1);
  await embed.dispose();
  limit.affects = () => true;
  limit.instances.push(...limit.others.splice(0));
});

test("a load and a call", () => sweep(fillMask(), 1));

test("a load and a call in two threads", () => sweep(fillMask({ threads: 2 }), 1));

test("a load and a call with the default number of threads", () => sweep(fillMask({ threads: 0 }), 12));

test("a long text, then a short one", () => {
  const long = "the word of ".repeat(10_000);
  const body = (classify) => longAndShort(classify, long, "the word");
  return sweep(async () => using(await pipeline("text-classification", model("bert-seqcls-3"), CPU), body), 9);
});

test("a tokenizer alone", () => sweep(tokens("a text of words"), 9));

test("a tokenizer alone, with a text of 3 MB", () => sweep(tokens("a text of words ".repeat(200_000)), 65));

test("training steps", async () => {
  const { train_rows, train_args } = JSON.parse(await readFile(join(goldens, "training/rows/rows.json"), "utf8"));
  await sweep(async () => {
    const trainer = await Trainer.from_pretrained("text-classification", join(goldens, "training/rows"), {
      device: "wasm",
      threads: 1,
    });
    return using(trainer, async () => {
      const { training_loss, global_step } = await trainer.train(train_rows, { ...train_args, max_length: 24 });
      return { training_loss, global_step };
    });
  }, 2);
});

test("training a tokenizer", () => {
  const texts = Array.from({ length: 3000 }, (_, n) => `word${n} of text ${n * 7919}`);
  return sweep(async () => {
    const { files } = await trainTokenizer(texts, { vocab_size: 2000 });
    return Promise.all(Object.values(files).map((file) => new Response(file).text()));
  }, 15);
});

test("keeps complete downloads only", async () => {
  const files = new Map();
  for (const name of ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"])
    files.set(name, await readFile(join(model("bert-mlm"), name)));
  const server = createServer(({ url }, response) => {
    const body = files.get(url.split("/").pop());
    if (!body) return response.writeHead(404).end();
    return response.writeHead(200, { "content-length": body.length, etag: '"1"' }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { cacheDir, remoteHost } = env;
  const dir = await mkdtemp(join(tmpdir(), "webert-memory-"));
  let folders = 0;
  Object.assign(env, { cacheDir: join(dir, "0"), remoteHost: `http://127.0.0.1:${server.address().port}/` });
  const load = (options) => async () =>
    using(await pipeline("fill-mask", "me/model", { ...CPU, ...options }), (fill) => fill("the [MASK] of"));
  /** Checks that all kept files are complete, and returns their names. */
  const kept = async (where) => {
    const names = [];
    for (const path of await readdir(env.cacheDir, { recursive: true }).catch(() => [])) {
      const file = join(env.cacheDir, path);
      const name = path.split("/").pop();
      if (statSync(file).isDirectory() || name.endsWith(".facts.json")) continue;
      assert.ok(files.has(name), `${where}: ${name} is left`);
      assert.ok(files.get(name).equals(await readFile(file)), `${where}: ${name} is kept half`);
      names.push(name);
    }
    return names.sort();
  };
  const after = async (error, where) => {
    await kept(where);
    if (error) return;
    const { answer } = await outcome(load());
    assert.deepEqual(await kept(where), [...files.keys()].sort(), where);
    assert.deepEqual((await outcome(load({ local_files_only: true }))).answer, answer);
    env.cacheDir = join(dir, String(++folders));
  };
  try {
    await sweep(load(), 1, after);
  } finally {
    Object.assign(env, { cacheDir, remoteHost });
    server.close();
    await rm(dir, { recursive: true });
  }
});

if (all)
  for (const dtype of ["q8", "fp32"])
    test(`the package's own model in ${dtype}`, async () => {
      const body = (fill) => fill("Paris is the [MASK] of France.");
      await sweep(async () => using(await pipeline("fill-mask", undefined, { ...CPU, dtype }), body), 1);
    });

/** In the page: loads a model and calls it, then again with normal memory. */
async function loadTwice(options) {
  const { pipeline, WebertError } = await import("/dist/index.js");
  const run = async () => {
    try {
      const fill = await pipeline("fill-mask", "/tests/goldens/models/bert-mlm/", options);
      const answer = await fill("the [MASK] of");
      await fill.dispose();
      return JSON.stringify(answer);
    } catch (error) {
      return error instanceof WebertError ? error.code : String(error);
    }
  };
  const first = await run();
  await globalThis.memoryIsThere();
  return [first, await run()];
}

for (const [what, options, tries] of [
  ["a Worker", { worker: true, threads: 1 }, [18, 22]],
  ["the page's thread", { worker: false, threads: 1 }, [20]],
  ["a Worker with two threads", { worker: true, threads: 2 }, [64, 72]],
])
  test(`Chromium: ${what}`, async () => {
    let expected; // with unlimited memory; relaxed SIMD rounds differently
    for (const most of [65536, ...tries]) {
      let isLimited = true;
      const prepare = async (page) => {
        await page.exposeFunction("memoryIsThere", () => {
          isLimited = false;
        });
        await page.route(/\.wasm$/, async (route) => {
          const bytes = await readFile(join(dist, new URL(route.request().url()).pathname.split("/").pop()));
          const { patched } = withMost(bytes, isLimited ? most : 65536);
          await route.fulfill({ contentType: "application/wasm", body: Buffer.from(patched) });
        });
        // the script makes the memory for threads
        await page.route(/\/worker\.js$/, async (route) => {
          const response = await route.fetch();
          const less = `{ const { Memory } = WebAssembly; WebAssembly.Memory = function (of) { return new Memory({ ...of, maximum: ${most} }); }; }`;
          await route.fulfill({ response, body: `${isLimited ? less : ""}${await response.text()}` });
        });
      };
      await withPage({ path: blank, allowErrors: true, prepare }, async (page) => {
        const run = page.evaluate(`(${loadTwice})(${JSON.stringify({ ...CPU, ...options })})`);
        const never = new Promise((done) => setTimeout(done, NEVER * 1000, ["never settled"]).unref());
        const found = await Promise.race([run, never]);
        expected ??= found[0];
        assert.match(expected, /token_str/);
        assert.deepEqual(found, [most < 65536 ? "out_of_memory" : expected, expected], `${most} pages`);
      });
    }
  });
