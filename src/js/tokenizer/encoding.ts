import { WebertError } from "../errors.js";
import { Tensor } from "../tensor/tensor.js";

/** Options of a tokenizer call, as Hugging Face names them. null is the default of each. */
export interface EncodeOptions {
  /** [CLS] … [SEP]; true. */
  add_special_tokens?: boolean | null;
  /** Pad to the longest (true, "longest") or to max_length; false. */
  padding?: boolean | "longest" | "max_length" | "do_not_pad" | null;
  /** Shorten to max_length: the longer of a pair first (true), or one side only. By default true where max_length is given and
      padding is not, else false. */
  truncation?: boolean | "longest_first" | "only_first" | "only_second" | "do_not_truncate" | null;
  /** In tokens; by default the model's. */
  max_length?: number | null;
  /** Tokens that neighbouring windows share; 0. */
  stride?: number | null;
  /** Round padded lengths up to a multiple of this. */
  pad_to_multiple_of?: number | null;
  /** Give what truncation cuts off as further windows. A call gives at most 2^24 tokens in 2^20 windows, padding included. */
  return_overflowing_tokens?: boolean | null;
  /** Give `offset_mapping`. */
  return_offsets_mapping?: boolean | null;
  /** Give `special_tokens_mask`. */
  return_special_tokens_mask?: boolean | null;
  /** Give `word_ids`. */
  return_word_ids?: boolean | null;
  /** Give `token_type_ids`; by default if the tokenizer's `model_input_names` has them. */
  return_token_type_ids?: boolean | null;
  /** Give `attention_mask`; by default if the tokenizer's `model_input_names` has it. */
  return_attention_mask?: boolean | null;
  /** Keep special tokens that a text spells out, e.g. "[SEP]", as text; by default as `split_special_tokens` of tokenizer_config.json says, else false. */
  split_special_tokens?: boolean | null;
  /** The side to pad at; by default the tokenizer's `padding_side`. */
  padding_side?: "left" | "right" | null;
}

/** What a tokenizer call gives: T is a Tensor, or plain arrays of the same depth. */
export interface BatchEncoding<T, Offsets = T, Words = T> {
  input_ids: T;
  /** Absent if `model_input_names` of the tokenizer leaves it out. */
  attention_mask: T;
  /** Absent if `model_input_names` of the tokenizer leaves it out. */
  token_type_ids: T;
  /** 1: added by the tokenizer. */
  special_tokens_mask?: T;
  /** `text.slice(start, end)` is the token: UTF-16 code units; [0, 0] for added ones. Tensor dims [n, tokens, 2]. */
  offset_mapping?: Offsets;
  /** Which word of the text a token is of; null (in a Tensor -1) for added ones. */
  word_ids?: Words;
  /** Which text each window is of. Dims [windows]. */
  overflow_to_sample_mapping?: T extends Tensor ? T : number[];
}

/** Reads `length` tokens from `start` on. */
type Read = (encoded: Uint32Array, start: number, length: number) => unknown[];

/**
 * Fields of an encoding besides `input_ids`, in the order in which the wasm side gives them (src/wasm/tokenizer.rs): how many
 * numbers a token has, and what all are where they are not sent.
 */
const FIELDS: readonly { name: string; numbers: number; same: number; read: Read }[] = [
  { name: "attention_mask", numbers: 1, same: 1, read: list },
  { name: "token_type_ids", numbers: 1, same: 0, read: list },
  { name: "special_tokens_mask", numbers: 1, same: 0, read: list },
  { name: "offset_mapping", numbers: 2, same: 0, read: pairs },
  { name: "word_ids", numbers: 1, same: 0, read: words },
];

/** The bits of the fields that are asked for; `inputs`: the names that the model takes. */
export const fieldsOf = (options: EncodeOptions, inputs: readonly string[]): number =>
  ((options.return_attention_mask ?? inputs.includes("attention_mask")) ? 1 : 0) |
  ((options.return_token_type_ids ?? inputs.includes("token_type_ids")) ? 2 : 0) |
  (options.return_special_tokens_mask ? 4 : 0) |
  (options.return_offsets_mapping ? 8 : 0) |
  (options.return_word_ids ? 16 : 0);

/** What the wasm side gave for `fields`, and whether the caller gave one text rather than an array. */
export interface Rows {
  encoded: Uint32Array;
  fields: number;
  single: boolean;
}

/** How many windows there are, and where the ids begin. */
const idsAt = (encoded: Uint32Array) => 2 + 2 * encoded[0]!;

/** The ids of the first window. */
export const firstIds = (encoded: Uint32Array): number[] => list(encoded, idsAt(encoded), encoded[3]!);

/** The fields that are asked for, in the form that is asked for. */
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
      const fill: Read = (_, __, length) => new Array<number>(length).fill(same);
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

/** The same of a text that is one window, as lists. */
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

/** How many tokens all windows have. */
function total(encoded: Uint32Array): number {
  let tokens = 0;
  for (let i = 3; i < idsAt(encoded); i += 2) tokens += encoded[i]!;
  return tokens;
}

/** What `read` gives of every window, of a field of so many numbers a token that begins at `start`. */
function lists(encoded: Uint32Array, start: number, numbers: number, read: Read): unknown[] {
  const rows: unknown[] = [];
  for (let i = 3; i < idsAt(encoded); i += 2) {
    const length = encoded[i]!;
    rows.push(read(encoded, start, length));
    start += length * numbers;
  }
  return rows;
}

// Plain loops: Array.from takes five times as long.
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

/** Numbers as int64, NO_WORD as -1 where there may be one. A BigInt each would take ten times as long. The lower half comes first, as in WebAssembly. */
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

/** Throws where the windows are of several lengths. */
function oneLength(encoded: Uint32Array): void {
  const lengths = new Set<number>();
  for (let i = 3; i < idsAt(encoded); i += 2) lengths.add(encoded[i]!);
  if (lengths.size < 2) return;
  const some = [...lengths].slice(0, 4).join(", ");
  const message = `Unable to create tensor: the texts have different numbers of tokens (${some} …): a Tensor needs padding: true, or use return_tensor: false`;
  throw new WebertError("bad_input", message);
}
