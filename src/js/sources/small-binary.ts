// Which binary a model or a tokenizer needs. The binaries of a first load are small: they lack what the crate compiles with
// its features `families` and `tokenizers`. The lists are what such a binary accepts; tests/small-binary.test.mjs asks it.
import { ACTIVATIONS, CLASSES, FAMILIES } from "../generated/small-binary.js";
import type { Files } from "./types.js";

/** Name of fastBPE's merges. */
export const CODES = "bpe.codes";

/** Names of sentencepiece models. */
export const SENTENCEPIECE = ["spiece.model", "sentencepiece.bpe.model", "spm.model"];

/** Files that only binaries with all features read. */
const LATER_FILES = ["vocab.json", CODES, "gliner_config.json", ...SENTENCEPIECE];

/** Matches a field whose value is none of `known`. With a million labels JSON.parse would take seconds. */
const other = (fields: string, known: readonly string[], ending = "") =>
  new RegExp(`"(${fields})"\\s*:\\s*"(?!(${known.join("|")})${ending}")`);

const LATER_CLASS = other("tokenizer_class", CLASSES, "(Tokenizer)?(Fast)?");
const LATER_CONFIG = [
  other("model_type", FAMILIES),
  other("hidden_act|activation|hidden_activation", ACTIVATIONS),
  /"position_embedding_type"\s*:\s*"relative/,
  LATER_CLASS,
];
/** The setting belongs to tokenizer classes in Python code, which are refused by name. */
const LATER_TOKENIZER_CONFIG = [LATER_CLASS, /"(sub)?word_tokenizer_type"/];
/**
 * Parts of tokenizer.json that BERT's tokenizers do not have: another type, several parts in a Sequence, or a missing
 * pre-tokenizer. A token with the same text does not match, because its id follows.
 */
const LATER_PART =
  /"type"\s*:\s*"(?!WordPiece|Bert|TemplateProc|Sequence)|"processors"\s*:\s*\[|"(normalizers|pretokenizers|decoders)"\s*:\s*\[\s*(\]|\{[^{}]*\}\s*,)|"pre_tokenizer"\s*:\s*null/;

/**
 * Returns whether the files of a model or a tokenizer require a binary with all features. A model and its tokenizer must
 * use one binary.
 */
export function needsAll(files: Files): boolean {
  const matches = (name: string, patterns: RegExp[]) => {
    const text = new TextDecoder().decode(files[name]);
    return patterns.some((pattern) => pattern.test(text));
  };
  return (
    LATER_FILES.some((name) => name in files) ||
    matches("config.json", LATER_CONFIG) ||
    matches("tokenizer_config.json", LATER_TOKENIZER_CONFIG) ||
    matches("tokenizer.json", [LATER_PART])
  );
}
