/// <reference lib="esnext.disposable" preserve="true" />
// Exports that are the same on every platform.

export type { FileBytes, ProgressEvent, Source, SourceOptions } from "../checkpoint/source.js";
export type { ModelInfo } from "../engine/wasm.js";
export type { ErrorCode } from "../errors.js";
export { WebertError } from "../errors.js";
export type { ModelOptions } from "../platforms/platform.js";
export type { NamedModelClass, NamedTokenizerClass } from "./api.js";
export type { ClassOf } from "./classes.js";
export { type ConfigClass, PretrainedConfig } from "./config.js";
export type { Convert, ConvertOptions } from "./convert.js";
export type { BatchEncoding, EncodeOptions } from "./encoding.js";
export type { CustomCache, Env, WasmBuild } from "./env.js";
export { env } from "./env.js";
export { FFT, rfft } from "./fourier.js";
export { interpolate, interpolate_4d } from "./interpolate.js";
export * from "./maths.js";
export type { ForwardOptions, Ids, Model, ModelClass, ModelInputs, ModelOutput } from "./model.js";
export type { CachedFiles, ClearedFiles } from "./model-registry.js";
export * from "./names.js";
export { Pipeline, type PipelineBase, type PipelineFunction } from "./pipeline.js";
export { type Precision, quantize_embeddings } from "./quantize.js";
export { random } from "./random.js";
export type { PatternName, Redact, RedactedEntity, Redaction, RedactOptions } from "./redaction/types.js";
export type {
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
  SearchIndex,
} from "./search.js";
export type * from "./tasks.js";
export type { Slice, TensorData, TensorType } from "./tensor.js";
export { Tensor } from "./tensor.js";
export * from "./tensor-ops.js";
export type { DecodeOptions, TokenIds, Tokenizer, TokenizerClass } from "./tokenizer.js";
export type {
  BatchInputs,
  BatchLabels,
  Freeze,
  Metrics,
  RowLabel,
  SavedFiles,
  TrainerClass,
  TrainerOptions,
  TrainingArguments,
  TrainingEvent,
  TrainingResult,
  TrainingRows,
  TrainingTask,
  TrainingTaskName,
  TrainOptions,
  TrainTokenizer,
  VocabularyOptions,
} from "./training.js";
