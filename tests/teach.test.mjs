// The computations of the view Teach: the classifier over vectors, held-out accuracy, lessons, files, the checkpoint.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pipeline } from "../dist/node.js";
import { importTypeScript } from "../scripts/lib/typescript.mjs";

const view = (name) => importTypeScript(`www/src/views/teach/${name}.ts`);
const [
  classifier,
  { heldOut },
  lessons,
  { decodeLesson, encodeLesson },
  { csvOf, rowsOfCsv },
  checkpoint,
  { PRESETS },
  swipe,
] = await Promise.all(
  ["classifier", "held-out", "lesson", "encoding", "csv", "checkpoint", "presets", "swipe"].map(view),
);
const { fit, gramOf, headOf, predict, predictWithin, argmax } = classifier;

/** The result of a generator. */
const run = (work) => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};

/** Points of `count` labels around separate centres, in d dimensions; the same ones each time. */
function points(count, each, d, spread) {
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31 - 0.5;
  const centres = Array.from({ length: count }, () => Float32Array.from({ length: d }, random));
  const labels = Array.from({ length: count * each }, (_, i) => i % count);
  const vectors = labels.map((label) => centres[label].map((value) => value + spread * random()));
  return { labels, vectors };
}

/** The same descent over plain weights, d numbers per label, as in a textbook. */
function plainDescent(vectors, labels, count, decay, steps) {
  const [n, d] = [vectors.length, vectors[0].length];
  const mean = Array.from({ length: d }, (_, i) => vectors.reduce((sum, vector) => sum + vector[i] / n, 0));
  const centred = vectors.map((vector) => mean.map((value, i) => vector[i] - value));
  const square = centred.reduce((sum, vector) => sum + vector.reduce((a, x) => a + x * x, 0) / n, 0);
  const inputs = centred.map((vector) => [...vector.map((x) => x / Math.sqrt(square)), 1]);
  let weights = Array.from({ length: count }, () => new Array(d + 1).fill(0));
  let before = weights;
  const rate = 1 / (0.5 + decay);
  for (let step = 1; step <= steps; step++) {
    const push = (step - 1) / (step + 2);
    const ahead = weights.map((row, k) => row.map((w, i) => w + push * (w - before[k][i])));
    const gradient = ahead.map((row) => row.map((w, i) => (i < d ? decay * w : 0)));
    inputs.forEach((input, a) => {
      const exps = ahead.map((row) => Math.exp(row.reduce((sum, w, i) => sum + w * input[i], 0)));
      const sum = exps.reduce((x, y) => x + y, 0);
      exps.forEach((exp, k) => {
        const error = exp / sum - (labels[a] === k ? 1 : 0);
        input.forEach((x, i) => {
          gradient[k][i] += (error * x) / n;
        });
      });
    });
    before = weights;
    weights = ahead.map((row, k) => row.map((w, i) => w - rate * gradient[k][i]));
  }
  return inputs.map((input) => {
    const exps = weights.map((row) => Math.exp(row.reduce((sum, w, i) => sum + w * input[i], 0)));
    const sum = exps.reduce((x, y) => x + y, 0);
    return exps.map((exp) => exp / sum);
  });
}

const near = (found, expected, within, what) =>
  found.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]) <= within, `${what ?? "number"} ${i}: ${value}, expected ${expected[i]}`),
  );

test("the head equals plain gradient descent over its weights", () => {
  const { labels, vectors } = points(3, 6, 5, 1.5);
  const gram = run(gramOf(vectors));
  const learnt = run(fit(gram, labels, 3));
  const head = headOf(learnt, vectors);
  const expected = plainDescent(vectors, labels, 3, classifier.DECAY, 120);
  vectors.forEach((vector, a) => {
    near(predict(head, vector), expected[a], 1e-9, `example ${a}, label`);
    near(predictWithin(gram, learnt, a), expected[a], 1e-9, `example ${a} of the table, label`);
  });
});

test("learns to separate distinct labels and returns probabilities", () => {
  const { labels, vectors } = points(4, 8, 40, 0.4);
  const head = headOf(run(fit(run(gramOf(vectors)), labels, 4)), vectors);
  for (const [a, vector] of vectors.entries()) {
    const shares = predict(head, vector);
    assert.equal(argmax(shares), labels[a]);
    near([shares.reduce((x, y) => x + y, 0)], [1], 1e-12);
  }
});

