// Strategies of filling several masks, scores of texts and answers layer by layer, through the public API over the built package.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { pipeline, WebertError } from "../dist/node.js";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens");
const rows = async (name) => JSON.parse(await readFile(join(goldens, "fill", `${name}.json`), "utf8"));

const opened = new Map();
after(() => Promise.all([...opened.values()].map((pipe) => pipe.dispose())));
async function load(name) {
  const pipe = opened.get(name) ?? (await pipeline("fill-mask", join(goldens, "models", name), { dtype: "fp32" }));
  opened.set(name, pipe);
  return pipe;
}

const near = (got, want, what) =>
  assert.ok(Math.abs(got - want) <= 1e-4 * Math.max(1, Math.abs(want)), `${what}: ${got}`);
const listed = (masks) => (Array.isArray(masks[0]) ? masks : [masks]);

const TEXT = "a [MASK] student [MASK] the [MASK] near [MASK] [MASK] !";

test("strategies fill like the references, step by step", async () => {
  for (const { model, text, strategy, options, masks, steps, tokens, sequence } of await rows("runs")) {
    const unmask = await load(model);
    const told = [];
    const filled = listed(await unmask(text, { strategy, ...options, callback: (step) => told.push(step) }));
    const what = `${strategy} ${JSON.stringify(options)} ${text}`;
    assert.deepEqual(
      filled.map(([{ token }]) => token),
      tokens,
      what,
    );
    for (const [one] of filled) assert.equal(one.sequence, sequence, what);
    assert.equal(told.length, steps.length, what);
    for (const [n, step] of steps.entries()) {
      const { filled, ...rest } = told[n];
      assert.deepEqual([rest.input, rest.step, rest.num_steps], [0, n + 1, steps.length], what);
      assert.deepEqual(
        filled.map(({ mask, token }) => [masks[mask], token]),
        step.filled.map((place) => [place, step.ids[place]]),
        what,
      );
      filled.forEach(({ score }, i) => near(score, step.probabilities[i], what));
      assert.equal(rest.sequence, unmask.tokenizer.decode(step.ids.slice(1, -1)), what);
    }
    assert.equal(filled[0][0].token_str, unmask.tokenizer.decode([tokens[0]]));
  }
});

test("returns one list for one mask, and one result per text", async () => {
  const unmask = await load("bert-mlm");
  const [independent] = await unmask("the coffee was [MASK]", { top_k: 1 });
  const inputs = [];
  const callback = ({ input }) => inputs.push(input);
  const [one, many] = await unmask(["the coffee was [MASK]", TEXT], { strategy: "left-to-right", callback });
  assert.deepEqual(one, [independent]);
  assert.equal(many.length, 5);
  assert.deepEqual(inputs, [0, 1, 1, 1, 1, 1]);
  assert.deepEqual(await unmask(TEXT, { strategy: "independent" }), await unmask(TEXT));
});

test("Gibbs sampling depends on seed, temperature and top_k", async () => {
  const unmask = await load("bert-mlm");
  const draw = (options) => unmask(TEXT, { strategy: "gibbs", num_steps: 2, ...options });
  const steps = [];
  const first = await draw({ seed: 7, callback: (step) => steps.push(step) });
  assert.deepEqual(await draw({ seed: 7 }), first);
  assert.notDeepEqual(await draw({ seed: 8 }), first);
  assert.equal(steps.length, 10);
  for (const sweep of [steps.slice(0, 5), steps.slice(5)])
    assert.deepEqual(sweep.map(({ filled }) => filled[0].mask).sort(), [0, 1, 2, 3, 4], "each mask once");
  // At a temperature near 0, or with one candidate, the best token is drawn for any seed.
  const [best] = await unmask("the coffee was [MASK]", { top_k: 1 });
  for (const options of [{ temperature: 1e-4 }, { top_k: 1 }])
    for (let seed = 0; seed < 5; seed++)
      assert.deepEqual(await unmask("the coffee was [MASK]", { strategy: "gibbs", seed, ...options }), [best]);
  // Each of two candidates is drawn in proportion to its probability.
  const two = (await unmask("the coffee was [MASK]", { top_k: 2 })).map(({ score }) => score);
  const counts = [0, 0];
  const count = ({ filled }) => counts[filled[0].score === two[0] ? 0 : 1]++;
  await unmask("the coffee was [MASK]", { strategy: "gibbs", top_k: 2, seed: 1, num_steps: 400, callback: count });
  const share = two[0] / (two[0] + two[1]);
  assert.ok(Math.abs(counts[0] / 400 - share) < 4 * Math.sqrt((share * (1 - share)) / 400), `${counts} of ${share}`);
});

