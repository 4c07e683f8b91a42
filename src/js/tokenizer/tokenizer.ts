// `AutoTokenizer`: texts to ids and back.
import { abortable, linked } from "../abort.js";
import { type ClassOf, instanceOf } from "../classes/classes.js";
import { classOfTokenizer } from "../classes/families.js";
import { control, type Platform, placeOf, wasmPaths } from "../engine/open.js";
import type { Role, Wasm, WasmTokenizer } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { refuseUnknown } from "../nearest-name.js";
import { onDemand } from "../on-demand.js";
import { checkOptions } from "../options/options.js";
import type { Source } from "../source.js";
import { reader } from "../sources/reader.js";
import type { SourceOptions } from "../sources/source.js";
import type { Control, Files, Folder } from "../sources/types.js";
import { Tensor } from "../tensor/tensor.js";
import { isNumber, kindOf, optionsOf, shown } from "../values.js";
import { type BatchEncoding, type EncodeOptions, encodings, fieldsOf, firstIds } from "./encoding.js";

type TextPair = { text_pair?: string | readonly string[] | null };
type Plain = TextPair & EncodeOptions & { return_tensor: false };
type Side = "left" | "right";

/** A tokenizer is called with one text or several. */
export interface TokenizerCall {
  /** One text; returns flat arrays. */
  (
    text: string,
    options: Plain & { return_overflowing_tokens?: false | null },
  ): BatchEncoding<number[], [number, number][], (number | null)[]>;
  /** Several texts, or windows of texts; returns one array per row. */
  (
    text: string | readonly string[],
    options: Plain,
  ): BatchEncoding<number[][], [number, number][][], (number | null)[][]>;
  /** Returns int64 Tensors with dims [texts or windows, tokens]. */
  (
    text: string | readonly string[],
    options?: TextPair & EncodeOptions & { return_tensor?: true | null },
  ): BatchEncoding<Tensor<"int64">>;
}

/**
 * A tokenizer. All methods are synchronous; only loading is not. Throws WebertError `bad_input`.
 *
 * @example
 * const tokenizer = await AutoTokenizer.from_pretrained("google-bert/bert-base-uncased");
 * const { input_ids } = tokenizer(["A text.", "Another one."], { padding: true, truncation: true }); // a Tensor [2, 5]
 * tokenizer.tokenize("unaffable"); // ["una", "##ffa", "##ble"]
 */
export interface Tokenizer
  extends TokenizerCall,
    Readonly<Record<`${Role}_token`, string | null>>,
    Readonly<Record<`${Role}_token_id`, number | null>> {
  /** Does the same as calling the tokenizer. */
  readonly _call: TokenizerCall;
  /** Returns the tokens of a text. In WordPiece, continuing pieces begin with "##". */
  tokenize(
    text: string,
    options?: { pair?: string | null; add_special_tokens?: boolean | null; split_special_tokens?: boolean | null },
  ): string[];
  /**
   * Returns the ids of a text, by default with special tokens.
   *
   * @example
   * tokenizer.encode("hello world"); // [101, 7592, 2088, 102]
   */
  encode(text: string, options?: EncodeOptions & { text_pair?: string | null }): number[];
  /**
   * Returns the text of ids.
   *
   * @example
   * tokenizer.decode([101, 7592, 999, 102], { skip_special_tokens: true }); // "hello!"
   */
  decode(ids: TokenIds, options?: DecodeOptions): string;
  /** Does the same as `decode`. */
  decode_single(ids: TokenIds, options?: DecodeOptions): string;
  /** Returns the texts of several lists of ids, or of a Tensor's rows. */
  batch_decode(batch: Tensor | readonly TokenIds[], options?: DecodeOptions): string[];
  /** Returns the token of an id; undefined for an unknown id. */
  convert_ids_to_tokens(id: number | bigint): string | undefined;
  /** Returns the tokens of ids. */
  convert_ids_to_tokens(ids: TokenIds, options?: Pick<DecodeOptions, "skip_special_tokens">): (string | undefined)[];
  /**
   * Returns the id of a token, or of each token of an array. A token outside the vocabulary has the id of the unknown
   * token.
   *
   * @example
   * tokenizer.convert_tokens_to_ids("the"); // 1996
   * tokenizer.convert_tokens_to_ids(["the", "no such token"]); // [1996, 100]
   */
  convert_tokens_to_ids(token: string): number;
  convert_tokens_to_ids(tokens: readonly string[]): number[];
  /**
   * Returns all tokens with their ids, including added tokens.
   *
   * @example
   * tokenizer.get_vocab().get("[MASK]"); // 103
   */
  get_vocab(): Map<string, number>;
  /** Ids of the special tokens in Hugging Face's order. In BERT: [UNK], [SEP], [PAD], [CLS], [MASK], then others. */
  readonly all_special_ids: number[];
  /** Texts of the special tokens, in the order of `all_special_ids`. */
  readonly all_special_tokens: string[];
  /** Side of the padding. */
  readonly padding_side: Side;
  /** Side on which texts are truncated. */
  readonly truncation_side: Side;
  /**
   * Inputs that a call returns by default: `input_ids`, and `token_type_ids` and `attention_mask` if the model takes
   * them.
   */
  readonly model_input_names: string[];
  /** Fields of the tokenizer's files that have no effect, one sentence each. */
  readonly warnings: readonly string[];
  /** The vocabulary in the form of older versions of transformers.js. */
  readonly model: TokenizerModel;
  /** Maximum number of tokens that the model takes; Infinity if the files have no limit. */
  readonly model_max_length: number;
  readonly vocab_size: number;
  /** Frees the vocabulary. Later calls throw `disposed`. */
  dispose(): void;
}

