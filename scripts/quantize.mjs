// `node scripts/quantize.mjs FROM TO`: a checkpoint folder, in one file or with an index, with its matrices as int8.
//
// Each row of a matrix becomes 127 · x / max|x|, rounded; its scale max|x| / 127 goes into a tensor
// NAME_scale of F32 [rows], which stands before the matrix in the file, as the loader wants it.
// Vectors (biases, LayerNorm) stay F32: they are one part in a thousand.

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, isMain, main } from "./lib/run.mjs";

/** The tensors of a safetensors file: `[{name, dtype, shape, bytes}]`. */
function readTensors(path) {
  const file = readFileSync(path);
  const length = Number(file.readBigUInt64LE(0));
  const { __metadata__, ...header } = JSON.parse(file.toString("utf8", 8, 8 + length));
  const data = file.subarray(8 + length);
  return Object.entries(header).map(([name, { dtype, shape, data_offsets: [from, to] }]) =>
    ({ name, dtype, shape, bytes: data.subarray(from, to) }));
}

function halfToFloat(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const mantissa = half & 1023;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) throw new Failure("a weight is infinite or not a number");
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

function floats({ name, dtype, bytes }) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const each = { F32: [4, (at) => view.getFloat32(at, true)], F16: [2, (at) => halfToFloat(view.getUint16(at, true))] }[dtype];
  if (!each) throw new Failure(`tensor ${name} is ${dtype}, expected F32 or F16`);
  const [size, read] = each;
  return Float32Array.from({ length: bytes.byteLength / size }, (_, i) => read(i * size));
}

/** One tensor as it goes into the file: a matrix as two. */
function quantize(tensor) {
  const { name, shape } = tensor;
  const values = floats(tensor);
  if (shape.length !== 2) return [{ name, dtype: "F32", shape, data: values }];
  const [rows, cols] = shape;
  const scales = new Float32Array(rows);
  const integers = new Int8Array(rows * cols);
  for (let row = 0; row < rows; row++) {
    const part = values.subarray(row * cols, (row + 1) * cols);
    scales[row] = part.reduce((max, x) => Math.max(max, Math.abs(x)), 0) / 127;
    if (scales[row] > 0) part.forEach((x, i) => { integers[row * cols + i] = Math.round(x / scales[row]); });
  }
  return [{ name: `${name}_scale`, dtype: "F32", shape: [rows], data: scales }, { name, dtype: "I8", shape, data: integers }];
}

/** Writes F32 before I8, so that all scales come first and every tensor is aligned. */
function writeTensors(path, tensors) {
  const ordered = ["F32", "I8"].flatMap((dtype) => tensors.filter((tensor) => tensor.dtype === dtype));
  const header = { __metadata__: { format: "pt" } };
  let end = 0;
  for (const { name, dtype, shape, data } of ordered) {
    header[name] = { dtype, shape, data_offsets: [end, end += data.byteLength] };
  }
  let json = JSON.stringify(header);
  json += " ".repeat((8 - (json.length % 8)) % 8);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const parts = ordered.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  writeFileSync(`${path}.part`, Buffer.concat([length, Buffer.from(json), ...parts]));
  renameSync(`${path}.part`, path); // so that a full disk leaves no half file under the real name
}

const WHOLE = "model.safetensors";
const INDEX = "model.safetensors.index.json";

/**
 * The index for a folder whose own files are written: what they hold now, and of a file elsewhere (an encoder that models
 * share, quantized before) the tensors that FROM's index names, with their scales.
 */
function newIndex(weightMap, to) {
  const found = {};
  for (const name of new Set(Object.values(weightMap))) {
    if (!existsSync(join(to, name))) throw new Failure(`${join(to, name)} is missing: quantize the model that it belongs to first`);
    for (const tensor of readTensors(join(to, name))) {
      if (weightMap[tensor.name.replace(/_scale$/, "")] === name) found[tensor.name] = name;
    }
  }
  return { metadata: {}, weight_map: found };
}

function convertIndexed(from, to) {
  const weightMap = JSON.parse(readFileSync(join(from, INDEX), "utf8")).weight_map;
  const own = [...new Set(Object.values(weightMap))].filter((name) => !name.startsWith("../"));
  for (const name of own) writeTensors(join(to, name), readTensors(join(from, name)).flatMap(quantize));
  writeFileSync(join(to, INDEX), JSON.stringify(newIndex(weightMap, to), null, 1));
}

async function convert() {
  const [from, to] = process.argv.slice(2);
  const has = (name) => existsSync(join(from, name));
  if (!from || !to || !(has(WHOLE) || has(INDEX))) {
    throw new Failure(`usage: node scripts/quantize.mjs FROM TO   (folders; FROM has config.json and ${WHOLE} or ${INDEX})`);
  }
  mkdirSync(to, { recursive: true });
  if (has(WHOLE)) writeTensors(join(to, WHOLE), readTensors(join(from, WHOLE)).flatMap(quantize));
  else convertIndexed(from, to);
  const vocabulary = has("tokenizer.json") ? "tokenizer.json" : "vocab.txt"; // one is enough
  for (const name of ["config.json", vocabulary, "tokenizer_config.json"].filter(has)) copyFileSync(join(from, name), join(to, name));
}

if (isMain(import.meta.url)) await main(convert);
