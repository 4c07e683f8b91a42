import { abortable, linked } from "./abort.js";
import { readTokenizerFiles, type Files } from "./checkpoint.js";
import { instanceOf, type ClassOf } from "./classes.js";
import { encodings, type BatchEncoding, type EncodeOptions, type Rows } from "./encoding.js";
import { WebertError } from "./errors.js";
import { classOfTokenizer } from "./families.js";
import { openFolder, readFile, withFresh, type Control, type Folder } from "./hub.js";
import { control, placeOf, wasmPaths, type Platform } from "./platform.js";
import type { Source, SourceOptions } from "./source.js";
import { Tensor } from "./tensor.js";
import { isNumber, kindOf, optionsOf, shown } from "./values.js";
import type { Role, Wasm, WasmTokenizer } from "./wasm.js";

type TextPair = { text_pair?: string | readonly string[] | null };
type Plain = TextPair & EncodeOptions & { return_tensor: false };

/** A BERT tokenizer; everything but loading it is synchronous. Throws WebertError `bad_input`. */
export interface Tokenizer extends Readonly<Record<`${Role}_token`, string | null>>, Readonly<Record<`${Role}_token_id`, number | null>> {
  /** One text, flat arrays. */
  (text: string, options: Plain & { return_overflowing_tokens?: false }): BatchEncoding<number[], [number, number][], (number | null)[]>;
  /** Several texts, or windows of texts: an array each. */
  (text: string | readonly string[], options: Plain): BatchEncoding<number[][], [number, number][][], (number | null)[][]>;
  /** Tensors, int64, dims [texts or windows, tokens]. */
  (text: string | readonly string[], options?: TextPair & EncodeOptions & { return_tensor?: true }): BatchEncoding<Tensor<"int64">>;
  /** The WordPieces of a text, continuing ones with their "##". */
  tokenize(text: string, options?: { pair?: string | null; add_special_tokens?: boolean }): string[];
  /** Ids, with special tokens unless asked otherwise. */
  encode(text: string, options?: { text_pair?: string | null; add_special_tokens?: boolean }): number[];
  /** The text of ids. */
  decode(ids: TokenIds, options?: DecodeOptions): string;
  batch_decode(batch: Tensor | readonly TokenIds[], options?: DecodeOptions): string[];
  /** The token of an id; undefined where there is none. */
  convert_ids_to_tokens(ids: TokenIds): (string | undefined)[];
  /** The id of a token; undefined where it is not in the vocabulary. */
  convert_tokens_to_ids(tokens: readonly string[]): (number | undefined)[];
  /** Longest sequence that the model takes, in tokens; Infinity where the files do not say. */
  readonly model_max_length: number;
  readonly vocab_size: number;
  /** Frees the vocabulary. Later calls throw `disposed`. */
  dispose(): void;
}

export type TokenIds = Tensor | ArrayLike<number | bigint>;

export interface DecodeOptions {
  /** Leave [CLS], [SEP], [PAD] … out; false. */
  skip_special_tokens?: boolean;
  /** No space before punctuation; by default as tokenizer_config.json says, or true. */
  clean_up_tokenization_spaces?: boolean;
}

/** Loads tokenizers. */
export interface TokenizerClass {
  from_pretrained(source: Source, options?: SourceOptions): Promise<Tokenizer>;
}

/** `AutoTokenizer` on a platform; its tokenizers are of the class `made`, or of that which their files name. */
export function createTokenizerClass(platform: Platform, made?: ClassOf<Tokenizer>): TokenizerClass {
  return {
    async from_pretrained(source, given) {
      try {
        const options = optionsOf<SourceOptions>(given);
        const reading = control(options);
        const tokenizer = await linked([reading.signal], (signal) => open(platform, source, options, { ...reading, signal }));
        return made ? instanceOf(made, tokenizer) : tokenizer;
      } catch (error) {
        throw WebertError.from(error);
      }
    },
  };
}

async function open(platform: Platform, source: Source, options: SourceOptions, control: Control): Promise<Tokenizer> {
  const place = await placeOf(platform, source, options);
  const folder = await openFolder(place, platform.machine);
  return withFresh(folder, () => openTokenizer(platform, folder, control));
}

