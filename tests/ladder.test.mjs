// The view Watch it think without a browser: the hidden word, the layers' answers, and the sentence that describes them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pipeline } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { examples, record } from "../www/tools/record-ladder.mjs";

const { linksOf, rungsOf, settledAt, story } = await importTypeScript("www/src/views/watch/ladder.ts");
const { AROUND, hide } = await importTypeScript("www/src/views/watch/hidden.ts");
const { recordedRungs } = await importTypeScript("www/src/views/watch/recorded.ts");
const { wrap } = await importTypeScript("www/src/components/canvas.ts");

const TEXT = "I drink a cup of cement every morning.";
const range = (text, word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length });
/** Rungs by their first words and these words' probabilities. */
const rungs = (...firsts) => firsts.map(([word, score], layer) => ({ layer, words: [{ word, score }] }));

test("hides the chosen word, the visitor's gap, or the last of the longest words", () => {
  const chosen = hide(TEXT, range(TEXT, "cement"));
  assert.equal(chosen.masked, "I drink a cup of [MASK] every morning.");
  assert.equal(chosen.word, "cement");
  assert.equal(chosen.stretches[chosen.gap].text, "cement");
  assert.equal(hide(TEXT).word, "morning");
  assert.equal(hide("She did it there").word, "there", "only small words");
  assert.equal(hide("It was there with Bob").word, "Bob", "a longer small word");
  assert.equal(hide("Cats like fish").word, "fish", "of equally long ones the last");
  const written = hide("A ___ and a [mask] with a hat");
  assert.deepEqual([written.masked, written.mask, written.word], ["A [MASK] and a [MASK] with a hat.", 0, undefined]);
  const second = hide("A ___ and a [mask] with a hat", { start: 12, end: 18 });
  assert.deepEqual([second.masked, second.mask], ["A [MASK] and a [MASK] with a hat.", 1]);
  assert.equal(hide(TEXT, { start: 3, end: 5 }).word, "morning", "no word is there");
  for (const nothing of ["", "  ", "?!", "…"]) assert.equal(hide(nothing), undefined, nothing);
});

test("reads and shows the part of a long text around the gap", () => {
  const long = `${"word ".repeat(20_000)}cement ${"more ".repeat(20_000)}`;
  const { masked, stretches, cutBefore, cutAfter } = hide(long, range(long, "cement"));
  assert.ok(masked.length < 2 * AROUND + 40, `${masked.length}`);
  assert.match(masked, /word \[MASK\] more/);
  assert.deepEqual([cutBefore, cutAfter], [true, true]);
  assert.equal(stretches.map(({ text }) => text).join(""), long.slice(stretches[0].start, stretches.at(-1).end));
  assert.deepEqual([hide(TEXT).cutBefore, hide(TEXT).cutAfter], [false, false]);
});

test("a rung has three whole words for the requested gap", () => {
  const answers = ["[CLS]", "##ed", "tea", ".", "cup", "of", "milk", "ink", "oil"].map((token_str, i) => ({
    token_str,
    score: 0.5 / (i + 1),
  }));
  const layers = [{ layer: 0, masks: [[], answers] }];
  const [{ words }] = rungsOf(layers, 1, "a cup of ", " now.");
  assert.deepEqual(
    words.map(({ word }) => word),
    ["tea", "milk", "ink"],
  );
  assert.equal(words[0].score, 0.5 / 3);
  assert.deepEqual(rungsOf(layers, 0, "", "")[0].words, []);
});