export type TokenIds = Tensor | ArrayLike<number | bigint>;

/** The part of `tokenizer.model` that programs for transformers.js read. */
export interface TokenizerModel extends Pick<Tokenizer, "convert_ids_to_tokens" | "convert_tokens_to_ids"> {
  /** Ids by token. */
  readonly tokens_to_ids: Map<string, number>;
  /** Tokens by id; undefined for an unused id. */
  readonly vocab: (string | undefined)[];
}

/** Options of decoding. null means the default. */
export interface DecodeOptions {
  /** Leave out special tokens, e.g. [CLS], [SEP] and [PAD]. By default false. */
  skip_special_tokens?: boolean | null;
  /** Remove the space before punctuation. By default the value in tokenizer_config.json, otherwise false. */
  clean_up_tokenization_spaces?: boolean | null;
}

/** Loads tokenizers. */
export interface TokenizerClass {
  from_pretrained(source: Source, options?: SourceOptions): Promise<Tokenizer>;
}

/**
 * Creates `AutoTokenizer` for a platform. Its tokenizers are instances of `made`, or of the class that their files
 * name.
 */
export function createTokenizerClass(platform: Platform, made?: ClassOf<Tokenizer>): TokenizerClass {
  return {
    async from_pretrained(source, given) {
      try {
        const options = optionsOf<SourceOptions>(given);
        await checkOptions("AutoTokenizer.from_pretrained", options);
        const reading = control(options);
        const late = (tokenizer: Tokenizer) => tokenizer.dispose();
        const opened = linked([reading.signal], (signal) =>
          abortable(open(platform, source, options, { ...reading, signal }), reading.signal, late),
        );
        return made ? instanceOf(made, await opened) : await opened;
      } catch (error) {
        throw WebertError.from(error);
      }
    },
  };
}

async function open(platform: Platform, source: Source, options: SourceOptions, control: Control): Promise<Tokenizer> {
  const place = await placeOf(platform, source, options);
  const { openFolder, withFresh } = await reader();
  const folder = await openFolder(place, platform.machine);
  return withFresh(folder, () => openTokenizer(platform, folder, control));
}

async function openTokenizer(platform: Platform, folder: Folder, control: Control): Promise<Tokenizer> {
  const { readFile, readTokenizerFiles } = await reader();
  // Optional: it has the longest sequence if the tokenizer's files do not.
  const config = readFile(folder, "config.json", control);
  const module = onDemand(() => import("../engine/tokenizing.js"));
  module.catch(() => {}); // reported below, unless the folder fails first
  const [own, found] = await Promise.all([readTokenizerFiles(folder, control, true, () => config), config]);
  const files = found ? { ...own, "config.json": found } : own;
  const wasm = module.then((module) => module.tokenizerClass(files, wasmPaths(platform), platform.machine.readWasm));
  return tokenizerOf(await abortable(wasm, control.signal), files);
}

/** Returns a tokenizer from its files. `Tokenizer` is the wasm side's class. */
export function tokenizerOf(Tokenizer: Wasm["Tokenizer"], files: Files): Tokenizer {
  const inner = new Tokenizer(files);
  const file = files["tokenizer_config.json"]; // the wasm side has checked it
  const config = file ? (JSON.parse(new TextDecoder().decode(file)) as { tokenizer_class?: unknown }) : {};
  return instanceOf(classOfTokenizer(config.tokenizer_class), callable(inner));
}

/** Runs work on the wasm side's tokenizer, unless it was disposed of. */
type Use = <T>(work: (tokenizer: WasmTokenizer) => T) => T;

type Info = ReturnType<WasmTokenizer["info"]>;

