// The command line over files and standard input: encodings, tables, `label` and its continuation, --model.
import assert from "node:assert/strict";
import { exec, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after, test } from "node:test";
import { promisify } from "node:util";

const cli = join(import.meta.dirname, "../dist/cli.js");
const dir = await mkdtemp(join(tmpdir(), "webert-cli-"));
after(() => rm(dir, { recursive: true }));
const at = (name) => join(dir, name);

/** Runs the command line. `input` is its standard input. */
async function webert(args, { input = "", env = {} } = {}) {
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, ...env } });
  const exited = new Promise((resolve) => child.once("close", resolve));
  child.stdin.end(input);
  const [out, error, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), exited]);
  return { out, error, code };
}
const answer = async (...args) => {
  const { out, error, code } = await webert(...args);
  assert.equal(code, 0, error);
  return JSON.parse(out);
};
const TEXTS = ["What a lovely evening!", "The soup was cold, and rude."];

test("several texts need no model with --model, and - is standard input in every task", async () => {
  const two = await answer(["text-classification", "--model", "", ...TEXTS]);
  assert.deepEqual(
    two.map(({ label }) => label),
    ["positive", "negative"],
  );
  assert.deepEqual(await answer(["text-classification", "-"], { input: `${TEXTS[1]}\n` }), [two[1]]);
  const { code, error } = await webert(["question-answering", "--model", "", "who"]);
  assert.equal(code, 2, error);
  assert.match(error, /expected at least 2 words/);
});

test("a first word that can be no model is a text, and an error names the one that was taken as the model", async () => {
  const labels = async (...args) => (await answer(args)).map(({ label }) => label);
  assert.deepEqual(await labels("text-classification", ...TEXTS), ["positive", "negative"]);
  const offline = { HF_ENDPOINT: "http://127.0.0.1:9" };
  const taken = await webert(["text-classification", "good", "bad"], { env: offline });
  assert.equal(taken.code, 1);
  assert.match(taken.error, /127\.0\.0\.1:9\/good.*"good" is the first of several words.*--model ""/);
  const two = await webert(["question-answering", "Where is the piano?", "It is near the window."], { env: offline });
  assert.match(two.error, /127\.0\.0\.1:9\/distilbert/, "the default model, and no usage error");
  const fixed = await webert(["explain", "text-classification", "good", "bad"], { env: offline });
  assert.match(fixed.error, /"good" is the first of several words/);
});

test("reads a pipe without any word, and refuses an empty one", async () => {
  const command = `"${process.execPath}" "${cli}"`;
  const piped = await promisify(exec)(`echo ${TEXTS[1]} | ${command} text-classification`);
  assert.equal(JSON.parse(piped.stdout)[0].label, "negative");
  const usage = /redact: expected at least 1 word, got 0; usage: webert redact/;
  for (const given of [`printf '' | ${command} redact`, `${command} redact < /dev/null`])
    await assert.rejects(promisify(exec)(given), ({ code, stderr }) => code === 2 && usage.test(stderr));
  const child = spawn(process.execPath, [cli, "redact"]); // whose standard input stays open
  assert.match(await textOf(child.stderr), usage);
});

test("index and label read standard input, and index reads patterns and several files without a model", async () => {
  await mkdir(at("globs/deep"), { recursive: true });
  for (const name of ["a.txt", "b.md", "deep/c.txt"]) await writeFile(at(`globs/${name}`), `The text of ${name}.`);
  const index = (...words) => webert(["index", ...words, "--to", at("globs.idx")]);
  for (const [words, count] of [
    [[at("globs/a.txt"), at("globs/b.md")], 2],
    [[at("globs/*.txt")], 1],
    [[at("globs/**/*.txt")], 2],
    [[at("globs/?.*"), at("globs/deep")], 3],
  ]) {
    const { out, error } = await index(...words);
    assert.match(out, new RegExp(`: ${count} document${count === 1 ? "" : "s"},`), `${words}: ${error}`);
  }
  assert.match((await index(at("globs/*.csv"))).error, /globs\/\*\.csv: no file matches \(not_found\)/);
  const piped = await webert(["index", "-", "--to", at("globs.idx")], { input: "It rained all day." });
  assert.match(piped.out, /: 1 document,/, piped.error);
  assert.equal((await answer(["search", at("globs.idx"), "rain"]))[0].id, "standard input");
  const rows = await webert(["label", "-", "--to", at("piped.csv")], { input: `text\n${TEXTS[0]}\n` });
  assert.equal(rows.code, 0, rows.error);
  assert.match(await readFile(at("piped.csv"), "utf8"), /^text,label,score\nWhat a lovely evening!,positive,/);
});

test("usage errors name what is missing, and -v is --version", async () => {
  assert.match((await webert(["-v"])).out, /^\d+\.\d+\.\d+\n$/);
  for (const [args, pattern] of [
    [["label", "x.csv"], /label: expected the option --to; usage/],
    [["label"], /label: expected one file, got 0; usage/],
    [["convert", "./x"], /convert: expected the option --dtype; usage/],
    [["check"], /check: expected one word, got 0; usage/],
    [["--frob"], /unknown option --frob: expected --help, --version or a command/],
  ]) {
    const { code, error } = await webert(args);
    assert.equal(code, 2, error);
    assert.match(error, pattern);
  }
});

test("check and train take --model, and train has a default model", async () => {
  const folder = join(import.meta.dirname, "../models/minilm-topic");
  assert.match((await webert(["check", "--model", folder])).out, /loads/);
  await writeFile(at("rows.csv"), `text,label\n${TEXTS[0]},good\n"${TEXTS[1]}",bad\n`);
  for (const more of [[], ["--model", join(folder, "../minilm-mlm")]]) {
    const run = ["train", "text-classification", at("rows.csv"), "--labels", "good,bad", "--to", at("taught"), ...more];
    const { code, error } = await webert([...run, "--max_steps", "1"]);
    assert.equal(code, 0, error);
  }
});

