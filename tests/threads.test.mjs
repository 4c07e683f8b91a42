// Threads in Node and in Chromium, with isolation and without: the same results, and no thread left behind.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test as plainTest } from "node:test";
import { promisify } from "node:util";
import { pipeline } from "../dist/node.js";
import { blank, withPage } from "./browser.mjs";

/** Time limit: waiting for a thread that never starts is one of the tested failures. */
const test = (name, body) => plainTest(name, { timeout: 120_000 }, body);
const texts = [
  "One thread or many, the numbers are the same.",
  "short",
  "A third text, which is there so that there are three.",
];
const embed = (threads, options) => pipeline("feature-extraction", undefined, { threads, device: "wasm", ...options });
const numbers = async (run) => [...(await run(texts, { pooling: "mean" })).data];
const fails = (promise, code, pattern) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, pattern);
    return true;
  });

/** The number of threads that Node has started, and how many are left. */
const workers = { started: 0, left: 0 };
process.on("worker", (worker) => {
  workers.started++;
  workers.left++;
  worker.once("exit", () => workers.left--);
});

/** Waits for the last of them to end. */
async function allGone() {
  for (let wait = 0; wait < 200 && workers.left > 0; wait++) await new Promise((later) => setTimeout(later, 50));
  assert.equal(workers.left, 0);
}

test("Node: returns the same bits with any number of threads, and no thread outlives its model", async () => {
  const alone = await embed(1);
  assert.equal(alone.info.threads, 1);
  assert.equal(workers.started, 0);
  const want = await numbers(alone);
  await alone.dispose();
  for (const threads of [2, 5, 3]) {
    const shared = await embed(threads);
    assert.equal(shared.info.threads, threads);
    assert.equal(workers.left, threads - 1);
    assert.deepEqual(await numbers(shared), want, `${threads} threads`);
    await shared.dispose();
  }
  const chosen = await embed(0);
  assert.ok(chosen.info.threads >= 1);
  assert.deepEqual(await numbers(chosen), want, `${chosen.info.threads} threads, by choice`);
  await chosen.dispose();
  const again = await embed(2); // waits for the threads that are ending
  assert.equal(workers.left, 1);
  await again.dispose();
  await allGone();
});

test("Node: two models share their threads until the last is disposed of", async () => {
  const before = workers.started;
  const [two, three] = await Promise.all([embed(2), embed(3)]);
  assert.equal(workers.started - before, 2);
  assert.deepEqual([two.info.threads, three.info.threads], [2, 3]);
  const [a, b] = await Promise.all([numbers(two), numbers(three)]);
  assert.deepEqual(a, b);
  await three.dispose();
  assert.deepEqual(await numbers(two), a);
  assert.equal(workers.left, 2);
  await two.dispose();
  await allGone();
});

