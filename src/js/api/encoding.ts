import { WebertError } from "../errors.js";
import { Tensor } from "./tensor.js";

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
  /** Give `token_type_ids`; true. */
  return_token_type_ids?: boolean | null;
}

/** What a tokenizer call gives: T is a Tensor, or plain arrays of the same depth. */
export interface BatchEncoding<T, Offsets = T, Words = T> {
  input_ids: T;
  attention_mask: T;
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

/** Fields of an encoding besides `input_ids`, in the order in which the wasm side gives them: src/wasm/tokenizer.rs. */
const FIELDS = ["attention_mask", "token_type_ids", "special_tokens_mask", "offset_mapping", "word_ids"] as const;

/** The bits of the fields that are asked for. */
export const fieldsOf = (options: EncodeOptions): number =>
  1 |
  ((options.return_token_type_ids ?? true) ? 2 : 0) |
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
  const windows = encoded[0]!;
  const absent = encoded[1]!;
  const overflowing = options.return_overflowing_tokens ?? false;
  const alone = single && !overflowing;
  const result: Record<string, unknown> = {};
  const width = encoded[3] ?? 0;
  if (tensor) oneLength(encoded);
  let at = idsAt(encoded);
  const tokens = total(encoded);
  for (let field = -1; field < FIELDS.length; field++) {
    if (field >= 0 && !(fields & (1 << field))) continue;
    const name = field < 0 ? "input_ids" : FIELDS[field]!;
    const inner = name === "offset_mapping" ? 2 : 1;
    if (field >= 0 && absent & (1 << field)) {
      const same = name === "attention_mask" ? 1 : 0;
      if (tensor) result[name] = new Tensor("int64", new BigInt64Array(tokens).fill(BigInt(same)), [windows, width]);
      else result[name] = lists(encoded, alone, (_, length) => new Array<number>(length).fill(same));
      continue;
    }
    const start = at;
    if (tensor) {
      const data = int64(encoded, start, tokens * inner, name === "word_ids");
      result[name] = new Tensor("int64", data, inner === 2 ? [windows, width, 2] : [windows, width]);
    } else {
      const read = name === "offset_mapping" ? pairs : name === "word_ids" ? words : list;
      result[name] = lists(encoded, alone, (before, length) => read(encoded, start + before * inner, length));
    }
    at += tokens * inner;
  }
  if (overflowing) {
    const samples = lists(encoded, false, (_, __, sample) => sample) as number[];
    result.overflow_to_sample_mapping = tensor ? new Tensor("int64", samples, [samples.length]) : samples;
  }
  return result;
}

/** How many tokens all windows have. */
function total(encoded: Uint32Array): number {
  let tokens = 0;
  for (let i = 3; i < idsAt(encoded); i += 2) tokens += encoded[i]!;
  return tokens;
}

/** What `read` gives of every window, or of the only one: it is given how many tokens lie before it, its own and its text. */
function lists<T>(encoded: Uint32Array, alone: boolean, read: (before: number, length: number, sample: number) => T) {
  if (alone) return read(0, encoded[3]!, 0);
  const rows: T[] = [];
  let before = 0;
  for (let i = 2; i < idsAt(encoded); i += 2) {
    const length = encoded[i + 1]!;
    rows.push(read(before, length, encoded[i]!));
    before += length;
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

/** Numbers as int64, NO_WORD as -1 where there may be one. A BigInt each would take ten times as long. */
function int64(encoded: Uint32Array, start: number, length: number, signed: boolean): BigInt64Array<ArrayBuffer> {
  const data = new BigInt64Array(length);
  const halves = new Int32Array(data.buffer);
  const low = LOW_FIRST ? 0 : 1;
  for (let i = 0; i < length; i++) {
    const value = encoded[start + i]!;
    halves[2 * i + low] = value;
    if (signed && value === NO_WORD) halves[2 * i + 1 - low] = -1;
  }
  return data;
}

/** Whether this machine has the lower half of a number first. */
const LOW_FIRST = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Throws where the windows are of several lengths. */
function oneLength(encoded: Uint32Array): void {
  const lengths = new Set<number>();
  for (let i = 3; i < idsAt(encoded); i += 2) lengths.add(encoded[i]!);
  if (lengths.size < 2) return;
  const some = [...lengths].slice(0, 4).join(", ");
  const message = `Unable to create tensor: the texts have different numbers of tokens (${some} …): a Tensor needs padding: true, or use return_tensor: false`;
  throw new WebertError("bad_input", message);
}