test("train names the file and the row, from 1, of a wrong label", async () => {
  await writeFile(at("good.csv"), `text,label\n${TEXTS[0]},good\nIt was cold.,bad\n`);
  await writeFile(at("wrong.csv"), `text,label\n${TEXTS[0]},good\nIt was cold.,worse\n`);
  const train = (...more) =>
    webert(["train", "text-classification", ...more, "--labels", "good,bad", "--max_steps", "1", "--to", at("taught")]);
  const wrong = /wrong\.csv, row 2: label: expected one of good, bad, got "worse"/;
  assert.match((await train(at("wrong.csv"))).error, wrong);
  assert.match((await train(at("good.csv"), "--eval", at("wrong.csv"))).error, wrong);
  const within = await train(at("good.csv"), "--eval", at("wrong.csv"), "--eval_steps", "1");
  assert.match(within.error, /webert: row 2: label/);
});

test("label writes a table with quotes and a byte order mark, and continues an interrupted run", async () => {
  const csv = `\uFEFFid,text,note\r\n1,"What a ""lovely"" evening, really!",a\r\n2,"The soup was cold\nand rude.",b\r\n3,It was great fun.,c\r\n`;
  await writeFile(at("in.csv"), csv);
  const run = (...more) => webert(["label", at("in.csv"), "--to", at("out.csv"), ...more]);
  const first = await run();
  assert.equal(first.code, 0, first.error);
  assert.match(first.error, /3 of 3 rows/);
  const whole = await readFile(at("out.csv"), "utf8");
  assert.match(
    whole,
    /^id,text,note,label,score\n1,"What a ""lovely"" evening, really!",a,positive,0\.\d+\n2,"The soup was cold\nand rude\.",b,negative,/,
  );
  // An interruption in the middle of the last row.
  await writeFile(at("out.csv"), whole.slice(0, -9));
  const again = await run();
  assert.match(again.error, /continues after row 2/);
  assert.equal(await readFile(at("out.csv"), "utf8"), whole);
  await writeFile(at("out.csv"), whole.replace("3,It was", "3,It is"));
  const other = await run();
  assert.match(other.error, /row 3: expected the row of .*--overwrite/);
  assert.equal((await run("--overwrite")).code, 0);
  assert.equal(await readFile(at("out.csv"), "utf8"), whole);
});

test("label reads and writes JSONL, and names a missing column", async () => {
  await writeFile(at("in.jsonl"), TEXTS.map((review) => JSON.stringify({ review })).join("\r\n"));
  const args = ["label", at("in.jsonl"), "--to", at("out.jsonl")];
  const { code, error } = await webert([...args, "--column", "review"]);
  assert.equal(code, 0, error);
  const rows = (await readFile(at("out.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(({ review, label }) => [review, label]),
    [
      [TEXTS[0], "positive"],
      [TEXTS[1], "negative"],
    ],
  );
  assert.match((await webert(args)).error, /row 1: expected a text in the column "text", got the columns review/);
});

const utf16 = (text, isBig) => (isBig ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, "utf16le"));
const CAFE = 'text\n"The café was lovely, très bien!"\n';
for (const [name, bytes] of Object.entries({
  "UTF-16 with a mark": utf16(`\uFEFF${CAFE}`),
  "big-endian UTF-16 with a mark": utf16(`\uFEFF${CAFE}`, true),
  "UTF-16 without a mark": utf16(CAFE),
  "Latin-1": Buffer.from(CAFE, "latin1"),
})) {
  test(`reads ${name}`, async () => {
    await writeFile(at("coded.csv"), bytes);
    const { code, error } = await webert(["label", at("coded.csv"), "--to", at("coded-out.csv"), "--overwrite"]);
    assert.equal(code, 0, error);
    assert.match(await readFile(at("coded-out.csv"), "utf8"), /\n"The café was lovely, très bien!",positive,/);
    assert.equal(/Windows-1252/.test(error), name === "Latin-1");
  });
}

test("index takes folders and tables, and refuses binary and empty files by name", async () => {
  await mkdir(at("notes/deep"), { recursive: true });
  await writeFile(at("notes/a.txt"), "The piano stands near the window.");
  await writeFile(at("notes/deep/b.csv"), "id,text\n7,It rained all day.\n");
  const made = await webert(["index", at("notes"), "--to", at("notes.idx")]);
  assert.match(made.out, /2 documents/, made.error);
  const [best] = await answer(["search", at("notes.idx"), "when did it rain"]);
  assert.equal(best.id, "7");
  await writeFile(
    at("image.png"),
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]),
  );
  await writeFile(at("empty.txt"), "\n");
  for (const [file, pattern] of [
    ["image.png", /image\.png: expected a text file, got binary data/],
    ["empty.txt", /empty\.txt: expected a text, got an empty file/],
  ]) {
    const { code, error } = await webert(["index", at(file), "--to", at("x.idx")]);
    assert.equal(code, 1);
    assert.match(error, pattern);
  }
});

test("reads HF_ENDPOINT and HF_HOME, and explains options with their defaults", async () => {
  const asked = await webert(["fill-mask", "owner/name", "a [MASK]"], {
    env: { HF_ENDPOINT: "http://127.0.0.1:9", HF_HOME: dir },
  });
  assert.equal(asked.code, 1);
  assert.match(asked.error, /127\.0\.0\.1:9/);
  const { out } = await webert(["help", "label"]);
  assert.match(out, /--column +.*default: "text"/);
});
