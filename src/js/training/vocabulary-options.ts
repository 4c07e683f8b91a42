// Options of a trained vocabulary.

import type { SavedFiles } from "./saved-files.js";

/** Options of a vocabulary, with the names and defaults of Hugging Face's `BertWordPieceTokenizer` and its `train`. */
export interface VocabularyOptions {
  /**
   * Tokens of the vocabulary. Special tokens and the alphabet are kept even if they exceed it.
   * @default 30000
   */
  vocab_size?: number | null;
  /**
   * How often a pair of pieces must occur to become a piece.
   * @default 2
   */
  min_frequency?: number | null;
  /**
   * Maximum characters of the alphabet; the most frequent ones are kept. null means no limit.
   * @default 1000
   */
  limit_alphabet?: number | null;
  /** Characters that belong to the alphabet even if they never occur. */
  initial_alphabet?: readonly string[] | null;
  /** The first tokens of the vocabulary, in order. */
  special_tokens?: readonly string[] | null;
  /**
   * Remove control characters and turn white space into spaces.
   * @default true
   */
  clean_text?: boolean | null;
  /**
   * Whether to split ideographs into single-character words.
   * @default true
   */
  handle_chinese_chars?: boolean | null;
  /** Whether to remove accents. By default the value of `lowercase`. */
  strip_accents?: boolean | null;
  /**
   * Whether to lower the case.
   * @default true
   */
  lowercase?: boolean | null;
  /** Stops the work; the promise rejects with `aborted`. */
  signal?: AbortSignal | null;
  /** Whether to work in a Worker (true) or in this thread (false). The default is true in browsers, and false in Node. */
  worker?: boolean | null;
}

/**
 * Trains a WordPiece vocabulary from texts, like Hugging Face's `tokenizers`. Returns `tokenizer.json`,
 * `tokenizer_config.json` and `vocab.txt`. The result is a Source for `AutoTokenizer` and for `Trainer.from_config`.
 */
export type TrainTokenizer = (texts: Iterable<string>, options?: VocabularyOptions | null) => Promise<SavedFiles>;
