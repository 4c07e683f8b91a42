// The comparisons of the page's view Compare, without a browser: www/src/text/compare.ts, the square's dots and the recorded answers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { pipeline } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { record, recordYears } from "../www/tools/record-compare.mjs";

const { compare, contrast, differenceOf, factor, follow, leaning, placeInSecond } =
  await importTypeScript("www/src/text/compare.ts");
const { dotsOf, placeOf } = await importTypeScript("www/src/views/compare/plot.ts");
const { FIRST_TEXTS } = await importTypeScript("www/src/views/first-texts.ts");
const { questionOf } = await importTypeScript("www/src/views/compare/question.ts");

const unmask = await pipeline("fill-mask");
after(() => unmask.dispose());

const TEXAS = "In Texas they like to buy ___.";
const NEW_YORK = "In New York they like to buy ___.";
const parts = (first, second) => {
  const { first: a, second: b } = differenceOf(first, second);
  return [first.slice(a.start, a.end), second.slice(b.start, b.end)];
};

test("finds the words in which two sentences differ, whole", () => {
  assert.deepEqual(parts(TEXAS, NEW_YORK), ["Texas", "New York"]);
  assert.deepEqual(parts("The bat sat.", "The cat sat."), ["bat", "cat"]);
  assert.deepEqual(parts("He ran.", "He ran fast."), ["", " fast"]);
  assert.deepEqual(parts("the same", "the same"), ["", ""]);
  assert.deepEqual(parts("one", ""), ["one", ""]);
});

test("exchanges content words, one at a time, as they are written; gaps of the text stay", async () => {
  const { exchanges } = await importTypeScript("www/src/text/exchanges.ts");
  const asked = [];
  const answers = (...words) => words.map((token_str) => ({ token_str, score: 0.1 }));
  const fake = async (texts) => {
    asked.push(texts);
    return texts.map((text) => {
      const lists = [...text.matchAll(/\[MASK\]/g)].map(() => answers("##s", "the", "9", "bought", "lost"));
      return lists.length > 1 ? lists : lists[0];
    });
  };
  assert.deepEqual(await exchanges(fake, "Peter bought a ___ for him"), [
    { word: "Peter", other: "Lost", text: "Lost bought a ___ for him" },
    { word: "bought", other: "lost", text: "Peter lost a ___ for him" },
  ]);
  assert.deepEqual(asked, [["[MASK] bought a [MASK] for him.", "Peter [MASK] a [MASK] for him."]]);
  assert.deepEqual(await exchanges(fake, "and of the ___"), []);
  assert.equal(asked.length, 1, "nothing to ask");
  const [{ word, other, text }] = await exchanges(unmask, "My sister lives near the sea.");
  assert.deepEqual([word, text], ["sister", `My ${other} lives near the sea.`]);
});

test("the other sentence follows an edit of what both share, and keeps what differs", () => {
  const typed = (text) => follow(TEXAS, text, NEW_YORK);
  assert.equal(typed("So in Texas they like to buy ___."), "So in New York they like to buy ___.");
  assert.equal(typed("In Texas they love to buy ___."), "In New York they love to buy ___.");
  assert.equal(typed("In Texas they like to buy ___!"), "In New York they like to buy ___!");
  assert.equal(typed("In Alaska they like to buy ___."), NEW_YORK);
  assert.equal(typed("In  they like to buy ___."), NEW_YORK);
  assert.equal(typed("It rains."), "It rains.");
  assert.equal(follow("It rains.", "It rains. Why?", "It rains."), "It rains. Why?", "equal sentences stay equal");
});

test("places the gap in both sentences: written, chosen, or the last shared word", () => {
  const gaps = (first, second, chosen) => {
    const { texts, gaps } = questionOf(first, second, chosen);
    return texts.map((text, at) => text.slice(gaps[at].start, gaps[at].end));
  };
  assert.deepEqual(gaps(TEXAS, NEW_YORK), ["___", "___"]);
  assert.deepEqual(gaps(TEXAS, NEW_YORK, { start: 14, end: 18 }), ["like", "like"]);
  assert.deepEqual(gaps(TEXAS, NEW_YORK, { start: 3, end: 8 }), ["___", "___"], "not the word that differs");
  assert.deepEqual(gaps("The ___ likes cats very much.", "The ___ likes dogs very much."), ["___", "___"]);
  assert.deepEqual(gaps("Cats like milk.", "Dogs like milk."), ["milk", "milk"]);
  assert.equal(questionOf("Cats", "Dogs"), "gap");
  assert.equal(questionOf(TEXAS, TEXAS), "difference");
  assert.equal(questionOf(" ", TEXAS), "text");
  assert.equal(placeInSecond({ start: 3, end: 8 }, differenceOf(TEXAS, NEW_YORK)), undefined);
});

