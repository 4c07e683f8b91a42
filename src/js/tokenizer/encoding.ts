// Options and results of a tokenizer call, and the numbers of the wasm side as fields.
import { WebertError } from "../errors.js";
import { Tensor } from "../tensor/tensor.js";

/** Options of a tokenizer call, with Hugging Face's names. null means the default. */
export interface EncodeOptions {
  /** Add special tokens, e.g. [CLS] and [SEP]. By default true. */
  add_special_tokens?: boolean | null;
  /** Pad to the longest text (true, "longest") or to `max_length` ("max_length"). By default false. */
  padding?: boolean | "longest" | "max_length" | "do_not_pad" | null;
  /**
   * Shorten to `max_length`: the longer text of a pair first (true, "longest_first"), or only one text of the pair. By
   * default true if `max_length` is set and `padding` is not, otherwise false.
   */
  truncation?: boolean | "longest_first" | "only_first" | "only_second" | "do_not_truncate" | null;
  /** Maximum number of tokens. By default the model's limit. */
  max_length?: number | null;
  /** Number of tokens that neighbouring windows share. By default 0. */
  stride?: number | null;
  /** Round padded lengths up to a multiple of this number. */
  pad_to_multiple_of?: number | null;
  /**
   * Return the tokens that truncation cuts off as further windows. A call returns at most 2^24 tokens in 2^20 windows,
   * including padding.
   */
  return_overflowing_tokens?: boolean | null;
  /** Return `offset_mapping`. */
  return_offsets_mapping?: boolean | null;
  /** Return `special_tokens_mask`. */
  return_special_tokens_mask?: boolean | null;
  /** Return `word_ids`. */
  return_word_ids?: boolean | null;
  /** Return `token_type_ids`. By default true if the tokenizer's `model_input_names` has them. */
  return_token_type_ids?: boolean | null;
  /** Return `attention_mask`. By default true if the tokenizer's `model_input_names` has it. */
  return_attention_mask?: boolean | null;
  /**
   * Treat special tokens in a text, e.g. "[SEP]", as text. By default `split_special_tokens` of tokenizer_config.json,
   * otherwise false.
   */
  split_special_tokens?: boolean | null;
  /** Side of the padding. By default the tokenizer's `padding_side`. */
  padding_side?: "left" | "right" | null;
}

/** Result of a tokenizer call. T is a Tensor, or plain arrays of the same depth. */
export interface BatchEncoding<T, Offsets = T, Words = T> {
  input_ids: T;
  /** Absent if the tokenizer's `model_input_names` does not have it. */
  attention_mask: T;
  /** Absent if the tokenizer's `model_input_names` does not have it. */
  token_type_ids: T;
  /** 1 for tokens that the tokenizer added. */
  special_tokens_mask?: T;
  /**
   * `text.slice(start, end)` is the token, in UTF-16 code units; [0, 0] for added tokens. As a Tensor its dims are [n,
   * tokens, 2].
   */
  offset_mapping?: Offsets;
  /** Index of each token's word in the text. null for added tokens; -1 in a Tensor. */
  word_ids?: Words;
  /** Index of each window's text. As a Tensor its dims are [windows]. */
  overflow_to_sample_mapping?: T extends Tensor ? T : number[];
}

/** Reads `length` tokens from `start` on. */
type FieldReader = (encoded: Uint32Array, start: number, length: number) => unknown[];

/**
 * Fields of an encoding besides `input_ids`, in the order of the wasm side (src/wasm/tokenizer.rs). `numbers` is the
 * count per token. `same` is the value of all tokens if the wasm side omits the field.
 */
const FIELDS: readonly { name: string; numbers: number; same: number; read: FieldReader }[] = [
  { name: "attention_mask", numbers: 1, same: 1, read: list },
  { name: "token_type_ids", numbers: 1, same: 0, read: list },
  { name: "special_tokens_mask", numbers: 1, same: 0, read: list },
  { name: "offset_mapping", numbers: 2, same: 0, read: pairs },
  { name: "word_ids", numbers: 1, same: 0, read: words },
];

/** Returns the bits of the requested fields. `inputs`: the model's inputs. */
export const fieldsOf = (options: EncodeOptions, inputs: readonly string[]): number =>
  ((options.return_attention_mask ?? inputs.includes("attention_mask")) ? 1 : 0) |
  ((options.return_token_type_ids ?? inputs.includes("token_type_ids")) ? 2 : 0) |
  (options.return_special_tokens_mask ? 4 : 0) |
  (options.return_offsets_mapping ? 8 : 0) |
  (options.return_word_ids ? 16 : 0);

/** The wasm side's result for `fields`, and whether the caller passed one text instead of an array. */
export interface Rows {
  encoded: Uint32Array;
  fields: number;
  single: boolean;
}

/** Returns the index of the first id. Before it are two numbers, then two per window. */
const idsAt = (encoded: Uint32Array) => 2 + 2 * encoded[0]!;

/** Returns the ids of the first window. */
export const firstIds = (encoded: Uint32Array): number[] => list(encoded, idsAt(encoded), encoded[3]!);

