// The computations of the view Find: passages, common and close words, the plane of the map.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

const [{ passagesOf }, words, { planeOf, project }] = await Promise.all(
  ["passages", "words", "projection"].map((name) => importTypeScript(`www/src/views/find/${name}.ts`)),
);

const run = (work) => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};

test("a text with one sentence per line has one passage per line", () => {
  assert.deepEqual(passagesOf("One is here.\nTwo is there.\n \n", "a.txt", 5).slice(0, 2), [
    { id: 5, text: "One is here.", source: "a.txt" },
    { id: 6, text: "Two is there.", source: "a.txt" },
  ]);
});

test("joins wrapped lines to paragraphs and cuts long paragraphs between sentences", () => {
  const wrapped = passagesOf("A first line\r\nthat goes on.\r\n\r\nThe second\nparagraph.", "b");
  assert.deepEqual(
    wrapped.map(({ text }) => text),
    ["A first line that goes on.", "The second paragraph."],
  );
  const long = `${"This sentence has some words in it. ".repeat(30)}\n\nEnd.`;
  const passages = passagesOf(long, "c").map(({ text }) => text);
  assert.ok(passages.length > 4 && passages.every((text) => text.length <= 240 && text.endsWith(".")), `${passages}`);
  assert.equal(passages.slice(0, -1).join(" "), long.slice(0, -6).trim());
  assert.deepEqual(passagesOf("\n\n***\n\n—\n", "d"), []);
});

test("common words include forms of a word, but no function words", () => {
  const { haveCommonWord } = words;
  assert.equal(haveCommonWord("Who was in the house?", "The man was in a hut."), false);
  assert.equal(haveCommonWord("Where do whales live?", "A whale is large."), true);
  assert.equal(haveCommonWord("She lived alone", "He is living there"), true);
  assert.equal(haveCommonWord("the parties", "a party"), true);
  assert.equal(haveCommonWord("Café", "the CAFE opened"), true);
  assert.equal(haveCommonWord("кошки спят", "Кошки играют"), true);
  assert.equal(haveCommonWord("sing", "sting"), false);
  assert.equal(haveCommonWord("", "anything"), false);
});

test("closeness of a content word is its largest cosine with any piece of a word of the question", () => {
  const row = (...numbers) => Float32Array.from(numbers);
  const asked = {
    rows: [row(9, 9), row(1, 0), row(9, 9)],
    places: [
      [0, 0],
      [0, 5],
      [0, 0],
    ],
  };
  // "whale" in two pieces, "the" a function word, "sea" orthogonal
  const found = {
    rows: [row(0, 1), row(0, 1), row(3, 4), row(2, 0), row(0, 7)],
    places: [
      [0, 0],
      [0, 3],
      [4, 6],
      [6, 9],
      [10, 13],
    ],
  };
  const close = words.closeness("ocean", asked, "the whales sea", found);
  assert.deepEqual(
    close.map(({ word: { start, end }, cosine }) => [start, end, cosine.toFixed(3)]),
    [
      [4, 10, "1.000"],
      [11, 14, "0.000"],
    ],
  );
});

test("tints the closest words, the closest most, and leaves far words untinted", () => {
  const close = [0.1, 0.9, 0.2, 0.5, 0.3, 0.25, 0.15].map((cosine, at) => ({
    word: { start: at, end: at + 1, stem: "" },
    cosine,
  }));
  const found = words.tints(close);
  assert.deepEqual(
    found.map(({ start }) => start),
    [1, 3, 4],
  );
  assert.equal(found[0].tint, 1);
  assert.ok(found[1].tint > found[2].tint && found[2].tint > 0);
  const many = Array.from({ length: 20 }, (_, at) => ({ word: { start: at, end: at + 1, stem: "" }, cosine: at / 20 }));
  assert.deepEqual(
    words.tints(many).map(({ start }) => start),
    [16, 17, 18, 19],
  );
  assert.deepEqual(words.tints([]), []);
  assert.equal(words.tints(close.slice(0, 1))[0].tint, 1);
});

test("the plane is spanned by the two principal components", () => {
  // points on an ellipse of 5 to 2 in a plane of five dimensions, with little noise
  const [u, v] = [
    [0.6, 0.8, 0, 0, 0],
    [0, 0, 0, 0.8, -0.6],
  ];
  const centre = [1, 2, 3, 4, 5];
  const vectors = Array.from({ length: 60 }, (_, i) => {
    const [a, b] = [5 * Math.cos(i), 2 * Math.sin(i)];
    return Float32Array.from(centre, (x, d) => x + a * u[d] + b * v[d] + (d === 2 ? 0.01 * Math.sin(7 * i) : 0));
  });
  const plane = run(planeOf(vectors));
  const along = (axis, other) => Math.abs(axis.reduce((sum, x, d) => sum + x * other[d], 0));
  assert.ok(along(plane.axes[0], u) > 0.999, `${plane.axes[0]}`);
  assert.ok(along(plane.axes[1], v) > 0.999, `${plane.axes[1]}`);
  for (const [x, y] of [project(plane, centre)]) assert.ok(Math.abs(x) < 0.5 && Math.abs(y) < 0.5);
  const flat = run(planeOf([row3(1), row3(2), row3(3)]));
  assert.ok(project(flat, row3(2)).every((x) => Math.abs(x) < 1e-9));
});

const row3 = (x) => Float32Array.from([x, x, x]);