/** Returns a function that encodes texts. It passes options to the wasm side only if they differ from the previous call. */
function encoder() {
  let set: EncodeOptions = {};
  return (
    tokenizer: WasmTokenizer,
    texts: readonly string[],
    pairs: readonly string[] | undefined,
    options: EncodeOptions,
    fields: number,
  ): Uint32Array => {
    for (const name of SET_OPTIONS) {
      if (set[name] === options[name]) continue;
      const changed = Object.fromEntries(SET_OPTIONS.map((name) => [name, options[name]]));
      tokenizer.set_options(changed);
      set = changed;
      break;
    }
    if (texts.length === 1 && !pairs) return tokenizer.encode(texts[0]!, undefined, false, fields);
    const all = pairs ? texts.flatMap((text, i) => [text, pairs[i]!]) : texts;
    const lengths = Uint32Array.from(all, (text) => text.length);
    const units = lengths.reduce((sum, length) => sum + length, all.length);
    if (units > MAX_UNITS)
      throw new WebertError("bad_input", `the texts have ${units} UTF-16 code units; one call takes ${MAX_UNITS}`);
    return tokenizer.encode(`${all.join("\n")}\n`, lengths, pairs !== undefined, fields);
  };
}

/** Returns the methods that encode texts. */
function encodeMethods(use: Use, { model_input_names }: Info) {
  const encoded = encoder();
  const call = (text: unknown, given?: TextPair & EncodeOptions & { return_tensor?: boolean | null }) =>
    use((tokenizer) => {
      const options = optionsOf<NonNullable<typeof given>>(given);
      refuseUnknown("tokenizer", options, CALL_OPTIONS);
      const many = Array.isArray(text);
      const texts = typeof text === "string" ? [text] : strings(many ? text : [text], "text");
      const pairs = pairsOf(options.text_pair);
      if (pairs && pairs.length !== texts.length) {
        throw new WebertError("bad_input", `text_pair has ${pairs.length} entries for ${texts.length} texts`);
      }
      const fields = fieldsOf(options, model_input_names);
      const rows = { encoded: encoded(tokenizer, texts, pairs, options, fields), fields, single: !many };
      return encodings(rows, options, options.return_tensor ?? true);
    });

  const encode: Tokenizer["encode"] = (text, options) =>
    use((tokenizer) => {
      const given = optionsOf<NonNullable<typeof options>>(options);
      refuseUnknown("encode", given, CALL_OPTIONS);
      return firstIds(encoded(tokenizer, strings([text], "text"), pairsOf(given.text_pair), given, 0));
    });

  const tokenize: Tokenizer["tokenize"] = (text, options) =>
    use((tokenizer) => {
      const given = optionsOf<NonNullable<typeof options>>(options);
      refuseUnknown("tokenize", given, ["pair", "add_special_tokens", "split_special_tokens"]);
      const { pair = null, add_special_tokens, split_special_tokens } = given;
      const [first, second] = strings(pair === null ? [text] : [text, pair], "text");
      return tokenizer.tokenize(first!, second, add_special_tokens ?? false, split_special_tokens ?? undefined);
    });

  return { call, encode, tokenize };
}

/** Returns the methods that turn ids into texts. */
function decodeMethods(use: Use, { clean_up_tokenization_spaces: cleanUp }: Info) {
  const decode: Tokenizer["decode"] = (ids, options) =>
    use((tokenizer) => {
      const given = optionsOf<DecodeOptions>(options);
      refuseUnknown("decode", given, ["skip_special_tokens", "clean_up_tokenization_spaces"]);
      const { skip_special_tokens, clean_up_tokenization_spaces } = given;
      return tokenizer.decode(tokenIds(ids), skip_special_tokens ?? false, clean_up_tokenization_spaces ?? cleanUp);
    });

  const batch_decode: Tokenizer["batch_decode"] = (batch, options) =>
    use(() => Array.from(idsOf(batch), (ids) => decode(ids, options)));

  return { decode, decode_single: decode, batch_decode };
}