test("scores of texts are pseudo-log-likelihoods", async () => {
  const all = await rows("scores");
  for (const { model, text, score, pseudo_perplexity, tokens } of all) {
    const got = await (await load(model)).score(text);
    near(got.score, score, text);
    near(got.pseudo_perplexity, pseudo_perplexity, text);
    assert.deepEqual(
      got.tokens.map(({ token, token_str, start, end }) => [token, token_str, start, end]),
      tokens.map(({ id, token_str, start_utf16, end_utf16 }) => [id, token_str, start_utf16, end_utf16]),
    );
    got.tokens.forEach((token, n) => near(token.score, tokens[n].score, text));
  }
  const unmask = await load("bert-mlm");
  const texts = all.filter(({ model }) => model === "bert-mlm").map(({ text }) => text);
  const together = await unmask.score(texts.slice(0, 2));
  assert.deepEqual(together, [await unmask.score(texts[0]), await unmask.score(texts[1])]);
});

test("a lens returns the answers of each layer, the last equal to the model's", async () => {
  const unmask = await load("bert-mlm");
  const layers = await unmask.lens(TEXT, { top_k: 3 });
  const { num_hidden_layers } = unmask.model.config;
  assert.deepEqual(
    layers.map(({ layer }) => layer),
    Array.from({ length: num_hidden_layers + 1 }, (_, n) => n),
  );
  const last = await unmask(TEXT, { top_k: 3 });
  for (const [m, answers] of layers.at(-1).masks.entries())
    for (const [n, { token, score }] of answers.entries()) {
      assert.equal(token, last[m][n].token);
      near(score, last[m][n].score, "the last layer");
    }
  assert.notDeepEqual(layers[0].masks, layers.at(-1).masks);
  assert.equal((await unmask.lens("the coffee was [MASK]"))[0].masks[0].length, 5);
});

test("names bad input; a signal or a callback ends a call", async () => {
  const unmask = await load("bert-mlm");
  const ask = (options, text = TEXT) => unmask(text, options);
  await fails(
    ask({ strategy: "beam" }),
    "bad_input",
    /strategy: expected one of independent, left-to-right.*got "beam"/,
  );
  await fails(ask({ strategy: 3 }), "bad_input", /strategy: expected one of .*got 3/);
  await fails(
    ask({ strategy: "gibbs", num_steps: 0 }),
    "bad_input",
    /num_steps: expected a whole number of at least 1, got 0/,
  );
  await fails(ask({ strategy: "mask-predict", num_steps: 1.5 }), "bad_input", /num_steps/);
  await fails(ask({ strategy: "gibbs", temperature: 0 }), "bad_input", /temperature: expected a number above 0, got 0/);
  await fails(ask({ strategy: "gibbs", top_k: 0 }), "bad_input", /top_k: expected at least 1/);
  await fails(ask({ strategy: "gibbs", seed: 0.5 }), "bad_input", /seed: expected a whole number/);
  await fails(ask({ strategy: "left-to-right", top_k: 3 }), "bad_input", /"left-to-right": unsupported option "top_k"/);
  await fails(ask({ strategy: "gibbs", targets: ["a"] }), "bad_input", /"gibbs": unsupported option "targets"/);
  await fails(ask({ strategy: "gibbs" }, "none"), "bad_input", /no \[MASK\] in "none"/);
  const long = `${"the coffee ".repeat(60)}[MASK]`;
  await fails(ask({ strategy: "gibbs" }, long), "bad_input", /at most 64 tokens/);
  await fails(unmask.score(TEXT), "bad_input", /expected a text without \[MASK\]/);
  await fails(unmask.score(""), "bad_input", /at least one token/);
  await fails(unmask.score(3), "bad_input", /text: expected a string, got number/);
  await fails(unmask.score(long.slice(0, -6)), "bad_input", /at most 64 tokens/);
  await fails(unmask.lens("none"), "bad_input", /no \[MASK\]/);
  await fails(unmask.lens([TEXT]), "bad_input", /text: expected a string, got an array/);
  const stop = new AbortController();
  const callback = ({ step }) => step === 2 && stop.abort();
  await fails(ask({ strategy: "gibbs", signal: stop.signal, callback }), "aborted", /./);
  const thrown = new WebertError("unsupported", "enough");
  await fails(ask({ strategy: "gibbs", callback: async () => Promise.reject(thrown) }), "unsupported", /enough/);
  assert.equal((await ask({ strategy: "left-to-right" })).length, 5, "the pipeline stays usable");
});
