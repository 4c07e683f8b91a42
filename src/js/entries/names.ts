// The classes of the pipelines, and types under their names in transformers.js.

import { type Pipeline, pipelineClass } from "../api/pipeline.js";
import type { PretrainedConfig } from "../classes/config.js";
import type { ModelOptions } from "../engine/open.js";
import type { ProgressEvent } from "../sources/source.js";
import type { Task, TaskName } from "../task-names.js";
import type {
  FeatureExtractionOptions,
  FillMaskOptions,
  FillMaskResult,
  QuestionAnsweringOptions,
  QuestionAnsweringResult,
  TextClassificationOptions,
  TextClassificationResult,
  TokenClassificationGroup,
  TokenClassificationOptions,
  TokenClassificationResult,
  ZeroShotOptions,
  ZeroShotResult,
} from "../tasks.js";
import type { TensorData, TensorType } from "../tensor/element-types.js";

export const FillMaskPipeline = /* @__PURE__ */ pipelineClass("fill-mask");
export type FillMaskPipeline = Pipeline<"fill-mask">;
export const TextClassificationPipeline = /* @__PURE__ */ pipelineClass("text-classification");
export type TextClassificationPipeline = Pipeline<"text-classification">;
export const TokenClassificationPipeline = /* @__PURE__ */ pipelineClass("token-classification");
export type TokenClassificationPipeline = Pipeline<"token-classification">;
export const QuestionAnsweringPipeline = /* @__PURE__ */ pipelineClass("question-answering");
export type QuestionAnsweringPipeline = Pipeline<"question-answering">;
export const ZeroShotClassificationPipeline = /* @__PURE__ */ pipelineClass("zero-shot-classification");
export type ZeroShotClassificationPipeline = Pipeline<"zero-shot-classification">;
export const ZeroShotTokenClassificationPipeline = /* @__PURE__ */ pipelineClass("zero-shot-token-classification");
export type ZeroShotTokenClassificationPipeline = Pipeline<"zero-shot-token-classification">;
export const FeatureExtractionPipeline = /* @__PURE__ */ pipelineClass("feature-extraction");
export type FeatureExtractionPipeline = Pipeline<"feature-extraction">;
export const NextSentencePredictionPipeline = /* @__PURE__ */ pipelineClass("next-sentence-prediction");
export type NextSentencePredictionPipeline = Pipeline<"next-sentence-prediction">;
export const MultipleChoicePipeline = /* @__PURE__ */ pipelineClass("multiple-choice");
export type MultipleChoicePipeline = Pipeline<"multiple-choice">;
export const ReplacedTokenDetectionPipeline = /* @__PURE__ */ pipelineClass("replaced-token-detection");
export type ReplacedTokenDetectionPipeline = Pipeline<"replaced-token-detection">;
export const TextRankingPipeline = /* @__PURE__ */ pipelineClass("text-ranking");
export type TextRankingPipeline = Pipeline<"text-ranking">;

/** Levels of transformers.js for programs that set `env.logLevel`. webert logs nothing. */
export const LogLevel = /* @__PURE__ */ Object.freeze({ DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, NONE: 50 });

export type FillMaskSingle = FillMaskResult;
export type FillMaskOutput = FillMaskResult[];
export type FillMaskPipelineOptions = FillMaskOptions;
export type TextClassificationSingle = TextClassificationResult;
export type TextClassificationOutput = TextClassificationResult[];
export type TextClassificationPipelineOptions = TextClassificationOptions;
export type TokenClassificationSingle = TokenClassificationResult;
export type TokenClassificationOutput = TokenClassificationResult[];
export type TokenClassificationGroupOutput = TokenClassificationGroup[];
export type TokenClassificationPipelineOptions = TokenClassificationOptions;
export type QuestionAnsweringOutput = QuestionAnsweringResult;
export type QuestionAnsweringPipelineOptions = QuestionAnsweringOptions;
export type ZeroShotClassificationOutput = ZeroShotResult;
export type ZeroShotClassificationPipelineOptions = ZeroShotOptions;
export type FeatureExtractionPipelineOptions = FeatureExtractionOptions;

export type PipelineType = TaskName;
export type TaskType = Task;
export type AllTasks = { [T in Task]: Pipeline<T> };
export type PretrainedOptions = ModelOptions & { config?: PretrainedConfig | null };
export type PretrainedModelOptions = ModelOptions;
export type ProgressInfo = ProgressEvent;
export type ProgressCallback = (event: ProgressEvent) => void;
export type DeviceType = NonNullable<ModelOptions["device"]>;
/** Element types of Tensors. */
export type DataType = TensorType;
export type DataArray = TensorData[TensorType];
