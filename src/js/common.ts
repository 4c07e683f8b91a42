/// <reference lib="esnext.disposable" preserve="true" />
// The names that both entries export: index.ts for browsers, node.ts for Node.
export { env } from "./env.js";
export { PretrainedConfig, type ConfigClass } from "./config.js";
export { WebertError } from "./errors.js";
export { Tensor } from "./tensor.js";
export type { CustomCache, Env, WasmBuild } from "./env.js";
export type { NamedModelClass, NamedTokenizerClass } from "./api.js";
export type { ClassOf } from "./classes.js";
export type { Convert, ConvertOptions } from "./convert.js";
export type { BatchEncoding, EncodeOptions } from "./encoding.js";
export type { ErrorCode } from "./errors.js";
export type { ForwardOptions, Ids, Model, ModelClass, ModelInputs, ModelOutput } from "./model.js";
export { Pipeline, type PipelineBase, type PipelineFunction } from "./pipeline.js";
export type { ModelOptions } from "./platform.js";
export type { FileBytes, ProgressEvent, Source, SourceOptions } from "./source.js";
export * from "./maths.js";
export * from "./names.js";
export type * from "./tasks.js";
export type { Slice, TensorData, TensorType } from "./tensor.js";
export type { DecodeOptions, TokenIds, Tokenizer, TokenizerClass } from "./tokenizer.js";
export type { ModelInfo } from "./wasm.js";