test("Node: a call can be aborted, and the next one works", async () => {
  const run = await embed(2);
  const want = await numbers(run);
  const controller = new AbortController();
  const long = run(Array(2000).fill(texts[0]), { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await fails(long, "aborted", /abort/);
  assert.deepEqual(await numbers(run), want);
  await run.dispose();
});

test("Node: aborting a load leaves no thread", async () => {
  const controller = new AbortController();
  const load = embed(3, { signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await fails(load, "aborted", /abort/);
  await new Promise((later) => setTimeout(later, 200)); // some are only starting now
  await allGone();
});

test("Node: idle threads cost nothing and let the process end", async () => {
  const program = `
    import { pipeline } from ${JSON.stringify(new URL("../dist/node.js", import.meta.url).href)};
    const run = await pipeline("feature-extraction", undefined, { threads: 2, device: "wasm" });
    await run("a text");
    await new Promise((later) => setTimeout(later, 100));
    const before = process.cpuUsage();
    await new Promise((later) => setTimeout(later, 500));
    const { user, system } = process.cpuUsage(before);
    console.log(JSON.stringify({ threads: run.info.threads, ms: (user + system) / 1000 }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    timeout: 60_000,
  });
  const { threads, ms } = JSON.parse(stdout);
  assert.equal(threads, 2);
  assert.ok(ms < 100, `500 ms of rest took ${ms} ms of the processor`);
});

test("rejects invalid numbers of threads", async () => {
  for (const threads of [-1, 1.5, 33, "2"]) await fails(embed(threads), "bad_input", /threads is/);
});

/**
 * Embeds the texts in a page and returns the result of `body` for `embed(options)`, a pipeline, and `numbers(pipeline)`. */
const inPage = (page, body, ...args) =>
  page.evaluate(
    async ([body, texts, args]) => {
      const { pipeline } = await import("/dist/index.js");
      const embed = (options) => pipeline("feature-extraction", undefined, { device: "wasm", ...options });
      const numbers = async (run) => [...(await run(texts, { pooling: "mean" })).data];
      return new Function("embed", "numbers", "args", `return (${body})(embed, numbers, ...args)`)(
        embed,
        numbers,
        args,
      );
    },
    [String(body), texts, args],
  );

/** Changes the headers of a page before it loads. */
const withHeaders = (change) => (page) =>
  page.route("**/*", async (route) => {
    const response = await route.fetch().catch(() => null); // null: the page was closed meanwhile
    await (response && route.fulfill({ response, headers: { ...response.headers(), ...change } }));
  });
const notIsolated = withHeaders({
  "cross-origin-opener-policy": "unsafe-none",
  "cross-origin-embedder-policy": "unsafe-none",
});

for (const worker of [true, false]) {
  test(`Chromium, isolated, worker: ${worker}: the same bits with two threads as with one`, async () => {
    await withPage({ path: blank, allowErrors: true }, async (page) => {
      const [alone, shared, threads] = await inPage(
        page,
        async (embed, numbers, worker) => {
          const [one, two] = [await embed({ worker, threads: 1 }), await embed({ worker, threads: 2 })];
          const all = [await numbers(one), await numbers(two), [one.info.threads, two.info.threads]];
          await Promise.all([one.dispose(), two.dispose()]);
          return all;
        },
        worker,
      );
      assert.deepEqual(threads, [1, 2]);
      assert.deepEqual(shared, alone);
    });
  });

  test(`Chromium, isolated, worker: ${worker}: two pipelines at once, a call aborted, then all disposed of`, async () => {
    await withPage({ path: blank, allowErrors: true }, async (page) => {
      const result = await inPage(
        page,
        async (embed, numbers, worker) => {
          const [a, b] = await Promise.all([embed({ worker, threads: 2 }), embed({ worker, threads: 3 })]);
          const [first, second] = await Promise.all([numbers(a), numbers(b)]);
          const controller = new AbortController();
          const long = a(Array(2000).fill("some text of some length"), { signal: controller.signal });
          setTimeout(() => controller.abort(), 20);
          const code = await long.catch((error) => error.code);
          const third = await numbers(a);
          await a.dispose();
          const fourth = await numbers(b);
          await b.dispose();
          const again = await embed({ worker, threads: 2 });
          const fifth = await numbers(again);
          await again.dispose();
          return { code, all: [first, second, third, fourth, fifth].map(String) };
        },
        worker,
      );
      assert.equal(result.code, "aborted");
      assert.equal(new Set(result.all).size, 1);
    });
  });
}

/** Counts the Workers of a page; with a model in the page's thread they are its helper threads. */
async function workersOf(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  return async () =>
    (await session.send("Target.getTargets")).targetInfos.filter(
      ({ type, url }) => type === "worker" && /worker\.js/.test(url),
    ).length;
}

/** If `globalThis.trial` is set, it replaces a trial's run in every instance of a page. Exports of an instance cannot be changed directly. */
const ownTrials = (page) =>
  page.addInitScript(() => {
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (module, imports) => {
      const instance = await instantiate.call(WebAssembly, module, imports);
      const threadsOf = new Map();
      const trial_new = (threads, int8) => {
        const made = instance.exports.trial_new(threads, int8);
        threadsOf.set([made].flat()[0], threads);
        return made;
      };
      const trial_run = (trial, times) =>
        globalThis.trial ? globalThis.trial(threadsOf.get(trial), times) : instance.exports.trial_run(trial, times);
      return { module, instance: { exports: { ...instance.exports, trial_new, trial_run } } };
    };
  });

/** The number of threads once it is zero, or after five seconds. */
async function settled(workers) {
  for (let wait = 0; wait < 50 && (await workers()) > 0; wait++) await new Promise((later) => setTimeout(later, 100));
  return workers();
}

test("Chromium, isolated: no thread outlives dispose()", async () => {
  await withPage({ path: blank, allowErrors: true }, async (page) => {
    const workers = await workersOf(page);
    for (const worker of [true, false]) {
      await inPage(
        page,
        async (embed, numbers, worker) => {
          globalThis.run = await embed({ worker, threads: 3 });
        },
        worker,
      );
      assert.equal(await workers(), worker ? 3 : 2, `worker: ${worker}`); // including the model's own
      await page.evaluate(() => globalThis.run.dispose());
      assert.equal(await settled(workers), 0, `worker: ${worker}`);
    }
  });
});

/** Two threads of a page, and trials of its own. */
const twoCores = async (page) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "hardwareConcurrency", { value: 2 }));
  await ownTrials(page);
};

test("Chromium, isolated: a trial continues until the code is fully compiled, and uses more threads if they gain", async () => {
  await withPage({ path: blank, allowErrors: true, prepare: twoCores }, async (page) => {
    const threads = await inPage(page, async (embed) => {
      const found = [];
      for (const [few, more] of [
        [2, 1],
        [2, 2],
      ]) {
        let turn = 0;
        globalThis.trial = () => {
          const pair = turn++ >> 1;
          const end = performance.now() + (pair < 6 ? 4 : turn % 2 === 1 ? few : more);
          while (performance.now() < end);
        };
        const run = await embed({ worker: false, threads: 0 });
        found.push(run.info.threads);
        await run.dispose();
      }
      return found;
    });
    assert.deepEqual(threads, [2, 1]);
  });
});

test("Chromium, isolated: a trial is long enough for a thread that has to wake up", async () => {
  await withPage({ path: blank, allowErrors: true, prepare: twoCores }, async (page) => {
    const threads = await inPage(page, async (embed) => {
      let turn = 0;
      globalThis.trial = (_, times) => {
        const end = performance.now() + (turn++ % 2 === 0 ? 0.05 * times : 0.2 + 0.025 * times);
        while (performance.now() < end);
      };
      const run = await embed({ worker: false, threads: 0 });
      const { threads } = run.info;
      await run.dispose();
      return threads;
    });
    assert.equal(threads, 2);
  });
});

test("Chromium, isolated: more than eight threads are used if they gain a quarter, and end if they do not", async () => {
  const manyCores = async (page) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "hardwareConcurrency", { value: 12 }));
    await ownTrials(page);
  };
  await withPage({ path: blank, allowErrors: true, prepare: manyCores }, async (page) => {
    const workers = await workersOf(page);
    // How many times faster each number of threads is in the trial.
    for (const [times, threads, started] of [
      [{ 1: 1, 2: 2, 4: 4, 8: 7, 12: 9 }, 12, 11],
      [{ 1: 1, 2: 2, 4: 4, 8: 7, 12: 7.5 }, 8, 7],
      [{ 1: 1, 2: 2, 4: 4, 8: 4.45, 12: 9 }, 8, 7],
    ]) {
      const found = await inPage(
        page,
        async (embed, numbers, times) => {
          globalThis.trial = (threads) => {
            const end = performance.now() + 8 / times[threads];
            while (performance.now() < end);
          };
          globalThis.run = await embed({ worker: false, threads: 0 });
          globalThis.trial = undefined;
          return globalThis.run.info.threads;
        },
        times,
      );
      assert.equal(found, threads);
      assert.equal(await workers(), started);
      await page.evaluate(() => globalThis.run.dispose());
      assert.equal(await settled(workers), 0);
    }
  });
});

test("Chromium, isolated: threads start again after a load that was aborted during the trial", async () => {
  const eightCores = async (page) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "hardwareConcurrency", { value: 8 }));
    await ownTrials(page);
  };
  await withPage({ path: blank, allowErrors: true, prepare: eightCores }, async (page) => {
    const workers = await workersOf(page);
    const { code, threads } = await inPage(page, async (embed) => {
      // Every second turn of a trial, with more threads, is faster. More threads are therefore started, and the abort arrives during the start.
      let turn = 0;
      globalThis.trial = () => {
        const end = performance.now() + (turn++ % 2 === 0 ? 2 : 1);
        while (performance.now() < end);
      };
      const control = new AbortController();
      const loaded = ({ status, file }) => {
        if (status === "done" && file.endsWith("/model.safetensors")) setTimeout(() => control.abort());
      };
      const { code } = await embed({
        worker: false,
        threads: 0,
        signal: control.signal,
        progress_callback: loaded,
      }).catch((error) => error);
      globalThis.trial = undefined;
      globalThis.run = await embed({ worker: false, threads: 2 });
      return { code, threads: globalThis.run.info.threads };
    });
    assert.equal(code, "aborted");
    assert.equal(threads, 2);
    assert.ok((await workers()) > 0);
    await page.evaluate(() => globalThis.run.dispose());
    assert.equal(await settled(workers), 0);
  });
});

test("Chromium, not isolated: uses one thread; requesting more is an error", async () => {
  await withPage({ path: blank, allowErrors: true, prepare: notIsolated }, async (page) => {
    assert.equal(await page.evaluate(() => globalThis.crossOriginIsolated), false);
    for (const worker of [true, false]) {
      const { threads, code, message } = await inPage(
        page,
        async (embed, numbers, worker) => {
          const run = await embed({ worker, threads: 0 });
          await numbers(run);
          const { threads } = run.info;
          await run.dispose();
          return embed({ worker, threads: 2 }).catch(({ code, message }) => ({ threads, code, message }));
        },
        worker,
      );
      assert.equal(threads, 1);
      assert.equal(code, "unsupported");
      assert.match(message, /Cross-Origin-Opener-Policy.*Cross-Origin-Embedder-Policy/);
    }
  });
});

test("Chromium, isolated but without SharedArrayBuffer: requesting threads is an error that names it", async () => {
  await withPage({ path: blank, allowErrors: true }, async (page) => {
    const { threads, code, message } = await inPage(page, async (embed) => {
      delete globalThis.SharedArrayBuffer;
      const run = await embed({ worker: false, threads: 0 });
      const { threads } = run.info;
      await run.dispose();
      return embed({ worker: false, threads: 2 }).catch(({ code, message }) => ({ threads, code, message }));
    });
    assert.equal(threads, 1);
    assert.equal(code, "unsupported");
    assert.match(message, /no SharedArrayBuffer/);
  });
});

test("Chromium: threads under a strict Content-Security-Policy", async () => {
  const policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";
  await withPage({ path: blank, prepare: withHeaders({ "content-security-policy": policy }) }, async (page) => {
    const threads = await page.evaluate(async () => {
      const { pipeline } = await import("/dist/index.js");
      const run = await pipeline("feature-extraction", undefined, { device: "wasm", threads: 2 });
      await run("a text");
      const { threads } = run.info;
      await run.dispose();
      return threads;
    });
    assert.equal(threads, 2);
  });
});
