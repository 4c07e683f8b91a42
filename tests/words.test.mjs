// Which answers the page offers for a gap: www/words.js, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillGaps, offered } from "../www/words.js";

/** Answers of falling score. */
const answers = (...words) => words.map((token_str, i) => ({ token_str, score: 1 / (i + 2) }));
const words = (text, ...given) => {
  const [before, after] = text.split("~");
  return offered(answers(...given), before, after).map(({ token_str }) => token_str);
};

test("after a space: whole words, neither pieces nor special tokens nor punctuation", () => {
  for (const text of ["A ~ dog.", "~ dog.", "A (~) dog.", "A well-~ dog.", "北~京", "A\n~"]) {
    assert.deepEqual(
      words(text, "##sk", "small", "[UNK]", "[unused7]", "<s>", ".", "3", "##ed", "über"),
      ["small", "3", "über"],
      text,
    );
  }
});

test("glued to a word: pieces that continue it, and punctuation", () => {
  for (const text of ["un~able", "He was un~.", "20~", "caf\u0065\u0301~", "[MASK]~ is"]) {
    assert.deepEqual(words(text, "not", "##ly", "[SEP]", "!", "##ed"), ["##ly", "!", "##ed"], text);
  }
  assert.deepEqual(words("~ing is fun", "##s", "danc", ","), ["danc"], "glued to what follows alone");
});

test("a neighbour is not said again, in whatever case and with whatever accents", () => {
  assert.deepEqual(words("The Café ~ DOG barks", "big", "cafe", "dog", "barks"), ["big"]);
  assert.deepEqual(words("Happy ~ to you.", "thanks", "you", "to", "happy", "up"), ["thanks", "up"]);
  assert.deepEqual(words("un~able", "##un", "##able", "##ly"), ["##ly"]);
  assert.deepEqual(words("don't ~ it", "t", "do"), ["do"], "nor a part of one");
});

test("one word further a repetition stays where it is the best answer, and beyond punctuation or two words it is none", () => {
  assert.deepEqual(words("Step by ~.", "step", "mind"), ["step", "mind"]);
  assert.deepEqual(words("Step by ~.", "##s", "step", "mind"), ["step", "mind"]);
  assert.deepEqual(words("Step by ~.", "mind", "step"), ["mind"]);
  assert.deepEqual(words("It was very, ~ good. Very good.", "not", "very"), ["not", "very"]);
  assert.deepEqual(words("The dog and the ~ ran.", "cat", "dog"), ["cat", "dog"]);
  assert.deepEqual(words("So [MASK] ~ [MASK] so", "much", "so"), ["much"], "another gap is a word that is not known");
});

test("each gap by its own place, as many answers as are asked for, asking for more where they are not enough", async () => {
  const asked = [];
  const pool = [...Array(15).fill("##s"), "one", "two", "three", "##t", "four", "five", "six"];
  const unmask = async (text, { top_k }) => {
    asked.push(top_k);
    const lists = text
      .split("[MASK]")
      .slice(1)
      .map(() => answers(...pool).slice(0, top_k));
    return lists.length === 1 ? lists[0] : lists;
  };
  const of = async (text, options) =>
    (await fillGaps(unmask, text, options)).map((list) => list.map(({ token_str }) => token_str));
  assert.deepEqual(await of("one [MASK]."), [["two", "three", "four", "five", "six"]]);
  assert.deepEqual(asked.splice(0), [16, 64]);
  assert.deepEqual(await of("An un[MASK] [MASK].", { count: 2 }), [
    ["##s", "##s"],
    ["one", "two"],
  ]);
  assert.deepEqual(asked.splice(0), [16, 64]);
  assert.deepEqual(
    await of("An un[MASK] [MASK].", { count: 2, shown: 1 }),
    [["##s", "##s"], ["one"]],
    "the first gap is all that is shown",
  );
  assert.deepEqual(asked.splice(0), [16]);
  assert.deepEqual(
    await of("[MASK]", { count: 9 }),
    [["one", "two", "three", "four", "five", "six"]],
    "the vocabulary has no more",
  );
  assert.deepEqual(asked.splice(0), [16, 64]);
});
