import type { WasmEncoding } from "../engine/wasm.js";
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

/** Windows as the wasm side gave them, and whether the caller gave one text rather than an array. */
export interface Rows {
  encodings: WasmEncoding[];
  single: boolean;
}

/** The fields that are asked for, in the form that is asked for. */
export function encodings({ encodings: rows, single }: Rows, options: EncodeOptions, tensor: boolean): unknown {
  const fields: [string, (row: WasmEncoding) => Uint32Array | Int32Array][] = [
    ["input_ids", (row) => row.input_ids],
    ["attention_mask", (row) => row.attention_mask],
  ];
  if (options.return_token_type_ids ?? true) fields.push(["token_type_ids", (row) => row.token_type_ids]);
  if (options.return_special_tokens_mask) fields.push(["special_tokens_mask", (row) => row.special_tokens_mask]);
  if (options.return_offsets_mapping) fields.push(["offset_mapping", (row) => row.offsets]);
  if (options.return_word_ids) fields.push(["word_ids", (row) => row.word_ids]);

  const overflowing = options.return_overflowing_tokens ?? false;
  const result: Record<string, unknown> = {};
  for (const [name, of] of fields) {
    const arrays = rows.map(of);
    if (tensor) result[name] = stacked(arrays, name === "offset_mapping" ? [2] : []);
    else {
      const lists = arrays.map((array) => plain(name, array));
      result[name] = single && !overflowing ? lists[0] : lists;
    }
  }
  if (overflowing) {
    const samples = rows.map((row) => row.sample);
    result.overflow_to_sample_mapping = tensor ? new Tensor("int64", samples, [samples.length]) : samples;
  }
  return result;
}

function plain(name: string, array: Uint32Array | Int32Array): unknown[] {
  if (name === "offset_mapping")
    return Array.from({ length: array.length / 2 }, (_, i) => [array[2 * i]!, array[2 * i + 1]!]);
  if (name === "word_ids") return Array.from(array, (word) => (word < 0 ? null : word));
  return Array.from(array);
}

/** Rows of one length as a Tensor [rows, length, …inner]. */
function stacked(rows: (Uint32Array | Int32Array)[], inner: number[]): Tensor<"int64"> {
  const width = rows[0]?.length ?? 0;
  const data = new BigInt64Array(rows.length * width);
  rows.forEach((row, i) => {
    if (row.length !== width) {
      const lengths = [...new Set(rows.map(({ length }) => length / (inner[0] ?? 1)))].slice(0, 4).join(", ");
      const message = `Unable to create tensor: the texts have different numbers of tokens (${lengths} …): a Tensor needs padding: true, or use return_tensor: false`;
      throw new WebertError("bad_input", message);
    }
    for (let j = 0; j < width; j++) data[i * width + j] = BigInt(row[j]!);
  });
  return new Tensor("int64", data, [rows.length, inner.length ? width / inner[0]! : width, ...inner]);
}