/** Returns the requested fields in the requested form. */
export function encodings({ encoded, fields, single }: Rows, options: EncodeOptions, tensor: boolean): unknown {
  const overflowing = options.return_overflowing_tokens ?? false;
  if (single && !overflowing && !tensor) return onlyRow(encoded, fields);
  const windows = encoded[0]!;
  const absent = encoded[1]!;
  const width = encoded[3] ?? 0;
  if (tensor) oneLength(encoded);
  const tokens = total(encoded);
  let at = idsAt(encoded);
  const ids = tensor
    ? new Tensor("int64", int64(encoded, at, tokens, false), [windows, width])
    : lists(encoded, at, 1, list);
  const result: Record<string, unknown> = { input_ids: ids };
  at += tokens;
  for (const [field, { name, numbers, same, read }] of FIELDS.entries()) {
    if (!(fields & (1 << field))) continue;
    const isThere = !(absent & (1 << field));
    if (!tensor) {
      const fill: FieldReader = (_, __, length) => new Array<number>(length).fill(same);
      result[name] = isThere ? lists(encoded, at, numbers, read) : lists(encoded, 0, 0, fill);
    } else {
      const data = isThere
        ? int64(encoded, at, tokens * numbers, name === "word_ids")
        : new BigInt64Array(tokens).fill(BigInt(same));
      result[name] = new Tensor("int64", data, numbers === 2 ? [windows, width, 2] : [windows, width]);
    }
    if (isThere) at += tokens * numbers;
  }
  if (overflowing) {
    const samples: number[] = [];
    for (let i = 2; i < idsAt(encoded); i += 2) samples.push(encoded[i]!);
    result.overflow_to_sample_mapping = tensor ? new Tensor("int64", samples, [samples.length]) : samples;
  }
  return result;
}

/** Returns the fields of a text with one window, as lists. */
function onlyRow(encoded: Uint32Array, fields: number): unknown {
  const absent = encoded[1]!;
  const length = encoded[3]!;
  const result: Record<string, unknown> = { input_ids: list(encoded, 4, length) };
  let at = 4 + length;
  for (let field = 0; field < FIELDS.length; field++) {
    if (!(fields & (1 << field))) continue;
    const { name, numbers, same, read } = FIELDS[field]!;
    if (absent & (1 << field)) {
      result[name] = new Array<number>(length).fill(same);
    } else {
      result[name] = read(encoded, at, length);
      at += numbers * length;
    }
  }
  return result;
}

/** Returns the number of tokens of all windows. */
function total(encoded: Uint32Array): number {
  let tokens = 0;
  for (let i = 3; i < idsAt(encoded); i += 2) tokens += encoded[i]!;
  return tokens;
}

/** Returns the result of `read` for each window. The field begins at `start` and has `numbers` numbers per token. */
function lists(encoded: Uint32Array, start: number, numbers: number, read: FieldReader): unknown[] {
  const rows: unknown[] = [];
  for (let i = 3; i < idsAt(encoded); i += 2) {
    const length = encoded[i]!;
    rows.push(read(encoded, start, length));
    start += length * numbers;
  }
  return rows;
}

// Plain loops, because Array.from takes five times as long.
function list(encoded: Uint32Array, start: number, length: number): number[] {
  const numbers = new Array<number>(length);
  for (let i = 0; i < length; i++) numbers[i] = encoded[start + i]!;
  return numbers;
}

function pairs(encoded: Uint32Array, start: number, length: number): [number, number][] {
  const offsets = new Array<[number, number]>(length);
  for (let i = 0; i < length; i++) offsets[i] = [encoded[start + 2 * i]!, encoded[start + 2 * i + 1]!];
  return offsets;
}

const NO_WORD = 0xffff_ffff;

function words(encoded: Uint32Array, start: number, length: number): (number | null)[] {
  const ids = new Array<number | null>(length);
  for (let i = 0; i < length; i++) ids[i] = encoded[start + i] === NO_WORD ? null : encoded[start + i]!;
  return ids;
}

/**
 * Returns numbers as int64; if `signed`, NO_WORD becomes -1. One BigInt per number would take ten times as long. The
 * lower half comes first, as in WebAssembly.
 */
function int64(encoded: Uint32Array, start: number, length: number, signed: boolean): BigInt64Array<ArrayBuffer> {
  const data = new BigInt64Array(length);
  const halves = new Int32Array(data.buffer);
  for (let i = 0; i < length; i++) {
    const value = encoded[start + i]!;
    halves[2 * i] = value;
    if (signed && value === NO_WORD) halves[2 * i + 1] = -1;
  }
  return data;
}

/** Throws if the windows have different lengths. */
function oneLength(encoded: Uint32Array): void {
  const lengths = new Set<number>();
  for (let i = 3; i < idsAt(encoded); i += 2) lengths.add(encoded[i]!);
  if (lengths.size < 2) return;
  const some = [...lengths].slice(0, 4).join(", ");
  const message = `Unable to create tensor: the texts have different numbers of tokens (${some} …): a Tensor needs padding: true, or use return_tensor: false`;
  throw new WebertError("bad_input", message);
}
