// What each token adds to an answer, through the public API over the built package: values equal to captum's, whole pipelines, faults.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { pipeline, Trainer } from "../dist/node.js";
import { fails } from "./fails.mjs";

const goldens = join(import.meta.dirname, "goldens");
const cli = new URL("../dist/cli.js", import.meta.url).pathname;
const rows = JSON.parse(await readFile(join(goldens, "explain", "attributions.json"), "utf8"));
const CPU = { device: "wasm", threads: 1 };

const run = (...args) => promisify(execFile)(process.execPath, [cli, ...args, "--device", "wasm", "--threads", "1"]);
const opened = new Map();
after(async () => {
  for (const pipe of opened.values()) await (await pipe).dispose();
});
async function load(task, name) {
  const key = `${task} ${name}`;
  if (!opened.has(key)) opened.set(key, pipeline(task, name && join(goldens, "models", name), CPU));
  return opened.get(key);
}

const near = (got, want, bound, what) => assert.ok(Math.abs(got - want) <= bound, `${what}: ${got}, expected ${want}`);
const textsOf = ({ task, input }) =>
  task === "question-answering" ? input : [Array.isArray(input) ? { text: input[0], text_pair: input[1] } : input];
/** Options as the public API has them: the golden's answer is named by its tokens. */
const optionsOf = ({ options: { start, end, ...options }, offsets }) =>
  start === undefined ? options : { ...options, target: { start: offsets[start][0], end: offsets[end][1] } };

for (const [n, row] of rows.entries()) {
  test(`attributions are captum's: ${n}, ${row.task} by ${row.model}`, async () => {
    const pipe = await load(row.task, row.model);
    for (const method of ["integrated_gradients", "gradient_x_input"]) {
      const expected = row[method];
      const most = Math.max(...expected.map(Math.abs));
      const found = await pipe.explain(...textsOf(row), { ...optionsOf(row), method });
      assert.deepEqual(
        found.tokens.map(({ token }) => token),
        row.tokens,
      );
      for (const [i, { attribution, token, token_str, sequence_id, start, end }] of found.tokens.entries()) {
        near(attribution, expected[i], 1e-3 * most, `${method}, token ${i}`);
        assert.equal(token_str, pipe.tokenizer.convert_ids_to_tokens(token));
        if (sequence_id !== null) assert.deepEqual([start, end], row.offsets[i], `token ${i}`);
      }
      near(found.score, row.score, 1e-4 * Math.max(1, Math.abs(row.score)), "score");
      if (method === "gradient_x_input") {
        assert.equal(found.completeness_error, undefined);
        continue;
      }
      const difference = row.score - row.baseline_score;
      near(found.baseline_score, row.baseline_score, 1e-4 * Math.max(1, Math.abs(row.baseline_score)), "baseline");
      near(found.convergence_delta, row.convergence_delta, 1e-3 * Math.abs(difference), "delta");
      near(found.completeness_error, Math.abs(row.convergence_delta / difference), 1e-3, "completeness");
      for (const { attribution, sequence_id } of found.tokens)
        if (sequence_id === null) assert.equal(attribution, 0, "special tokens equal the baseline");
    }
  });
}

/** Texts to explain with the package's own models, and a token that carries the answer. */
const TEXTS = [
  ["text-classification", undefined, "The food was wonderful and the staff were kind.", "wonderful"],
  ["text-classification", undefined, "I waited an hour and the soup was cold and terrible 🙁.", "terrible"],
  ["text-classification", "../../../models/minilm-topic", "The team won the final match in the last minute.", "team"],
  ["fill-mask", undefined, "Paris is the [MASK] of France.", "france"],
];