test("the probabilities are the pipeline's; words of the sentences are left out", async () => {
  const [first, second] = ["The dog loves its ___.", "The cat loves its ___."];
  const { texts, gaps } = questionOf(first, second);
  const found = await compare(unmask, texts, gaps);
  const words = found.map(({ word }) => word);
  for (const used of ["dog", "dogs", "cat", "cats", "loves"]) assert.ok(!words.includes(used), used);
  const targets = words.slice(0, 3);
  const answers = await unmask(
    [first, second].map((text) => text.replace("___", "[MASK]")),
    { targets, top_k: 3 },
  );
  for (const { word, ...scores } of found.slice(0, 3)) {
    const [a, b] = answers.map((list) => list.find(({ token_str }) => token_str === word).score);
    assert.ok(Math.abs(scores.first - a) < 1e-4 && Math.abs(scores.second - b) < 1e-4, word);
  }
  assert.ok(found.every(({ first, second }) => Math.max(first, second) >= 0.01));
});

test("tells how many times likelier the farthest words are, at most over 100 times", () => {
  const candidates = [
    { word: "oil", first: 0.04, second: 0.001 },
    { word: "salt", first: 0.02, second: 0.019 },
    { word: "books", first: 0.01, second: 0.024 },
  ];
  assert.deepEqual(
    leaning(candidates, "second").map(({ word }) => word),
    ["books"],
  );
  const names = ["Texas", "New York"];
  assert.equal(
    contrast(candidates, names),
    "“oil” is 40 times likelier with “Texas”, “books” is 2.4 times likelier with “New York”.",
  );
  assert.equal(contrast(candidates.slice(1, 2), names), "It expects the same words in both.");
  assert.equal(factor({ first: 0.5, second: 1e-5 }), "over 100");
});

test("places dots by logarithms; labels stay in the square and do not overlap", () => {
  assert.deepEqual([placeOf(1), placeOf(0)], [1, 0]);
  assert.ok(Math.abs(placeOf(0.1) - placeOf(0.01) - (placeOf(0.01) - placeOf(0.001))) < 1e-9);
  const many = Array.from({ length: 12 }, (_, at) => ({ word: `crowded${at}`, first: 0.9 - at / 1000, second: 0.02 }));
  const dots = dotsOf(many).filter(({ label }) => label);
  assert.ok(dots.length >= 1 && dots.length <= 3, `${dots.length} labels for dots in one place`);
  assert.equal(dots[0].label.anchor, "end", "at the right edge the word is on the left");
});

test("recorded comparisons equal the model's, and differ widely", async () => {
  const file = new URL("../www/src/views/compare/recorded.json", import.meta.url);
  const recorded = JSON.parse(await readFile(file, "utf8"));
  assert.equal(recorded.length, 8);
  assert.equal(recorded[0].texts[0], FIRST_TEXTS.compare, "the page opens with the first one");
  for (const { texts, words } of recorded) {
    const found = await record(unmask, texts);
    assert.deepEqual(words.map(([word]) => word).sort(), found.map(([word]) => word).sort(), texts[0]);
    for (const [word, first, second] of words) {
      const [, a, b] = found.find(([other]) => other === word);
      assert.ok(Math.abs(a - first) < 0.01 && Math.abs(b - second) < 0.01, word);
    }
    const candidates = words.map(([word, first, second]) => ({ word, first, second }));
    assert.ok(leaning(candidates, "first").length >= 3 && leaning(candidates, "second").length >= 3, texts[0]);
  }
});

test("over the years, words that the recorded sentences offer fall and rise as the model says", async () => {
  const { YEARS, trendOf } = await importTypeScript("www/src/text/years.ts");
  const years = JSON.parse(await readFile(new URL("../www/src/views/compare/years.json", import.meta.url), "utf8"));
  assert.equal(years.length, 5);
  const { YEAR_POOL } = await importTypeScript("www/src/views/compare/presets.ts");
  for (const { sentence, lines } of years) {
    assert.ok(YEAR_POOL.includes(sentence), sentence);
    assert.ok(lines.every(({ scores }) => scores.length === YEARS.length));
    const trends = lines.map(trendOf);
    assert.ok(trends.slice(0, 3).every((trend) => trend < 0) && trends.slice(3).every((trend) => trend > 0), sentence);
  }
  const [{ sentence, lines }] = years;
  const found = await recordYears(unmask, sentence);
  assert.deepEqual(
    found.map(({ word }) => word),
    lines.map(({ word }) => word),
  );
  for (const [at, { scores }] of lines.entries())
    for (const [n, score] of scores.entries()) assert.ok(Math.abs(score - found[at].scores[n]) < 0.02);
});
