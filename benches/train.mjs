// `npm run bench -- train [PART…]`: the cost of training on the CPU, with the built package in Node. Without a PART, all
// run. If PYTHON (python3 by default) has torch and transformers, the CPU build of PyTorch is measured in turn.
//
// speed: a forward pass with loss, and a step (forward, backward, AdamW), in one thread and in two. The model has the
//     sizes of MiniLM in f32, with 8 sequences of 128 tokens, 6 labels and no dropout.
// head: 48 short texts with 6 labels over the frozen packaged encoder, in one thread: the time until the first answer,
//     and after a row has changed.
// memory: the peak memory of a process, less its memory before the model was loaded.
// lora: the same for all weights and for low-rank adapters, from a folder with weights.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Trainer } from "../dist/node.js";
import { root } from "../scripts/lib/run.mjs";
import { lines } from "./proofs/data.mjs";
import { findPython } from "./proofs/peer.mjs";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 needs this flag, later versions do not

const MODEL = join(root, "models/minilm-mlm");
const SIZES = {
  MiniLM: { hidden_size: 384, num_hidden_layers: 6, num_attention_heads: 12, intermediate_size: 1536 },
  "BERT-base": { hidden_size: 768, num_hidden_layers: 12, num_attention_heads: 12, intermediate_size: 3072 },
};
const LABELS = ["a", "b", "c", "d", "e", "f"];
const [BATCH, TOKENS] = [8, 128];
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const PARTS = { speed, head, memory, lora };
/** Options of `peft` by name. */
const ADAPTERS = { "all weights": undefined, "query, value": {}, "all-linear": { target_modules: "all-linear" } };

/** Creates a trainer of a model with random weights. */
function newTrainer(sizes, threads) {
  const config = {
    ...{ model_type: "bert", vocab_size: 30522, max_position_embeddings: 512, type_vocab_size: 2, hidden_act: "gelu" },
    ...sizes,
    ...{ hidden_dropout_prob: 0, attention_probs_dropout_prob: 0 },
  };
  return Trainer.from_config("text-classification", config, MODEL, { labels: LABELS, threads, device: "wasm" });
}

