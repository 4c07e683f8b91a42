// The texts that the page computes from texts and answers: www/src/text, without a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pipeline } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";
import { EXAMPLES, record } from "../www/tools/record-page.mjs";

const { fillGaps, offered } = await importTypeScript("www/src/text/offered.ts");
const { isEnglish } = await importTypeScript("www/src/text/english.ts");
const { moveRanges, readRanges, shownOf, stretchesOf, writeRanges, SHOWN } =
  await importTypeScript("www/src/text/stretches.ts");
const { closed, guess } = await importTypeScript("www/src/text/guess.ts");
const { glow, oddness, oddWords } = await importTypeScript("www/src/text/odd.ts");
const { questionOf } = await importTypeScript("www/src/views/guess/question.ts");

/** Answers with falling scores. */
const answers = (...words) => words.map((token_str, i) => ({ token_str, score: 1 / (i + 2) }));
const words = (text, ...given) => {
  const [before, after] = text.split("~");
  return offered(answers(...given), before, after).map(({ token_str }) => token_str);
};

test("offers whole words after a space, without pieces, special tokens and punctuation", () => {
  for (const text of ["A ~ dog.", "~ dog.", "A (~) dog.", "A well-~ dog.", "北~京", "A\n~"]) {
    assert.deepEqual(
      words(text, "##sk", "small", "[UNK]", "[unused7]", "<s>", ".", "3", "##ed", "über"),
      ["small", "3", "über"],
      text,
    );
  }
});

test("offers continuing pieces and punctuation for a gap glued to a word", () => {
  for (const text of ["un~able", "He was un~.", "20~", "caf\u0065\u0301~", "[MASK]~ is"]) {
    assert.deepEqual(words(text, "not", "##ly", "[SEP]", "!", "##ed"), ["##ly", "!", "##ed"], text);
  }
  assert.deepEqual(words("~ing is fun", "##s", "danc", ","), ["danc"], "glued to what follows alone");
});

test("does not offer a word of an English sentence again, except function words", () => {
  assert.deepEqual(words("The ice melts into ~.", "ice", "the", "melts", "water"), ["the", "water"]);
  assert.deepEqual(words("The street is not wide, it is very ~.", "wide", "Street", "narrow"), ["narrow"]);
  assert.deepEqual(words("I like tea. The cup is full of ~.", "tea", "cup"), ["tea"], "words of other sentences stay");
  assert.deepEqual(words("She did it day by ~ at the sea.", "day", "sea"), ["day"], "pairs of words stay");
  assert.deepEqual(words("Der Hund sieht in der Stadt ~ an.", "hund", "der"), ["hund"], "and other languages");
});

test("tells English from other languages, and takes a few Latin words for English", async () => {
  const lines = (await readFile(new URL("../models/eval/plain.txt", import.meta.url), "utf8")).trim().split("\n");
  const rows = lines.map((line) => line.split("\t"));
  const wrong = rows.filter(([language, text]) => isEnglish(text.replaceAll("\\n", "\n")) !== (language === "en"));
  assert.ok(wrong.length <= 2, JSON.stringify(wrong));
  assert.ok(wrong.every(([language]) => language !== "en"));
  for (const text of ["", "Zürich", "la vie en", "Café", "___"]) assert.ok(isEnglish(text), text);
  for (const text of ["Привет", "你好", "Das ist ein Hund.", "Où est la gare ?"]) assert.ok(!isEnglish(text), text);
});

test("does not offer a neighbouring word again, in any case or with any accents", () => {
  assert.deepEqual(words("The Café ~ DOG barks", "big", "cafe", "dog", "barks"), ["big"]);
  assert.deepEqual(words("Happy ~ to you.", "thanks", "you", "to", "happy", "up"), ["thanks", "up"]);
  assert.deepEqual(words("un~able", "##un", "##able", "##ly"), ["##ly"]);
  assert.deepEqual(words("don't ~ it", "t", "do"), ["do"], "nor a part of one");
});