test("judges held-out examples by a head that has not seen them", () => {
  const { labels, vectors } = points(3, 5, 6, 2.2);
  const gram = run(gramOf(vectors));
  const judged = run(heldOut(gram, labels, 3));
  const expected = vectors.map((vector, a) => {
    const others = vectors.filter((_, b) => b !== a);
    const theirs = labels.filter((_, b) => b !== a);
    return argmax(predict(headOf(run(fit(run(gramOf(others)), theirs, 3)), others), vector));
  });
  assert.deepEqual(judged.given, expected);
  assert.equal(judged.right, expected.filter((label, a) => label === labels[a]).length);
  assert.equal(judged.parts, 15);
  assert.deepEqual(
    judged.table.map((row) => row.reduce((a, b) => a + b, 0)),
    [5, 5, 5],
  );
  assert.equal(
    judged.table.reduce((sum, row, label) => sum + row[label], 0),
    judged.right,
  );
});

test("random labels have chance accuracy when held out", () => {
  const { vectors } = points(1, 40, 60, 1);
  const labels = vectors.map((_, a) => (a * 7919) % 2);
  const gram = run(gramOf(vectors));
  const seen = run(fit(gram, labels, 2));
  assert.equal(labels.filter((label, a) => argmax(predictWithin(gram, seen, a)) === label).length, 40, "by heart");
  const { right } = run(heldOut(gram, labels, 2));
  assert.ok(right >= 8 && right <= 30, `${right} of 40 right by chance`);
});

test("holds many examples out in ten parts, each with its share of every label", () => {
  const { labels, vectors } = points(2, 50, 4, 0.1);
  const judged = run(heldOut(run(gramOf(vectors)), labels, 2));
  assert.equal(judged.parts, 10);
  assert.equal(judged.total, 100);
  assert.equal(judged.right, 100);
});

test("a lesson keeps one label per text, no empty texts, distinct names and its limits", () => {
  const { addColumn, addExample, countOf, editExample, labelsOf, lessonOf, moveExample, removeExample, renameColumn } =
    lessons;
  let lesson = lessonOf({ a: ["one"], b: [] });
  const [a, b] = lesson.columns.map(({ id }) => id);
  lesson = addExample(lesson, b, "  two\n  lines ");
  assert.deepEqual(labelsOf(lesson), { a: ["one"], b: ["two lines"] });
  assert.equal(addExample(lesson, b, "   "), lesson);
  assert.equal(addExample(lesson, b, "two lines"), lesson);
  lesson = addExample(lesson, b, "one");
  assert.deepEqual(labelsOf(lesson), { a: [], b: ["two lines", "one"] });
  const [two, one] = lesson.columns[1].examples.map(({ id }) => id);
  assert.deepEqual(labelsOf(moveExample(lesson, one, a)), { a: ["one"], b: ["two lines"] });
  assert.equal(moveExample(lesson, one, 999), lesson);
  assert.deepEqual(labelsOf(editExample(lesson, two, "2")), { a: [], b: ["2", "one"] });
  assert.deepEqual(labelsOf(editExample(lesson, two, "one")), { a: [], b: ["one"] });
  assert.deepEqual(labelsOf(editExample(lesson, two, " ")), { a: [], b: ["one"] });
  assert.deepEqual(labelsOf(removeExample(lesson, two)), { a: [], b: ["one"] });
  assert.deepEqual(Object.keys(labelsOf(renameColumn(lesson, b, "a"))), ["a", "a 2"]);
  assert.equal(renameColumn(lesson, b, " "), lesson);
  let many = lesson;
  for (let i = 0; i < 20; i++) many = addColumn(many);
  assert.equal(many.columns.length, lessons.MOST_LABELS);
  assert.equal(new Set(many.columns.map(({ name }) => name)).size, lessons.MOST_LABELS);
  const full = lessonOf({ a: Array.from({ length: lessons.MOST_EXAMPLES }, (_, i) => `text ${i}`), b: [] });
  assert.equal(countOf(addExample(full, full.columns[1].id, "more")), lessons.MOST_EXAMPLES);
});

test("restores a lesson from a link; a preset by its name, a broken link as the first preset", () => {
  const lesson = lessons.lessonOf({ "naïve & odd": ["a=b#c", "“é”"], empty: [] });
  assert.deepEqual(lessons.labelsOf(decodeLesson(encodeLesson(lesson))), lessons.labelsOf(lesson));
  assert.equal(encodeLesson(decodeLesson("topic")), "topic");
  for (const broken of ["", "[[", "[[1]]", '{"a":1}', JSON.stringify(Array(99).fill(["x"]))])
    assert.equal(encodeLesson(decodeLesson(broken)), PRESETS[0].id);
  assert.equal(encodeLesson(lessons.lessonOf({ a: ["x".repeat(9000)], b: ["y"] })), undefined);
});