for (const [task, model, text, word] of TEXTS) {
  test(`attributions of 32 steps add up to the score within 1 %: ${text}`, async () => {
    const pipe = await load(task, model);
    const steps = [];
    const found = await pipe.explain(text, { callback: (step) => steps.push(step) });
    const share = found.completeness_error;
    assert.ok(share <= 0.01, `${share} of ${found.score} - ${found.baseline_score}`);
    const sum = found.tokens.reduce((sum, { attribution }) => sum + attribution, 0);
    near(sum - (found.score - found.baseline_score), found.convergence_delta, 1e-3, "delta");
    const best = [...found.tokens].sort((a, b) => b.attribution - a.attribution).slice(0, 3);
    const words = best.map(({ token_str }) => token_str);
    assert.ok(words.includes(word), words.join());
    for (const { sequence_id, start, end, token_str } of found.tokens) {
      const piece = token_str === "[UNK]" ? "🙁" : token_str.replace(/^##/, "");
      if (sequence_id === 0) assert.equal(text.slice(start, end).toLowerCase(), piece.toLowerCase());
    }
    const [answer] = await pipe(text, { top_k: 1 });
    for (const [name, value] of Object.entries(found.target)) assert.equal(value, answer[name], name);
    assert.deepEqual(steps[0], { input: 0, step: 0, n_steps: 32 });
    assert.deepEqual(steps.at(-1), { input: 0, step: 32, n_steps: 32 });
  });
}

test("returns one explanation per text of an array; fewer steps are less exact", async () => {
  const pipe = await load("text-classification", "distilbert-seqcls");
  const texts = ["the coffee was very good", { text: "the old house", text_pair: "near the bridge" }];
  const inputs = [];
  const both = await pipe.explain(texts, { n_steps: 4, callback: ({ input }) => inputs.push(input) });
  assert.equal(both.length, 2);
  assert.deepEqual(both[1], await pipe.explain(texts[1], { n_steps: 4 }));
  assert.deepEqual([...new Set(inputs)], [0, 1]);
  assert.ok(both[1].tokens.some(({ sequence_id }) => sequence_id === 1));
  const [few, many] = [both[0], await pipe.explain(texts[0], { n_steps: 200 })];
  assert.ok(many.completeness_error < few.completeness_error, `${many.completeness_error}, ${few.completeness_error}`);
});

test("explains weights in training without a second load", async () => {
  const folder = join(goldens, "training", "rows");
  const trainer = await Trainer.from_pretrained("text-classification", folder, CPU);
  const { train_rows } = JSON.parse(await readFile(join(folder, "rows.json"), "utf8"));
  const classify = await trainer.pipeline();
  const target = 0;
  const before = await classify.explain(train_rows[0].text, { target });
  const during = [];
  const callback = async () => during.push(await classify.explain(train_rows[0].text, { target, n_steps: 8 }));
  await trainer.train(train_rows, { max_steps: 2, callback });
  const after = await classify.explain(train_rows[0].text, { target });
  assert.equal(during.length, 2);
  assert.notEqual(after.score, before.score);
  near(during[1].score, after.score, 1e-5, "after the last step");
  await trainer.dispose();
  await fails(classify.explain("a text"), "disposed", /disposed of/);
});

test("rejects targets that cannot be explained and leaves the pipeline usable", async () => {
  const pipe = await load("text-classification", "bert-seqcls-3");
  const text = "the coffee was very good";
  const { score } = await pipe.explain(text, { target: "neutral" });
  for (const [options, message] of [
    [
      { target: "glad" },
      /target: expected a label or its index, got "glad"\. The labels are negative, neutral, positive\./,
    ],
    [{ target: [1] }, /target is a name, an index, or an object of start and end/],
    [{ n_steps: 0 }, /n_steps: expected 1 to 1000, got 0/],
    [{ method: "saliency" }, /method is .*integrated_gradients.*gradient_x_input.*saliency/],
    [{ steps: 3 }, /explain: unknown option `steps`: did you mean `n_steps`\?/],
    [{ index: 3 }, /explain: unknown option `index`/],
    [{ callback: 1 }, /callback: expected a function, got number/],
  ])
    await fails(pipe.explain(text, options), "bad_input", message);
  await fails(pipe.explain(3), "bad_input", /text 1 is number, not a string/);
  const embed = await load("feature-extraction", "bert-mlm");
  await fails(embed.explain("a text"), "unsupported", /explain: expected one of the tasks .*got feature-extraction/);
  const controller = new AbortController();
  const callback = () => controller.abort();
  await fails(pipe.explain(text, { callback, signal: controller.signal }), "aborted", /aborted/);
  const thrown = () => {
    throw new Error("enough");
  };
  await fails(pipe.explain(text, { callback: thrown }), "bad_input", /enough/);
  assert.equal((await pipe.explain(text, { target: "neutral" })).score, score);
});

test("dispose ends running explanations and rejects later ones", async () => {
  for (const isUsed of [false, true]) {
    const pipe = await pipeline("text-classification", join(goldens, "models", "bert-seqcls-3"), CPU);
    if (isUsed) await pipe.explain("the coffee");
    const long = isUsed
      ? pipe.explain("the coffee ".repeat(50), { n_steps: 1000 }).catch(({ code }) => code)
      : "disposed";
    await pipe.dispose();
    assert.equal(await long, "disposed");
    await fails(pipe.explain("the coffee"), "disposed", /disposed of/);
  }
});

test("the command line explains", async () => {
  const model = join(goldens, "models", "bert-qa");
  const words = [
    "question-answering",
    model,
    "where is the piano ?",
    "the piano is near the window of the old house .",
  ];
  const { stdout } = await run(
    "explain",
    ...words,
    "--target",
    '{"start": 10, "end": 21}',
    "--method",
    "gradient_x_input",
  );
  const { target, tokens, baseline_score } = JSON.parse(stdout);
  assert.deepEqual(target, { answer: "is near the", start: 10, end: 21 });
  assert.equal(tokens.length, rows.find(({ task }) => task === "question-answering").tokens.length);
  assert.equal(baseline_score, undefined);
  await assert.rejects(run("explain"), ({ code, stderr }) => code === 2 && /usage: webert explain TASK/.test(stderr));
  await assert.rejects(
    run("explain", "copy", "x"),
    ({ code, stderr }) => code === 2 && /expected a task, got "copy"/.test(stderr),
  );
});