/** Returns the methods that read the vocabulary. `forget` drops the kept lists. */
function vocabularyMethods(use: Use, { all_special_ids, unk_token_id }: Info) {
  const special = new Set(all_special_ids);
  const convert_ids_to_tokens = (
    ids: TokenIds | number | bigint,
    options?: Pick<DecodeOptions, "skip_special_tokens">,
  ) =>
    use((tokenizer) => {
      if (isNumber(ids)) return tokenizer.token(tokenIds([ids])[0]!);
      const given = optionsOf<DecodeOptions>(options);
      refuseUnknown("convert_ids_to_tokens", given, ["skip_special_tokens"]);
      const { skip_special_tokens } = given;
      const kept = Array.from(tokenIds(ids)).filter((id) => !(skip_special_tokens && special.has(id)));
      return kept.map((id) => tokenizer.token(id));
    });

  const convert_tokens_to_ids = (tokens: string | readonly string[]) =>
    use((tokenizer) => {
      // As in the library, the id of an unknown token is undefined if the vocabulary has no unknown token.
      const id = (token: string) => (tokenizer.id(token) ?? unk_token_id)!;
      if (typeof tokens === "string") return id(tokens);
      if (Array.isArray(tokens)) return strings(tokens, "token").map(id);
      throw new WebertError("bad_input", `tokens are a string or an array of such, not ${kindOf(tokens)}`);
    });

  // Built once, because programs read them token by token.
  let ids: Map<string, number> | undefined;
  let tokens: (string | undefined)[] | undefined;
  const get_vocab = () => use((tokenizer) => (ids ??= tokenizer.vocab()));
  const model = {
    convert_ids_to_tokens,
    convert_tokens_to_ids,
    get tokens_to_ids() {
      return get_vocab();
    },
    get vocab() {
      if (tokens) return use(() => tokens);
      tokens = [];
      for (const [token, id] of get_vocab()) tokens[id] = token;
      return tokens;
    },
  };
  const forget = () => {
    ids = tokens = undefined;
  };
  return { forget, methods: { convert_ids_to_tokens, convert_tokens_to_ids, get_vocab, model } };
}

function callable(inner: WasmTokenizer): Tokenizer {
  let live: WasmTokenizer | undefined = inner;
  const use: Use = (work) => {
    if (!live) throw new WebertError("disposed", "the tokenizer was disposed of");
    try {
      return work(live);
    } catch (error) {
      throw WebertError.from(error);
    }
  };
  const info = inner.info();
  const { model_max_length, clean_up_tokenization_spaces: _, ...described } = info;
  const { call, ...encoding } = encodeMethods(use, info);
  const vocabulary = vocabularyMethods(use, info);
  const methods = {
    _call: call,
    ...encoding,
    ...decodeMethods(use, info),
    ...vocabulary.methods,
    dispose() {
      live?.free();
      live = undefined;
      vocabulary.forget();
    },
  };
  return Object.assign(call, methods, {
    ...described,
    all_special_tokens: described.all_special_ids.map((id) => inner.token(id)),
    model_max_length: model_max_length ?? Infinity,
  }) as unknown as Tokenizer;
}

/** Maximum UTF-16 code units of all texts of a call: the length of JavaScript's longest string. */
const MAX_UNITS = 2 ** 29 - 24;

/** Options that the wasm side keeps between calls. */
const SET_OPTIONS = [
  "add_special_tokens",
  "padding",
  "truncation",
  "max_length",
  "stride",
  "pad_to_multiple_of",
  "return_overflowing_tokens",
  "split_special_tokens",
  "padding_side",
] as const satisfies readonly (keyof EncodeOptions)[];

/** Options of a tokenizer's call. The compiler compares them with the types. */
const RETURNS = {
  return_offsets_mapping: 1,
  return_special_tokens_mask: 1,
  return_word_ids: 1,
  return_token_type_ids: 1,
  return_attention_mask: 1,
  text_pair: 1,
  return_tensor: 1,
} satisfies Record<Exclude<keyof EncodeOptions, (typeof SET_OPTIONS)[number]> | "text_pair" | "return_tensor", 1>;
const CALL_OPTIONS: readonly string[] = [...SET_OPTIONS, ...Object.keys(RETURNS)];

/** Returns the second texts; undefined if absent. A single empty text counts as absent, as in Hugging Face. */
function pairsOf(given: unknown): string[] | undefined {
  if (given == null || given === "") return undefined;
  return strings(Array.isArray(given) ? given : [given], "text_pair");
}

function strings(values: readonly unknown[], what: string): string[] {
  return Array.from(values, (value, i) => {
    if (typeof value === "string") return value;
    throw new WebertError("bad_input", `${what} ${i + 1} is ${kindOf(value)}, not a string`);
  });
}

function tokenIds(ids: TokenIds): Uint32Array {
  const values: unknown = ids instanceof Tensor ? ids.data : ids;
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) {
    throw new WebertError("bad_input", `token ids are a Tensor or an array, not ${kindOf(values)}`);
  }
  return Uint32Array.from(values as ArrayLike<number>, (value) => {
    const id = isNumber(value) ? Number(value) : NaN;
    if (Number.isInteger(id) && id >= 0 && id <= 0xffff_ffff) return id;
    throw new WebertError("bad_input", `${shown(value)} is not a token id`);
  });
}

function idsOf(batch: Tensor | readonly TokenIds[]): Iterable<TokenIds> {
  if (batch instanceof Tensor || Array.isArray(batch)) return batch;
  throw new WebertError("bad_input", `a batch of token ids is a Tensor or an array of such, not ${kindOf(batch)}`);
}