test("CSV: finds columns by name or content, reads quotes, semicolons and tabs, and explains unusable files", () => {
  const expected = [
    { text: 'He said "no", twice', label: "bad" },
    { text: "Fine", label: "good" },
  ];
  assert.deepEqual(rowsOfCsv('id,Label,Text\n1,bad,"He said ""no"", twice"\n2,good,Fine\n'), expected);
  assert.deepEqual(rowsOfCsv('\uFEFFbad;"He said ""no"", twice"\r\ngood;Fine\r\n'), expected);
  assert.deepEqual(rowsOfCsv("a long text here\tx\nanother text\ty\n\n a third one \tx\n"), [
    { text: "a long text here", label: "x" },
    { text: "another text", label: "y" },
    { text: "a third one", label: "x" },
  ]);
  assert.throws(() => rowsOfCsv("just a line\nand another"), /no two columns/);
  assert.throws(() => rowsOfCsv("text,label\na,x\nb,x"), /at least two labels; in this file there is one/);
  assert.throws(
    () => rowsOfCsv(Array.from({ length: 20 }, (_, i) => `text number ${i},name${i}`).join("\n")),
    /label of its own/,
  );
  const lesson = lessons.lessonOf({ a: ['x, "y"'], b: ["z"] });
  assert.deepEqual(rowsOfCsv(csvOf(lesson)), [
    { text: 'x, "y"', label: "a" },
    { text: "z", label: "b" },
  ]);
});

test("a large file keeps the most frequent labels and as many examples as fit, and reports the rest", () => {
  const rows = Array.from({ length: 900 }, (_, i) => ({
    text: `text ${i}`,
    label: i < 20 ? `rare ${i}` : `label ${i % 3}`,
  }));
  const { lesson, left } = lessons.lessonOfRows(rows);
  assert.equal(lesson.columns.length, lessons.MOST_LABELS);
  assert.ok(["label 0", "label 1", "label 2"].every((name) => lesson.columns.some((column) => column.name === name)));
  assert.equal(lessons.countOf(lesson), lessons.MOST_EXAMPLES);
  assert.equal(left, 900 - lessons.MOST_EXAMPLES);
  const twice = lessons.lessonOfRows([
    { text: "same", label: "a" },
    { text: "same", label: "b" },
    { text: "other", label: "a" },
  ]);
  assert.deepEqual(lessons.labelsOf(twice.lesson), { a: ["other"], b: ["same"] });
  assert.equal(twice.left, 0);
});

test("recognises swipes by distance, sideways or up", () => {
  assert.equal(swipe.directionOf(-80, 10), "left");
  assert.equal(swipe.directionOf(90, -20), "right");
  assert.equal(swipe.directionOf(10, -90), "up");
  assert.equal(swipe.directionOf(-80, -200), "up");
  assert.equal(swipe.directionOf(30, 10), undefined);
  assert.equal(swipe.directionOf(0, 200), undefined);
  assert.deepEqual(["left", "right", "up"].map(swipe.placeOfSwipe), [0, 1, 2]);
});

test("the saved model answers like the head over the page's vectors", async () => {
  const folder = new URL("../models/minilm-mlm/", import.meta.url);
  const extract = await pipeline("feature-extraction", folder.href);
  const { labels: byLabel, others } = PRESETS[2];
  const names = Object.keys(byLabel);
  const texts = names.flatMap((name) => byLabel[name]);
  const labels = names.flatMap((name, label) => byLabel[name].map(() => label));
  const vectorsOf = async (texts) => (await extract(texts, { pooling: "mean" })).tolist();
  const vectors = await vectorsOf(texts);
  const head = headOf(run(fit(run(gramOf(vectors)), labels, names.length)), vectors);
  const config = JSON.parse(await readFile(new URL("config.json", folder), "utf8"));
  const file = async (name) => new Blob([await readFile(new URL(name, folder))]);
  const files = {
    ...checkpoint.headFiles(config, names, head),
    "model.safetensors": await file("model.safetensors"),
    "tokenizer.json": await file("tokenizer.json"),
    "tokenizer_config.json": await file("tokenizer_config.json"),
  };
  const classify = await pipeline("text-classification", { files });
  for (const [i, vector] of (await vectorsOf(others)).entries()) {
    const expected = predict(head, vector);
    const found = await classify(others[i], { top_k: null });
    near(
      names.map((name) => found.find(({ label }) => label === name).score),
      expected,
      1e-5,
      `${others[i]}: label`,
    );
  }
  await Promise.all([classify.dispose(), extract.dispose()]);
});
