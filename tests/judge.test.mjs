// The verdicts and reasons of the page's view Judge, without a browser: www/src/text/judge.ts, swaps.ts and the recorded answers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { pipeline } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { headsOf, record } from "../www/tools/record-judge.mjs";

const { judgeText, nameOf, story, verdictOf, without } = await importTypeScript("www/src/text/judge.ts");
const { alternatives, turns } = await importTypeScript("www/src/text/swaps.ts");
const { judgeOf } = await importTypeScript("www/src/views/judge/judges.ts");
const { partsOf } = await importTypeScript("www/src/views/judge/entities.ts");
const { TRAPS } = await importTypeScript("www/src/views/judge/presets.ts");

const FILM = "I would not call this a bad film.";
const heads = headsOf({ pipeline });
after(() => heads.dispose());

const feeling = { labels: ["negative", "positive"], isProbability: true };

/** A classifier of sentiment that counts words: each "good" and each "not" turns the verdict. */
const counting = (calls = []) => ({
  ...feeling,
  judge: async (texts) => {
    calls.push(texts);
    return texts.map((text) => {
      const isGood = /good/.test(text) !== /not/.test(text);
      return isGood ? [0.1, 0.9] : [0.9, 0.1];
    });
  },
});

test("names no label between 35 and 65 %", () => {
  for (const [positive, name] of [
    [0.2, "negative"],
    [0.35, "negative"],
    [0.36, undefined],
    [0.5, undefined],
    [0.64, undefined],
    [0.65, "positive"],
  ])
    assert.equal(nameOf(verdictOf(feeling, [1 - positive, positive])), name, `${positive}`);
});

test("names no label if no vector is near, or two are equally near", () => {
  const own = { labels: ["a", "b", "c"], isProbability: false };
  assert.equal(nameOf(verdictOf(own, [0.05, 0.02, -0.1])), undefined);
  assert.equal(nameOf(verdictOf(own, [0.4, 0.38, 0])), undefined);
  assert.equal(nameOf(verdictOf(own, [0.1, 0.4, 0])), "b");
});

test("leaves words out without double spaces and stray commas", () => {
  const leave = (text, ...words) =>
    without(
      text,
      words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length })),
    );
  assert.equal(leave("A bad film.", "bad"), "A film.");
  assert.equal(leave("A bad film.", "film"), "A bad.");
  assert.equal(leave("Great, another hour.", "Great"), "another hour.");
  assert.equal(leave("A bad film.", "A", "bad", "film"), ".");
});

test("judges the text and all texts without one word in one call", async () => {
  const calls = [];
  const text = "It is not good.";
  const { verdict, reasons } = await judgeText(counting(calls), text, []);
  assert.equal(calls.length, 1);
  assert.deepEqual(calls[0], [text, "is not good.", "It not good.", "It is good.", "It is not."]);
  assert.equal(nameOf(verdict), "negative");
  assert.deepEqual(
    reasons.map(({ word, fall, without }) => [word, Number(fall.toFixed(2)), without]),
    [
      ["It", 0, "negative"],
      ["is", 0, "negative"],
      ["not", 0.8, "positive"],
      ["good", 0.8, "positive"],
    ],
  );
});

test("leaves struck words out of the text and of the reasons", async () => {
  const calls = [];
  const { reasons } = await judgeText(counting(calls), "It is not good.", [{ start: 6, end: 9 }]);
  assert.equal(calls[0][0], "It is good.");
  assert.deepEqual(
    reasons.map(({ word, start }) => [word, start]),
    [
      ["It", 0],
      ["is", 3],
      ["good", 10],
    ],
  );
  assert.equal(await judgeText(counting(), "good", [{ start: 0, end: 4 }]), undefined);
});

test("tells which words decide", async () => {
  const told = async (text) => story(await judgeText(counting(), text, []));
  assert.equal(await told("It is good."), "Without “good” it would be negative.");
  assert.equal(await told("good good"), "No single word decides: several say the same.");
  const tied = { verdict: verdictOf(feeling, [0.5, 0.5]), reasons: [] };
  assert.equal(story(tied), "", "one word has no story");
});

