// Compares the names of options with their types at compile time. If a table lacks a name or has an extra one, it does
// not compile.
import type { ConvertOptions } from "../api/convert.js";
import type { ForwardOptions } from "../api/model.js";
import type { ModelOptions } from "../engine/open.js";
import type { ARGUMENTS } from "../generated/training.js";
import type { CALLS, OTHERS } from "../options/option-names.js";
import type { RedactOptions } from "../redaction/types.js";
import type { CreateIndexOptions, IndexAddOptions, IndexModelOptions, IndexSearchOptions } from "../search/search.js";
import type { SourceOptions } from "../sources/source.js";
import type {
  FeatureExtractionOptions,
  FillMaskOptions,
  LensOptions,
  QuestionAnsweringOptions,
  TaskOptions,
  TextClassificationOptions,
  TextRankingOptions,
  TokenClassificationOptions,
  ZeroShotOptions,
  ZeroShotTokenOptions,
} from "../tasks.js";
import type { TrainingArguments } from "../training/training-arguments.js";

type OptionCalls = typeof CALLS;
type Arguments = Record<(typeof ARGUMENTS)[number], 1>;
type Others = typeof OTHERS;
/** Never, if both have the same names; otherwise the names that differ. */
type Differences<A, B> = Exclude<keyof A, keyof B> | Exclude<keyof B, keyof A>;
type Equal<T extends never> = T;

export type Checks =
  | Equal<Differences<Arguments, TrainingArguments>>
  | Equal<Differences<OptionCalls["fill-mask"], FillMaskOptions>>
  | Equal<Differences<OptionCalls["text-classification"], TextClassificationOptions>>
  | Equal<Differences<OptionCalls["token-classification"], TokenClassificationOptions>>
  | Equal<Differences<OptionCalls["question-answering"], QuestionAnsweringOptions>>
  | Equal<Differences<OptionCalls["zero-shot-classification"], ZeroShotOptions>>
  | Equal<Differences<OptionCalls["zero-shot-token-classification"], ZeroShotTokenOptions>>
  | Equal<Differences<OptionCalls["feature-extraction"], FeatureExtractionOptions>>
  | Equal<Differences<OptionCalls["text-ranking"], TextRankingOptions>>
  | Equal<Differences<OptionCalls["next-sentence-prediction"], TaskOptions>>
  | Equal<Differences<OptionCalls["multiple-choice"], TaskOptions>>
  | Equal<Differences<OptionCalls["replaced-token-detection"], TaskOptions>>
  | Equal<Differences<Others["lens"], LensOptions>>
  | Equal<Differences<Others["pipeline"], ModelOptions>>
  | Equal<Differences<Others["AutoConfig.from_pretrained"], SourceOptions>>
  | Equal<Differences<Others["convert"], ConvertOptions>>
  | Equal<Differences<Others["forward"], ForwardOptions>>
  | Equal<Differences<Others["redact"], RedactOptions>>
  | Equal<Differences<Others["createIndex"], CreateIndexOptions>>
  | Equal<Differences<Others["loadIndex"], IndexModelOptions>>
  | Equal<Differences<Others["index.add"], IndexAddOptions>>
  | Equal<Differences<Others["index.search"], IndexSearchOptions>>;