async function openTokenizer(platform: Platform, folder: Folder, control: Control): Promise<Tokenizer> {
  // Not needed: it tells the longest sequence where the tokenizer's files do not.
  const config = readFile(folder, "config.json", control);
  const wasm = import("./tokenizing.js").then(({ tokenizerClass }) =>
    tokenizerClass(async () => (await config) ?? new Uint8Array(), wasmPaths(platform), platform.machine.readWasm));
  wasm.catch(() => {}); // heard of below, unless the folder fails first
  const [files, found] = await Promise.all([readTokenizerFiles(folder, control, true), config]);
  const Tokenizer = await abortable(wasm, control.signal);
  return tokenizerOf(Tokenizer, found ? { ...files, "config.json": found } : files);
}

/** A tokenizer of its files, by the wasm side's class. */
export function tokenizerOf(Tokenizer: Wasm["Tokenizer"], files: Files): Tokenizer {
  const inner = new Tokenizer(files);
  const file = files["tokenizer_config.json"]; // which the wasm side has found to be valid
  const config = file ? (JSON.parse(new TextDecoder().decode(file)) as { clean_up_tokenization_spaces?: unknown; tokenizer_class?: unknown }) : {};
  const tokenizer = callable(inner, config.clean_up_tokenization_spaces !== false);
  return instanceOf(classOfTokenizer(config.tokenizer_class), tokenizer);
}

function callable(inner: WasmTokenizer, cleanUp: boolean): Tokenizer {
  let live: WasmTokenizer | undefined = inner;
  const use = <T>(work: (tokenizer: WasmTokenizer) => T): T => {
    if (!live) throw new WebertError("disposed", "the tokenizer was disposed of");
    try {
      return work(live);
    } catch (error) {
      throw WebertError.from(error);
    }
  };
  const { vocab_size, model_max_length, ...roles } = inner.info();

  const call = (text: unknown, given?: TextPair & EncodeOptions & { return_tensor?: boolean }) =>
    use((tokenizer) => {
      const options = optionsOf<NonNullable<typeof given>>(given);
      const many = Array.isArray(text);
      const texts = strings(many ? text : [text], "text");
      const pairs = pairsOf(options.text_pair);
      if (pairs && pairs.length !== texts.length) {
        throw new WebertError("bad_input", `text_pair has ${pairs.length} entries for ${texts.length} texts`);
      }
      const { text_pair: _, return_tensor = true, signal: __, ...rest } = options as typeof options & { signal?: unknown };
      const rows: Rows = { encodings: tokenizer.encode(texts, pairs, rest), single: !many };
      return encodings(rows, rest, return_tensor);
    });

  const encode: Tokenizer["encode"] = (text, options) =>
    use((tokenizer) => {
      const { text_pair, add_special_tokens = true } = optionsOf<NonNullable<typeof options>>(options);
      const pairs = pairsOf(text_pair);
      return Array.from(tokenizer.encode(strings([text], "text"), pairs, { add_special_tokens })[0]!.input_ids);
    });

  const decode: Tokenizer["decode"] = (ids, options) =>
    use((tokenizer) => {
      const { skip_special_tokens = false, clean_up_tokenization_spaces = cleanUp } = optionsOf<DecodeOptions>(options);
      return tokenizer.decode(tokenIds(ids), skip_special_tokens, clean_up_tokenization_spaces);
    });

  const methods = {
    encode,
    decode,
    tokenize: ((text, options) =>
      use((tokenizer) => {
        const { pair = null, add_special_tokens = false } = optionsOf<NonNullable<typeof options>>(options);
        const [first, second] = strings(pair === null ? [text] : [text, pair], "text");
        return tokenizer.tokenize(first!, second, add_special_tokens);
      })) satisfies Tokenizer["tokenize"],
    batch_decode: ((batch, options) => use(() => Array.from(idsOf(batch), (ids) => decode(ids, options)))) satisfies Tokenizer["batch_decode"],
    convert_ids_to_tokens: ((ids) => use((tokenizer) => Array.from(tokenIds(ids), (id) => tokenizer.token(id)))) satisfies Tokenizer["convert_ids_to_tokens"],
    convert_tokens_to_ids: ((tokens) => use((tokenizer) => strings(tokens, "token").map((token) => tokenizer.id(token)))) satisfies Tokenizer["convert_tokens_to_ids"],
    dispose() {
      live?.free();
      live = undefined;
    },
  };
  const described = { ...roles, vocab_size, model_max_length: model_max_length ?? Infinity };
  return Object.assign(call, methods, described) as unknown as Tokenizer;
}

/** Second texts; undefined where there is none. A single empty one counts as none, as in Hugging Face's. */
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