test("the sentence states where the answer appears", () => {
  const cases = [
    [
      [
        ["in", 0.1],
        ["soup", 0.02],
        ["chocolate", 0.11],
        ["coffee", 0.58],
      ],
      "It changes its mind at the last layer: “chocolate” becomes “coffee”, with 58.0 %.",
    ],
    [
      [
        ["in", 0.1],
        ["city", 0.2],
        ["capital", 0.6],
        ["capital", 0.98],
      ],
      "It changes its mind at layer 2: “city” becomes “capital”, in the end with 98.0 %.",
    ],
    [
      [
        ["in", 0.01],
        ["city", 0.02],
        ["capital", 0.6],
        ["capital", 0.98],
      ],
      "From layer 2 on its best word is “capital”: 60.0 % there, 98.0 % in the end.",
    ],
    [
      [
        ["in", 0.01],
        ["city", 0.02],
        ["capital", 0.6],
      ],
      "It makes up its mind at the last layer: “capital”, 60.0 %. Before, no word had more than 2.0 %.",
    ],
    [
      [
        ["a", 0.1],
        ["a", 0.3],
      ],
      "It says “a” from the first to the last layer, in the end with 30.0 %.",
    ],
    [
      [
        ["a", 0.1],
        ["b", 0.04],
      ],
      "It never makes up its mind: in the end its best word, “b”, has 4.0 %.",
    ],
    [[], "The model has no word for this gap."],
  ];
  for (const [firsts, expected] of cases) assert.equal(story(rungs(...firsts)), expected);
  assert.equal(settledAt(rungs(["a", 0.1], ["b", 0.1], ["a", 0.1], ["a", 0.1])), 2, "not the first time");
});

test("joins a word to itself in the next row", () => {
  const ladder = [
    { layer: 0, words: [{ word: "a" }, { word: "b" }] },
    { layer: 1, words: [{ word: "b" }, { word: "c" }] },
    { layer: 2, words: [{ word: "c" }, { word: "b" }] },
  ];
  assert.deepEqual(linksOf(ladder), [
    { layer: 0, rank: 1, above: 0, isAnswer: false },
    { layer: 1, rank: 0, above: 1, isAnswer: false },
    { layer: 1, rank: 1, above: 0, isAnswer: true },
  ]);
  assert.deepEqual(linksOf([]), []);
});

test("lines of the picture fit the width and keep every word", () => {
  const runs = [
    { text: "one two three ", color: "a" },
    { text: "four", color: "b", mark: true },
    { text: " five six", color: "a" },
  ];
  const lines = wrap(runs, 9, (text) => text.length);
  assert.equal(
    lines
      .flat()
      .map(({ text }) => text)
      .join(""),
    "one two three four five six",
  );
  for (const line of lines) {
    const text = line.map(({ text }) => text).join("");
    assert.ok(text.trimEnd().length <= 9, text);
  }
});

test("recorded ladders equal the model's answers: tea at the last layer, the capital earlier", async () => {
  const unmask = await pipeline("fill-mask");
  const ask = async (text, word) => {
    const hidden = hide(text, range(text, word));
    return rungsOf(await unmask.lens(hidden.masked, { top_k: 24 }), hidden.mask, hidden.before, hidden.after);
  };
  const tea = await ask(TEXT, "cement");
  assert.equal(tea.length, 7);
  assert.match(story(tea), /^It changes its mind at the last layer: “chocolate” becomes “tea”, with 5\d\.\d %\.$/);
  const capital = await ask("Paris is the capital of France.", "capital");
  assert.equal(capital.at(-1).words[0].word, "capital");
  assert.equal(settledAt(capital), 4);
  const recorded = JSON.parse(await readFile(new URL("../www/src/views/watch/recorded.json", import.meta.url), "utf8"));
  assert.deepEqual(
    recorded.map(({ text, start, end }) => ({ text, start, end })),
    examples(),
  );
  const [first] = recorded;
  const fresh = await record(unmask, first);
  for (const [layer, words] of fresh.layers.entries())
    for (const [rank, [word, score]] of words.entries()) {
      if (score < 0.02) continue; // words with almost equal scores
      assert.equal(word, first.layers[layer][rank][0], `layer ${layer}`);
      assert.ok(Math.abs(score - first.layers[layer][rank][1]) < 0.01, `layer ${layer}: ${score}`);
    }
  const hidden = hide(first.text, first);
  assert.equal(recordedRungs(first.text, hidden)[6].words[0].word, "tea");
  assert.equal(recordedRungs(first.text, hide(first.text, range(first.text, "drink"))), undefined, "another word");
  assert.equal(recordedRungs(`${first.text} `, hidden), undefined, "another text");
  for (const { words } of [...tea, ...capital]) assert.equal(words.length, 3);
  await unmask.dispose();
});
