// `webert train`, on a small checkpoint in Node.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pipeline } from "../dist/node.js";

const golden = new URL("goldens/training/rows", import.meta.url).pathname;
const cli = new URL("../dist/cli.js", import.meta.url).pathname;
let dir;
let rows;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "webert-train-"));
  const { train_rows, eval_rows } = JSON.parse(await readFile(`${golden}/rows.json`, "utf8"));
  rows = join(dir, "rows.jsonl");
  await writeFile(rows, train_rows.map((row) => JSON.stringify(row)).join("\n"));
  await writeFile(join(dir, "eval.json"), JSON.stringify(eval_rows));
});
after(() => rm(dir, { recursive: true }));

const THREAD = ["--device", "wasm", "--threads", "1"];
const run = (...args) => promisify(execFile)(process.execPath, [cli, "train", ...args, ...THREAD]);
const fails = (args, code, pattern) =>
  assert.rejects(run(...args), (error) => {
    assert.equal(error.code, code, error.stderr);
    assert.match(error.stderr, pattern);
    return true;
  });

test("trains on the rows of a file, saves the model in a folder, and prints metrics as JSON", async () => {
  const to = join(dir, "trained");
  const options = [
    "--eval",
    join(dir, "eval.json"),
    "--labels",
    "refund,login,bug,other",
    "--seed",
    "7",
    "--num_train_epochs",
    "1",
  ];
  const { labels } = JSON.parse(await readFile(`${golden}/rows.json`, "utf8"));
  options[3] = labels.join(",");
  const { stdout, stderr } = await run("text-classification", golden, rows, "--to", to, ...options);
  const { global_step, training_loss, metrics } = JSON.parse(stdout);
  assert.equal(global_step, 1);
  assert.ok(training_loss > 0 && metrics.loss > 0 && metrics.accuracy >= 0, stdout);
  assert.match(stderr, /step 1 of 1, loss \d/);
  assert.deepEqual((await readdir(to)).sort(), [
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
  ]);
  const classify = await pipeline("text-classification", to, { device: "wasm" });
  const [{ label }] = await classify("a text");
  assert.ok(labels.includes(label));
  await classify.dispose();
});

test("an interrupt keeps the state that --resume continues from", { skip: process.platform === "win32" }, async () => {
  const to = join(dir, "stopped");
  const args = [
    "train",
    "text-classification",
    golden,
    rows,
    "--to",
    to,
    "--num_train_epochs",
    "2000",
    "--save_steps",
    "1",
  ];
  const child = spawn(process.execPath, [cli, ...args, ...THREAD], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => {
    if (!said) child.kill("SIGINT");
    said += data;
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.equal(code, 1, said);
  assert.match(said, /interrupted\. .*--resume/);
  const { global_step } = JSON.parse(await readFile(join(to, "trainer_state.json"), "utf8"));
  const { stdout } = await run(rows, "--resume", to, "--to", to, "--max_steps", String(global_step + 2));
  assert.equal(JSON.parse(stdout).global_step, global_step + 2);
});

test("rejects invalid command lines and unreadable rows", async () => {
  await fails(["text-classification", golden, rows], 2, /--to FOLDER/);
  await fails(
    ["text-classification", golden, rows, "--to", dir, "--learning_rat", "1"],
    2,
    /did you mean --learning_rate/,
  );
  await fails(["text-classification", golden, join(dir, "none.jsonl"), "--to", dir], 1, /none\.jsonl.*not_found/);
  const bad = join(dir, "bad.jsonl");
  await writeFile(bad, '{"text": "a", "label": 0}\n\n{"text"\n');
  await fails(["text-classification", golden, bad, "--to", dir], 1, /bad\.jsonl, line 3: expected JSON.*bad_input/);
  await fails(
    ["text-classification", golden, `${golden}/model.safetensors`, "--to", dir],
    2,
    /expected a file of rows/,
  );
});