test("keeps a repetition one word away if it is the best answer; beyond punctuation or two words it counts as new", () => {
  assert.deepEqual(words("Step by ~.", "step", "mind"), ["step", "mind"]);
  assert.deepEqual(words("Step by ~.", "##s", "step", "mind"), ["step", "mind"]);
  assert.deepEqual(words("Step by ~.", "mind", "step"), ["mind"]);
  assert.deepEqual(words("It was very, ~ good. Very good.", "not", "very"), ["not", "very"]);
  assert.deepEqual(words("Ein Hund und noch ~ im Hof.", "katze", "hund"), ["katze", "hund"]);
  assert.deepEqual(words("So [MASK] ~ [MASK] so", "much", "so"), ["much"], "another gap is a word that is not known");
});

test("answers each gap at its own place with the requested number of words, and asks for more if needed", async () => {
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

test("splits a text into words, gaps and separators without a hole", () => {
  const kinds = (text) => stretchesOf(text).map(({ kind, text }) => `${kind[0]}:${text}`);
  assert.deepEqual(kinds("Don't go, ___!"), ["w:Don't", "b: ", "w:go", "b:, ", "g:___", "b:!"]);
  assert.deepEqual(kinds("un[mask]able"), ["w:un", "g:[mask]", "w:able"]);
  assert.deepEqual(kinds("北京 [MASK]"), ["w:北", "w:京", "b: ", "g:[MASK]"]);
  assert.deepEqual(kinds("a_b"), ["w:a", "b:_", "w:b"], "one underscore is no gap");
  assert.deepEqual(stretchesOf(""), []);
  for (const text of ["  x ", "¿Qué? ____ café", "—"]) {
    assert.equal(
      stretchesOf(text)
        .map(({ text }) => text)
        .join(""),
      text,
    );
  }
});

test("cuts a long text between words, or anywhere without spaces", () => {
  assert.deepEqual(shownOf("short"), { shown: "short", cut: false });
  const { shown, cut } = shownOf("word ".repeat(1000));
  assert.ok(cut && shown.length <= SHOWN && shown.length > SHOWN - 10 && shown.endsWith("word"));
  assert.equal(shownOf("x".repeat(100_000)).shown.length, SHOWN);
});

test("keeps words hidden while the text around them is edited, and forgets edited ones", () => {
  const ranges = [{ start: 4, end: 7 }];
  assert.deepEqual(moveRanges(ranges, "the cat sat", "the cat sat down"), ranges);
  assert.deepEqual(moveRanges(ranges, "the cat sat", "and the cat sat"), [{ start: 8, end: 11 }]);
  assert.deepEqual(moveRanges(ranges, "the cat sat", "the cart sat"), []);
  assert.deepEqual(moveRanges(ranges, "the cat sat", ""), []);
  assert.deepEqual(readRanges(writeRanges([{ start: 1, end: 2 }, ...ranges])), [{ start: 1, end: 2 }, ...ranges]);
  assert.deepEqual(readRanges("nonsense"), []);
});

test("a question has hidden words, written gaps, or else the next word", () => {
  const gaps = (text, hidden = []) => {
    const question = questionOf(text, hidden);
    return question && { text: question.text, gaps: question.gaps, isNext: question.isNext };
  };
  assert.deepEqual(gaps("A cat ___.", [{ start: 2, end: 5 }]), {
    text: "A cat ___.",
    gaps: [
      { start: 2, end: 5 },
      { start: 6, end: 9 },
    ],
    isNext: false,
  });
  assert.deepEqual(gaps("I like"), { text: "I like ___", gaps: [{ start: 7, end: 10 }], isNext: true });
  assert.deepEqual(gaps("I like. "), { text: "I like ___.", gaps: [{ start: 7, end: 10 }], isNext: true });
  assert.deepEqual(gaps("A cat", [{ start: 3, end: 4 }]).isNext, true, "what is no word is not hidden");
  assert.equal(gaps(" … "), undefined);
  assert.deepEqual(questionOf("A cat", [{ start: 2, end: 5 }], { 2: "dog" }).gaps, [
    { start: 2, end: 5, chosen: "dog" },
  ]);
});

test("does not take the last word for a full stop", () => {
  assert.equal(closed("I like it"), "I like it.");
  for (const text of ["I like it.", "Really?", "“Yes!”", "(so)"]) assert.equal(closed(text), text);
});

/** A model that answers from a table, "it" for other texts. For targets, it returns a low probability each. */
const oracle = (table) => {
  const asked = [];
  const unmask = async (text, { targets }) => {
    asked.push(text);
    if (targets) return [{ token_str: targets[0], score: 0.001 }];
    const lists = (table[text] ?? [[["it", 0.1]]]).map((list) =>
      list.map(([token_str, score]) => ({ token_str, score })),
    );
    return lists.length === 1 ? lists[0] : lists;
  };
  return { unmask, asked };
};
const tokenizer = { tokenize: (word) => [word.toLowerCase()] };

test("fills the most certain of several gaps first, and the others see it", async () => {
  const { unmask, asked } = oracle({
    "The [MASK] ate a [MASK].": [[["dog", 0.2]], [["bone", 0.6]]],
    "The [MASK] ate a bone.": [[["puppy", 0.7]]],
    "The [MASK] ate a stone.": [[["giant", 0.4]]],
    "The giant ate a [MASK].": [[["sheep", 0.3]]],
  });
  const text = "The cat ate a ___";
  const gaps = [
    { start: 4, end: 7 },
    { start: 14, end: 17 },
  ];
  const [animal, food] = await guess(unmask, tokenizer, text, gaps);
  assert.equal(food.words[0].token_str, "bone");
  assert.equal(food.own, undefined);
  assert.equal(animal.words[0].token_str, "puppy");
  assert.deepEqual(animal.own, { word: "cat", score: 0.001 });
  assert.ok(asked.includes("The [MASK] ate a bone."));
  const [other, chosen] = await guess(unmask, tokenizer, text, [gaps[0], { ...gaps[1], chosen: "stone" }]);
  assert.equal(other.words[0].token_str, "giant");
  assert.equal(chosen.words[0].token_str, "sheep");
});

test("a word is odd if the model is sure of another, not if any word would fit", () => {
  const sure = [0.9, 0.05, 0.01].map((score) => ({ score }));
  const vague = Array.from({ length: 24 }, () => ({ score: 0.01 }));
  assert.ok(oddness(1e-6, sure) > oddness(1e-6, vague) + 3);
  assert.ok(oddness(0.9, sure) < 1);
  assert.equal(glow(oddness(0.9, sure)), 0);
  assert.equal(glow(oddness(1e-8, sure)), 1);
  assert.ok(Number.isFinite(oddness(0, sure)));
});

test("finds the odd words of a sentence in any context", async () => {
  const unmask = await pipeline("fill-mask");
  const around = "It rained. ".repeat(20);
  for (const text of [
    "I drink a cup of cement every morning",
    `${around}I drink a cup of cement every morning. ${around}`,
  ]) {
    const words = await oddWords(unmask, unmask.tokenizer, text);
    const [odd] = words.toSorted((a, b) => b.excess - a.excess);
    assert.equal(odd.word, "cement");
    assert.equal(text.slice(odd.start, odd.end), "cement");
    assert.equal(odd.expected[0].token_str, "tea");
    assert.ok(odd.score < 1e-4);
  }
  const [first] = await oddWords(unmask, unmask.tokenizer, "Paris is the capital of France.");
  assert.ok(glow(first.excess) === 0 && first.expected[0].token_str === "paris");
  await unmask.dispose();
});

test("recorded answers equal the model's", async () => {
  const recorded = JSON.parse(await readFile(new URL("../www/src/recorded.json", import.meta.url), "utf8"));
  assert.deepEqual(
    recorded.map(({ text }) => text),
    EXAMPLES,
  );
  const { text, words } = recorded[0];
  const found = await record(pipeline, text);
  assert.deepEqual(
    words.map(({ word, expected }) => [word, expected[0].token_str]),
    found.map(({ word, expected }) => [word, expected[0].token_str]),
  );
  for (const [i, { expected }] of words.entries()) {
    for (const [n, { score }] of expected.entries()) assert.ok(Math.abs(score - found[i].expected[n].score) < 0.02);
  }
});
