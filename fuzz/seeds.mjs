// Writes fuzz/seeds, the initial inputs of each target, cut from tests/goldens to a few kilobytes per file.
// Usage: node fuzz/seeds.mjs

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, "tests/goldens", path), "utf8");

function write(name, contents) {
  const path = join(import.meta.dirname, "seeds", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

/** Joins the files for a target that takes several, separated by the byte 0. */
const files = (...texts) => texts.join("\0");

/** Returns a tokenizer.json with only a small part of its vocabulary. */
function cutTokenizer(family, keep) {
  const file = JSON.parse(read(`families/${family}/tokenizer.json`));
  file.model = keep(file.model, new Set(file.added_tokens.map((token) => token.content)));
  file.added_tokens = file.added_tokens.slice(0, 12);
  return JSON.stringify(file);
}

const isShort = (token) => [...token.replace(/^(##|▁|Ġ)/, "")].length <= 1;

/** Returns pairs of a name and its new number. */
const renumbered = (names) => Object.fromEntries(names.map((name, id) => [name, id]));

function cutWordPiece(model, special) {
  const names = Object.keys(model.vocab).filter((name, n) => special.has(name) || n < 60 || /^(##)?[a-z]$/.test(name));
  return { ...model, vocab: renumbered(names) };
}

function cutBpe(model, special) {
  const merges = model.merges.slice(0, 40);
  const made = new Set(merges.map((pair) => (typeof pair === "string" ? pair.split(" ") : pair).join("")));
  const names = Object.keys(model.vocab).filter((name) => special.has(name) || isShort(name) || made.has(name));
  return { ...model, vocab: renumbered(names), merges };
}

function cutUnigram(model, special) {
  const kept = ([name], n) => special.has(name) || n < 100 || /^<0x[0-9A-F]{2}>$/.test(name) || isShort(name);
  return { ...model, vocab: model.vocab.filter(kept).slice(0, 420) };
}

write("tokenizer_json/wordpiece.json", cutTokenizer("mpnet", cutWordPiece));
write("tokenizer_json/bpe.json", cutTokenizer("roberta", cutBpe));
write("tokenizer_json/bpe-prefix.json", cutTokenizer("roberta-prefix", cutBpe));
write("tokenizer_json/unigram.json", cutTokenizer("unigram-bytefallback", cutUnigram));
write("tokenizer_json/unigram-charsmap.json", cutTokenizer("albert-old", cutUnigram));

/** Yields [number, all its bytes] for each field of a protocol buffer. Every field needs a length below 2^14. */
function* fieldsOf(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const [low, high] = bytes.subarray(at + 1);
    const length = low < 128 ? 2 + low : 3 + (low & 127) + (high << 7);
    yield [bytes[at] >> 3, bytes.subarray(at, at + length)];
    at += length;
  }
}

/** Returns a sentencepiece model with only its first pieces. Field 1 is a piece. */
function cutSentencePiece(file) {
  const model = readFileSync(join(root, "tests/goldens/families", file));
  return Buffer.concat([...fieldsOf(model)].filter(([number], n) => number !== 1 || n < 120).map(([, field]) => field));
}

const xlmRoberta = cutSentencePiece("xlmr-spiece/sentencepiece.bpe.model");
write("sentencepiece/albert", cutSentencePiece("albert-spiece/spiece.model"));
write("sentencepiece/xlm-roberta", xlmRoberta);
write("sentencepiece/bad-cut", xlmRoberta.subarray(0, 700));

const vocab = read("models/bert-mlm/vocab.txt");
const settings = read("models/bert-mlm/tokenizer_config.json");
const sides = JSON.stringify({
  do_lower_case: false,
  model_max_length: 8,
  padding_side: "left",
  truncation_side: "left",
  added_tokens_decoder: { 200: { content: "<x>", lstrip: true, rstrip: true, single_word: true, special: false } },
});
write("vocab/bert", files(vocab, settings, '{"unk_token": "[UNK]"}', '{"<y>": 300}', "Hello <y> the, [MASK]s"));
write("vocab/sides", files(vocab, sides, "", "", "a <x> b"));
write(
  "vocab/roles",
  files("[PAD]\r\n[UNK]\r[CLS]\n[SEP]\na\n##b\n", "{}", '{"sep_token": {"content": "[SEP]"}}', "", "ab"),
);

const { files: tweets } = JSON.parse(read("tokenizer-hub/cases.json")).bertweet;
const tweet = "@a isn't &amp; \ud83d\ude02 http://a.b/c :-) p . m . !!!!! \u2026";
write("bpe_codes/bertweet", files(tweets["vocab.txt"], tweets["bpe.codes"], tweet));
write("bpe_codes/bad-count", files("the 3\nriver\n", "t h 1\n", "the"));

for (const model of [
  "bert-mlm",
  "albert-mlm",
  "roberta-mlm",
  "electra-discriminator",
  "distilbert-seqcls",
  "bert-tokencls-bio",
]) {
  write(`config/${model}.json`, read(`models/${model}/config.json`));
}

const texts = [
  "Hello, world! [MASK] unaffable",
  "caf\u00e9 cafe\u0301 \u4e2d\u6587 \ud83d\ude00 \u1100\u1161 \ufb01",
  " \t\u00a0 a\u200db  don't I'll ",
  "the the the the the the the the the",
];
// four bytes of options, a text, and its pair
texts.forEach((text, n) => {
  write(`text/${n}`, files(String.fromCharCode(n, 3 * n, 8 + n, n) + text, texts[(n + 1) % texts.length]));
});

const grid = [5, 6, 7, 8, 9, 10, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 2, 3, 2, 1]; // ids, mask, types, positions
// a head, the flags of the inputs, the length - 1, the sequences - 1
for (let head = 0; head < 9; head += 1) {
  write(`forward/head-${head}`, Buffer.from([head, 7, 2, head === 7 ? 0 : 1, ...grid]));
}
write("forward/ids", Buffer.from([1, 0, 2, 1, 3, 0, 5, 6, 7, 8]));
write("forward/bad-dims", Buffer.from([1, 0xf7, 2, 1, ...grid]));
write("forward/bad-id", Buffer.from([1, 8, 2, 0, 26, 3, 3]));
// a dtype, the length of a piece, the stored types of the tensors, numbers
write("weights/f32", Buffer.from([0, 0, 5, 0, 0, 0, 0, 7, 1, 2, 3, 4]));
write("weights/mixed", Buffer.from([2, 1, 3, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 9, 200, 30, 17]));

/** Returns the header of a masked LM (vocabulary 26, hidden size 8, 16 positions, one layer of width 16) after two option bytes. */
function safetensorsHeader() {
  const layer = "bert.encoder.layer.0";
  const square = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"];
  const linear = (name, rows, cols) => [
    [`${name}.weight`, [rows, cols]],
    [`${name}.bias`, [rows]],
  ];
  const norm = (name) => ["weight", "bias"].map((part) => [`${name}.LayerNorm.${part}`, [8]]);
  const shapes = [
    ["bert.embeddings.word_embeddings.weight", [26, 8]],
    ["bert.embeddings.position_embeddings.weight", [16, 8]],
    ["bert.embeddings.token_type_embeddings.weight", [2, 8]],
    ...norm("bert.embeddings"),
    ...square.flatMap((name) => linear(`${layer}.${name}`, 8, 8)),
    ...norm(`${layer}.attention.output`),
    ...linear(`${layer}.intermediate.dense`, 16, 8),
    ...linear(`${layer}.output.dense`, 8, 16),
    ...norm(`${layer}.output`),
    ...linear("cls.predictions.transform.dense", 8, 8),
    ...norm("cls.predictions.transform"),
    ["cls.predictions.bias", [26]],
  ];
  const header = {};
  let start = 0;
  for (const [name, shape] of shapes) {
    const end = start + 4 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: "F32", shape, data_offsets: [start, end] };
    start = end;
  }
  return JSON.stringify(header);
}
write("safetensors/header", Buffer.concat([Buffer.from([0, 7]), Buffer.from(safetensorsHeader())]));
write("safetensors/bad-empty", Buffer.concat([Buffer.from([1, 0]), Buffer.from("{}")]));

/** Files of PyTorch, after the length of a piece. */
const torchRows = JSON.parse(read("pytorch/files.json"));
const torchFiles = readFileSync(join(root, "tests/goldens/pytorch/files"));
for (const name of [
  "tiny",
  "tiny-legacy",
  "tiny-views",
  "tiny-views-legacy",
  "bad-eval-2",
  "bad-hub-4-legacy",
  "bad-bomb-loop",
])
  write(`pytorch/${name}`, Buffer.concat([Buffer.from([50]), torchFiles.subarray(...torchRows[name].bytes)]));

/** ONNX files, after the length of a piece. */
const onnxRows = JSON.parse(read("onnx/files.json"));
const onnxFiles = readFileSync(join(root, "tests/goldens/onnx/files"));
for (const [name, row] of [
  ["tiny-fp32", "tiny-fp32"],
  ["tiny-int8", "tiny-int8"],
  ["bad-nested", "nested"],
])
  write(`onnx/${name}`, Buffer.concat([Buffer.from([50]), onnxFiles.subarray(...onnxRows[row].bytes)]));

const task = (name, inputs, options = {}) => JSON.stringify({ task: name, inputs, options });
const tasks = {
  "fill-mask": [["the [MASK] is [MASK]"], { top_k: 2, targets: ["a", "b"] }],
  "text-classification": [["a b", { text: "a", text_pair: "b" }], { top_k: null, function_to_apply: "sigmoid" }],
  "token-classification": [["a b c, d"], { aggregation_strategy: "first", ignore_labels: ["O"] }],
  "question-answering": [[["a?", "the river is a long one"]], { top_k: 3, doc_stride: 2, max_seq_len: 12 }],
  "zero-shot-classification": [[["a b", ["c", "d"]]], { multi_label: true, hypothesis_template: "This is {}." }],
  "feature-extraction": [["a", "b c"], { pooling: "mean", normalize: true }],
  "next-sentence-prediction": [[["a", "b"]]],
  "multiple-choice": [[["a", ["b", "c d"]]]],
  "replaced-token-detection": [["a b c"]],
};
for (const [name, [inputs, options]] of Object.entries(tasks)) write(`tasks/${name}.json`, task(name, inputs, options));

const rows = {
  "text-classification": [
    { text: "a b", label: "O" },
    { text: "b", text_pair: "a", label: 1 },
  ],
  "text-classification several": [
    { text: "a", label: ["O", "B-up"] },
    { text: "b", label: [0, 0.5, 1] },
  ],
  "token-classification": [
    { tokens: ["a", "b"], tags: ["O", 1] },
    { text: "a b", entities: [{ start: 0, end: 1, label: "up" }] },
  ],
  "question-answering": [{ question: "a?", context: "b the c", answers: [{ text: "the", answer_start: 2 }] }],
  "multiple-choice": [{ prompt: "a", choices: ["b", "c"], label: 1 }],
  "next-sentence": [{ text: "a", next: "b", is_next: true }],
  texts: ["a b c d e f g h i j k l m", { text: "the" }],
  documents: [["a b", "c d"], "the one. the other. a"],
  "embeddings triplets": [{ text: "a", positive: "b", negative: "c" }],
  "embeddings scored": [{ text: "a", text_pair: "b", score: 0.5 }],
};
for (const [name, value] of Object.entries(rows))
  write(`rows/${name.replace(" ", "-")}.json`, JSON.stringify({ kind: name.split(" ")[0], rows: value }));

/** Returns an index file from the built package. The first byte selects whether the target repairs checksums, and the piece size. */
async function indexFile(choice, dimensions, [quantizes, words], passages) {
  const made = (await import("../dist/webert_search.js")).default();
  await made.default({ module_or_path: readFileSync(join(root, "dist/webert_search.wasm")) });
  const index = made.search_index(dimensions, false, quantizes, words);
  for (const { places, pieces, vectors } of passages)
    index.add(
      Uint32Array.from(places.flat()),
      Uint32Array.from(pieces, (list) => list.length),
      Uint32Array.from(pieces.flat()),
      Float32Array.from(vectors.flat()),
    );
  const writer = made.index_writer();
  const sections = [new TextEncoder().encode("{}"), new TextEncoder().encode("[]\n")];
  for (let n = 2; n < 7; n++) sections.push(index.section(n, 0, 1e6));
  for (const [n, bytes] of sections.entries()) writer.push(n, bytes);
  return Buffer.concat([Buffer.from([choice]), writer.header(index), ...sections]);
}

const two = {
  places: [
    [0, 9],
    [5, 300],
  ],
  pieces: [[1, 7, 7], [2]],
  vectors: [
    [1, 2, 3],
    [0, -1, 0],
  ],
};
const one = { places: [[0, 4]], pieces: [[7, 900]], vectors: [[0.5, 0, 0]] };
const many = Array.from({ length: 256 }, (_, n) => ({
  places: [[0, n]],
  pieces: [[]],
  vectors: [[Math.sin(n), Math.cos(3 * n)]],
}));
write("index/exact", await indexFile(3, 3, [true, true], [two, one]));
write("index/f32", await indexFile(9, 3, [false, false], [one]));
write("index/quantized", await indexFile(201, 2, [true, false], many));
write("index/empty", await indexFile(0, 8, [true, true], []));
const damaged = await indexFile(0, 3, [true, true], [two]);
damaged[damaged.length - 1] ^= 1;
write("index/bad-checksum", damaged);