/** Returns the ids of BATCH sequences, and a label for each. */
function batch() {
  const row = (n) => Array.from({ length: TOKENS }, (_, at) => 1000 + (((n * TOKENS + at) * 7919) % 29000));
  const input_ids = Array.from({ length: BATCH }, (_, n) => row(n));
  return [{ input_ids }, { labels: input_ids.map((_, n) => n % LABELS.length) }];
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

async function seconds(body) {
  const start = performance.now();
  await body();
  return (performance.now() - start) / 1e3;
}

/** Starts PyTorch in another process, which runs `forward` or `step` on request and reports the time. Undefined without a Python. */
async function pytorch(python, sizes, threads) {
  if (!python) return undefined;
  const told = JSON.stringify({ ...sizes, threads, labels: LABELS.length, batch: BATCH, tokens: TOKENS });
  const script = fileURLToPath(new URL("train.py", import.meta.url));
  const child = spawn(python, [script, told], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const version = (await answers.next()).value;
  const time = async (what) => (child.stdin.write(`${what}\n`), Number((await answers.next()).value));
  return { version, forward: () => time("forward"), step: () => time("step"), end: () => child.stdin.end() };
}

async function webert(sizes, threads) {
  const trainer = await newTrainer(sizes, threads);
  const [inputs, labels] = batch();
  return {
    version: `webert (${trainer.info.simd})`,
    forward: () => seconds(() => trainer.loss(inputs, labels)),
    step: () =>
      seconds(() => trainer.step(inputs, labels, { learning_rate: 1e-5, weight_decay: 0.01, max_grad_norm: 1 })),
    end: () => trainer.dispose(),
  };
}

/** Returns the median seconds of a forward pass and of a step for each contender. They take turns. */
async function measure(contenders) {
  const times = contenders.map(() => ({ forward: [], step: [] }));
  for (let round = -1; round < ROUNDS; round++)
    for (const [n, contender] of contenders.entries())
      for (const what of ["forward", "step"]) {
        const time = await contender[what]();
        if (round >= 0) times[n][what].push(time); // the first round is a warm-up
      }
  return times.map(({ forward, step }) => ({ forward: median(forward), step: median(step) }));
}

async function speed(python) {
  const sizes = SIZES.MiniLM;
  const steps = [];
  for (const threads of [1, 2]) {
    const contenders = [await webert(sizes, threads), await pytorch(python, sizes, threads)].filter(Boolean);
    const medians = await measure(contenders);
    for (const [n, { forward, step }] of medians.entries())
      console.log(
        `${contenders[n].version}, ${threads} thread(s): forward ${(1e3 * forward).toFixed(0)} ms, step ${(1e3 * step).toFixed(0)} ms, ` +
          `${(step / forward).toFixed(2)} × forward, ${((BATCH * TOKENS) / step).toFixed(0)} tokens/s` +
          (n > 0 ? `; webert has ${(step / medians[0].step).toFixed(2)} of its tokens/s` : ""),
      );
    steps.push(medians[0].step);
    for (const contender of contenders) await contender.end();
  }
  console.log(`a step in two threads: ${(steps[0] / steps[1]).toFixed(2)} × as fast as in one`);
}

async function head() {
  const rows = lines("tickets-train.tsv").map(([label, text]) => ({ label, text }));
  const labels = [...new Set(rows.map(({ label }) => label))];
  const options = { num_train_epochs: 30, learning_rate: 1e-3 };
  let trainer;
  let classify;
  const first = await seconds(async () => {
    trainer = await Trainer.from_pretrained("text-classification", MODEL, {
      labels,
      freeze: "encoder",
      device: "wasm",
    });
    await trainer.train(rows, options);
    classify = await trainer.pipeline();
    await classify("Where is my parcel?");
  });
  const changes = [];
  for (let round = 0; round < ROUNDS; round++) {
    rows[round] = { ...rows[round], text: `${rows[round].text} That is number ${round}.` };
    const work = async () => (await trainer.train(rows, options), await classify("Where is my parcel?"));
    changes.push(await seconds(work));
  }
  await trainer.dispose();
  console.log(
    `head alone, ${rows.length} texts, ${labels.length} labels: ${first.toFixed(2)} s until it answers, loading included; ` +
      `${(1e3 * median(changes)).toFixed(0)} ms after a row has changed`,
  );
}

/** Measures memory in a new process, so that its peak belongs to the one model. */
function memory() {
  for (const [name, checkpointing] of [
    ["MiniLM", false],
    ["MiniLM", true],
    ["BERT-base", true],
  ]) {
    const script = fileURLToPath(import.meta.url);
    const args = [script, "peak", name, String(checkpointing)];
    const { peak, parameters } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    console.log(
      `${name}, all weights, ${BATCH} × ${TOKENS}${checkpointing ? ", gradient_checkpointing" : ""}: ${(peak / 1e6).toFixed(0)} MB, ` +
        `parameters in f32 ${(parameters / 1e6).toFixed(0)} MB, of which four times and 200 MB are ${(parameters * 4e-6 + 200).toFixed(0)} MB`,
    );
  }
}

/** Measures the memory that training takes with low-rank adapters and with all weights. */
function lora() {
  const script = fileURLToPath(import.meta.url);
  const node = (...args) => execFileSync(process.execPath, [script, ...args], { encoding: "utf8" });
  for (const name of Object.keys(SIZES)) {
    const folder = mkdtempSync(join(tmpdir(), "webert-lora-"));
    try {
      node("write", name, folder);
      const peaks = Object.keys(ADAPTERS).map((how) => [
        how,
        JSON.parse(node("peak", name, "false", folder, how)).peak,
      ]);
      for (const [how, peak] of peaks)
        console.log(
          `${name}, ${how}, ${BATCH} × ${TOKENS}: ${(peak / 1e6).toFixed(0)} MB, ${(peak / peaks[0][1]).toFixed(2)} of all weights`,
        );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/** Writes a model with random weights into a folder. */
async function write(name, folder) {
  const trainer = await newTrainer(SIZES[name], 1);
  const { files } = await trainer.save();
  await trainer.dispose();
  for (const [file, blob] of Object.entries(files)) await writeFile(join(folder, file), blob.stream());
}

/** Prints the peak memory of two steps of a model, in bytes. With a folder its model is trained as `how` names. */
async function peak(name, checkpointing, folder, how) {
  const before = process.memoryUsage().rss;
  const trainer = folder
    ? await Trainer.from_pretrained("text-classification", folder, { threads: 1, device: "wasm", peft: ADAPTERS[how] })
    : await newTrainer(SIZES[name], 1);
  const [inputs, labels] = batch();
  const options = { learning_rate: 1e-5, gradient_checkpointing: checkpointing === "true" };
  for (let step = 0; step < 2; step++) await trainer.step(inputs, labels, options);
  const parameters = 4 * trainer.info.parameters;
  console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024 - before, parameters }));
  await trainer.dispose();
}

const named = process.argv.slice(2);
if (named[0] === "peak") {
  await peak(...named.slice(1));
} else if (named[0] === "write") {
  await write(...named.slice(1));
} else {
  const unknown = named.find((name) => !(name in PARTS));
  if (unknown) throw new Error(`unknown: ${unknown}; there are ${Object.keys(PARTS).join(", ")}`);
  const python = findPython();
  for (const [name, part] of Object.entries(PARTS)) if (!named.length || named.includes(name)) await part(python);
}