test("the verdict is the pipeline's, and both words of a double negative carry it", async () => {
  const judge = await judgeOf(heads, "feeling", []);
  const { verdict, reasons } = await judgeText(judge, FILM, []);
  const classify = await heads.sentiment();
  const [best] = await classify(FILM);
  assert.equal(nameOf(verdict), best.label);
  assert.ok(Math.abs(verdict.scores[verdict.best] - best.score) < 1e-4);
  for (const word of ["not", "bad"]) {
    const { fall, without } = reasons.find((reason) => reason.word === word);
    assert.ok(fall > 0.7, `${word}: ${fall}`);
    assert.equal(without, "negative");
  }
  assert.equal(story({ verdict, reasons }), "It would be negative without “not”, and also without “bad”.");
});

test("one word turns the verdict; each shown swap does, in the pipeline too", async () => {
  const unmask = await pipeline("fill-mask");
  const judge = await judgeOf(heads, "feeling", []);
  const { verdict, reasons } = await judgeText(judge, FILM, []);
  const question = { unmask, tokenizer: unmask.tokenizer, judge, text: FILM, struck: [], left: without };
  const swaps = await turns(question, verdict, reasons);
  assert.ok(swaps.some(({ word, other }) => word === "bad" && other === "good"));
  const classify = await heads.sentiment();
  for (const { text, word, other } of swaps) {
    const [{ label, score }] = await classify(text);
    assert.ok(label === "negative" && score >= 0.65, `${word} → ${other}: ${label} ${score}`);
  }
  const others = await alternatives(question, { start: 24, end: 27 });
  assert.ok(others.length > 5);
  assert.ok(others.every(({ word, other }) => word === "bad" && other !== "bad" && /^(a|i|\w\w+)$/.test(other)));
  const first = await alternatives(question, { start: 0, end: 1 });
  assert.ok(
    first.every(({ other }) => /^[A-Z]/.test(other)),
    "a capital stays a capital",
  );
  await unmask.dispose();
});

test("parts of a text cover it, with the labels of names", () => {
  const parts = partsOf("Ring Tunde now.", [{ start: 5, end: 10, label: "PERSON" }]);
  assert.deepEqual(
    parts.map(({ text, label }) => [text, label]),
    [
      ["Ring ", undefined],
      ["Tunde", "PERSON"],
      [" now.", undefined],
    ],
  );
});

test("recorded verdicts equal the models'", async () => {
  const file = new URL("../www/src/views/judge/recorded.json", import.meta.url);
  const recorded = JSON.parse(await readFile(file, "utf8"));
  const found = await record(heads);
  assert.deepEqual(recorded.names, found.names);
  for (const [kind, { labels, examples }] of Object.entries(found.verdicts)) {
    assert.deepEqual(recorded.verdicts[kind].labels, labels);
    assert.equal(recorded.verdicts[kind].examples.length, examples.length);
    for (const [at, { text, scores, reasons }] of examples.entries()) {
      const there = recorded.verdicts[kind].examples[at];
      assert.equal(there.text, text);
      for (const [label, score] of scores.entries()) assert.ok(Math.abs(score - there.scores[label]) < 0.02, text);
      assert.deepEqual(
        there.reasons.map(([start, end, , without]) => [start, end, without]),
        reasons.map(([start, end, , without]) => [start, end, without]),
        text,
      );
    }
  }
});

test("the traps catch the model sometimes, and each kind has one that it escapes", async () => {
  const judge = await judgeOf(heads, "feeling", []);
  for (const { name, traps } of TRAPS) {
    const scores = await judge.judge(traps.map(({ text }) => text));
    const right = traps.filter(({ expected }, at) => (nameOf(verdictOf(judge, scores[at])) ?? "unsure") === expected);
    assert.ok(right.length > 0 && right.length < traps.length, `${name}: ${right.length} of ${traps.length}`);
  }
});
