/// <reference lib="esnext.disposable" preserve="true" />
// Exports that are the same on every platform.

export type { Convert, ConvertOptions } from "../api/convert.js";
export type { ForwardOptions, Ids, Model, ModelClass, ModelInputs, ModelOutput } from "../api/model.js";
export type { CachedFiles, ClearedFiles } from "../api/model-registry.js";
export { Pipeline, type PipelineBase, type PipelineFunction } from "../api/pipeline.js";
export type { Saved } from "../api/saved.js";
export type { ClassOf } from "../classes/classes.js";
export { type ConfigClass, PretrainedConfig } from "../classes/config.js";
export type * from "../engine/explanation.js";
export type { ModelOptions } from "../engine/open.js";
export type { ModelInfo } from "../engine/wasm.js";
export type { CustomCache, Env, WasmBuild } from "../env.js";
export { env } from "../env.js";
export type { ErrorCode } from "../errors.js";
export { WebertError } from "../errors.js";
export type {
  CreateRedactor,
  DetectorName,
  FoundSpan,
  OwnPattern,
  PatternName,
  Redact,
  RedactedEntity,
  Redaction,
  RedactionSession,
  RedactOptions,
  ReplaceWay,
  Restored,
  SavedRedactor,
  SpanSource,
} from "../redaction/types.js";
export type {
  BaseDocument,
  CreateIndex,
  CreateIndexOptions,
  DocumentId,
  IndexAddOptions,
  IndexDocument,
  IndexInfo,
  IndexModelOptions,
  IndexProgress,
  IndexResult,
  IndexSearchOptions,
  LoadIndex,
  Passage,
  SearchIndex,
} from "../search/search.js";
export type { FileBytes, FolderSource, Source } from "../source.js";
export type { ProgressEvent, SourceOptions } from "../sources/source.js";
export type { Aliases, Task, TaskName, TaskOf } from "../task-names.js";
export type * from "../tasks.js";
export type { Slice } from "../tensor/axes.js";
export type { TensorData, TensorType } from "../tensor/element-types.js";
export * from "../tensor/maths.js";
export { type Precision, quantize_embeddings } from "../tensor/quantize.js";
export { Tensor } from "../tensor/tensor.js";
export * from "../tensor/tensor-ops.js";
export type { BatchEncoding, EncodeOptions } from "../tokenizer/encoding.js";
export type { DecodeOptions, TokenIds, Tokenizer, TokenizerClass } from "../tokenizer/tokenizer.js";
export type { SavedFiles, SaveOptions } from "../training/saved-files.js";
export type { Freeze, PeftOptions, TrainerClass, TrainerOptions } from "../training/training.js";
export type {
  Metrics,
  TrainingArguments,
  TrainingEvent,
  TrainingResult,
  TrainOptions,
} from "../training/training-arguments.js";
export type {
  BatchInputs,
  BatchLabels,
  RowLabel,
  TrainingRows,
  TrainingTask,
  TrainingTaskName,
} from "../training/training-rows.js";
export type { TrainTokenizer, VocabularyOptions } from "../training/vocabulary-options.js";
export type { NamedModelClass, NamedTokenizerClass } from "./api.js";
export * from "./names.js";
