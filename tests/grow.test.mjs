// The computations of the view Grow: texts as rows, gaps, the snapshots of guesses, the loss curve.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

const [corpus, { changes, extended }, { Curve }] = await Promise.all([
  importTypeScript("www/src/views/grow/corpus.ts"),
  importTypeScript("www/src/views/grow/timeline.ts"),
  importTypeScript("www/src/components/curve.ts"),
]);
const { gapIn, sentencesIn, sentencesOf, vocabularySize, withMask, wordsIn } = corpus;

test("splits a text into sentences that fit the model", () => {
  assert.deepEqual(sentencesIn("It rained. She was glad.\n\n***\nA title\n"), [
    "It rained.",
    "She was glad.",
    "A title",
  ]);
  const long = `${"word ".repeat(200)}end.`;
  const pieces = sentencesIn(long);
  assert.ok(pieces.length > 3 && pieces.every((piece) => piece.length <= 240));
  assert.equal(pieces.join(" "), long);
  assert.deepEqual(
    sentencesIn("あ".repeat(500)).map(({ length }) => length),
    [240, 240, 20],
  );
  assert.equal(sentencesIn("a. ".repeat(200_000)).join("").length <= corpus.LONGEST, true);
  assert.deepEqual(sentencesIn(" \n … \n"), []);
});

test("counts words in any script and sizes the vocabulary by them", () => {
  assert.equal(wordsIn("It's a naïve test, не так ли?"), 8);
  assert.deepEqual([10, 2000, 1e6].map(vocabularySize), [200, 500, 2000]);
});

test("recognises a gap in three spellings, and its absence", () => {
  assert.equal(withMask("May comes after ___."), "May comes after [MASK].");
  assert.equal(withMask("May [mask] after."), "May [MASK] after.");
  assert.equal(withMask("__ and [MASK] and ____"), "[MASK] and  and ");
  assert.equal(withMask("no gap, one_word"), undefined);
});

test("hides the last long word of a sentence of the text", () => {
  assert.equal(gapIn(["Short.", "The old man sat down on a bench."]), "The old man sat down on a ___.");
  assert.equal(gapIn(["Il était une fois à l'école."]), "Il était une fois à l'___.");
  assert.equal(gapIn(["1 2 3"]), "1 2 3 ___");
  assert.ok(withMask(gapIn([])));
});

test("turns tables of facts into sentences and leaves out phrasings for missing values", () => {
  assert.equal(
    sentencesOf("# a comment\n@A {1} eats {2}.\n@the {1} is {3}.\ncow\tgrass\nfox\trabbits\tred\n"),
    "A cow eats grass.\nA fox eats rabbits.\nThe fox is red.",
  );
});

test("the project's own texts suffice to grow a model, and their gaps are valid", async () => {
  const presets = await readFile(new URL("../www/src/views/grow/presets.ts", import.meta.url), "utf8");
  const paths = [...presets.matchAll(/import\("([^"]+)"\)/g)].map(([, path]) => path);
  assert.equal(paths.length, 5);
  for (const path of paths) {
    const text = await readFile(new URL(`../www/src/views/grow/${path}`, import.meta.url), "utf8");
    const sentences = sentencesIn(path.endsWith(".tsv") ? sentencesOf(text) : text);
    assert.ok(sentences.length >= 30, `${path}: ${sentences.length}`);
    assert.ok(
      sentences.every((sentence) => !/[{}@\t]|undefined/.test(sentence)),
      path,
    );
  }
});

test("keeps few snapshots, including the first and the last", () => {
  let snapshots = [];
  for (let step = 0; step < 2000; step++)
    snapshots = extended(snapshots, {
      step,
      loss: 1,
      text: "a [MASK]",
      guesses: [{ token_str: step < 700 ? "x" : "y", score: 1 }],
    });
  assert.ok(snapshots.length <= 240 && snapshots.length > 100, `${snapshots.length}`);
  assert.deepEqual([snapshots[0].step, snapshots.at(-1).step], [0, 1999]);
  const steps = snapshots.map(({ step }) => step);
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
  );
  const found = changes(snapshots, 10);
  assert.deepEqual(
    found.map(({ word }) => word),
    ["x", "y"],
  );
  assert.ok(snapshots[found[1].at].step >= 700);
});

test("counts a change of the sentence and keeps the latest changes", () => {
  const snapshots = ["a", "a", "b", "c"].map((token_str, step) => ({
    step,
    loss: 1,
    text: step < 1 ? "one [MASK]" : "two [MASK]",
    guesses: [{ token_str, score: 1 }],
  }));
  assert.deepEqual(changes(snapshots, 9), [
    { at: 0, word: "a" },
    { at: 1, word: "a" },
    { at: 2, word: "b" },
    { at: 3, word: "c" },
  ]);
  assert.deepEqual(changes(snapshots, 1), [{ at: 3, word: "c" }]);
});

test("a curve has an unbiased running mean and a bounded number of points", () => {
  const curve = new Curve();
  assert.equal(curve.last, undefined);
  curve.add(1, 6);
  assert.ok(Math.abs(curve.last - 6) < 1e-12);
  for (let step = 2; step <= 5000; step++) curve.add(step, 6);
  assert.ok(curve.smooth.every(({ loss }) => Math.abs(loss - 6) < 1e-9));
  assert.ok(curve.points.length <= 300 && curve.points.length > 100, `${curve.points.length}`);
  assert.equal(curve.points[0].step, 1);
  assert.ok(curve.points.at(-1).step > 4900);
  for (let step = 5001; step <= 5200; step++) curve.add(step, 2);
  assert.ok(curve.last < 2.1 && curve.last >= 2, `${curve.last}`);
});
