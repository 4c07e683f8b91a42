import { onDemand } from "../engine/on-demand.js";
import { WebertError } from "../errors.js";
import type { Platform } from "../platforms/platform.js";
import { PreTrainedModel as AnyModel, PreTrainedTokenizer as AnyTokenizer, type ClassOf } from "./classes.js";
import { type ConfigClass, createConfigClass } from "./config.js";
import type { Convert } from "./convert.js";
import { env } from "./env.js";
import {
  FAMILY_NAMES,
  type Family,
  familyClass,
  HEAD_NAMES,
  HEADS,
  kindOf,
  type ModelName,
  modelClass,
  type TokenizerName,
  tokenizerClass,
} from "./families.js";
import { createModelClass, type Model, type ModelClass } from "./model.js";
import type { ModelRegistry } from "./model-registry.js";
import { createPipeline, type PipelineFunction } from "./pipeline.js";
import { createTokenizerClass, type Tokenizer, type TokenizerClass } from "./tokenizer.js";
import type { TrainerClass, TrainingApi, TrainTokenizer } from "./training.js";

/** What is exported, apart from what is the same everywhere. */
export interface Api
  extends Record<ModelName | `${Family}PreTrainedModel` | "PreTrainedModel", NamedModelClass>,
    Record<TokenizerName | "PreTrainedTokenizer", NamedTokenizerClass> {
  AutoConfig: ConfigClass;
  pipeline: PipelineFunction;
  convert: Convert;
  ModelRegistry: ModelRegistry;
  Trainer: TrainerClass;
  trainTokenizer: TrainTokenizer;
  AutoTokenizer: TokenizerClass;
  AutoModel: ModelClass;
  AutoModelForMaskedLM: ModelClass;
  AutoModelForSequenceClassification: ModelClass;
  AutoModelForTokenClassification: ModelClass;
  AutoModelForQuestionAnswering: ModelClass;
  AutoModelForMultipleChoice: ModelClass;
  AutoModelForNextSentencePrediction: ModelClass;
}

/** A class of models that loads them, too. */
export type NamedModelClass = ModelClass & ClassOf<Model>;
/** A class of tokenizers that loads them, too. */
export type NamedTokenizerClass = TokenizerClass & ClassOf<Tokenizer>;

/** The API on a platform. */
export function createApi(platform: Platform): Api {
  Object.assign(env.defaultModels, platform.models);
  const model = (head: keyof typeof HEADS) => createModelClass(platform, HEADS[head]);
  const named: Record<string, NamedModelClass | NamedTokenizerClass> = {
    PreTrainedModel: Object.assign(AnyModel as unknown as ClassOf<Model>, createModelClass(platform)),
    PreTrainedTokenizer: Object.assign(AnyTokenizer as unknown as ClassOf<Tokenizer>, createTokenizerClass(platform)),
  };
  for (const family of FAMILY_NAMES) {
    named[`${family}PreTrainedModel`] = Object.assign(familyClass(family), createModelClass(platform));
    for (const head of HEAD_NAMES) {
      const made = modelClass(`${family}${head}`);
      named[`${family}${head}`] = Object.assign(made, createModelClass(platform, kindOf(family, head), made));
    }
    const made = tokenizerClass(`${family}Tokenizer`);
    named[`${family}Tokenizer`] = Object.assign(made, createTokenizerClass(platform, made));
  }
  return {
    ...(named as Record<ModelName, NamedModelClass> & Api),
    AutoConfig: createConfigClass(platform),
    pipeline: createPipeline(platform),
    // Fetched by those alone who convert.
    convert: async (...args) => (await onDemand(() => import("./convert.js"))).createConvert(platform)(...args),
    ModelRegistry: modelRegistry(platform),
    ...training(platform),
    AutoTokenizer: createTokenizerClass(platform),
    AutoModel: createModelClass(platform),
    AutoModelForMaskedLM: model("ForMaskedLM"),
    AutoModelForSequenceClassification: model("ForSequenceClassification"),
    AutoModelForTokenClassification: model("ForTokenClassification"),
    AutoModelForQuestionAnswering: model("ForQuestionAnswering"),
    AutoModelForMultipleChoice: model("ForMultipleChoice"),
    AutoModelForNextSentencePrediction: model("ForNextSentencePrediction"),
  };
}

/** `ModelRegistry`, fetched by those alone who call it. */
function modelRegistry(platform: Platform): ModelRegistry {
  const made = async () => (await onDemand(() => import("./model-registry.js"))).createModelRegistry(platform);
  const call =
    <K extends keyof ModelRegistry>(name: K) =>
    async (...args: Parameters<ModelRegistry[K]>) => {
      try {
        return await ((await made())[name] as (...args: unknown[]) => Promise<never>)(...args);
      } catch (error) {
        throw WebertError.from(error);
      }
    };
  return {
    is_cached: call("is_cached"),
    is_cached_files: call("is_cached_files"),
    is_pipeline_cached: call("is_pipeline_cached"),
    is_pipeline_cached_files: call("is_pipeline_cached_files"),
    clear_cache: call("clear_cache"),
    clear_pipeline_cache: call("clear_pipeline_cache"),
    get_available_dtypes: call("get_available_dtypes"),
  };
}

/** `Trainer` and `trainTokenizer`, fetched by those alone who call them. */
function training(platform: Platform): Pick<Api, "Trainer" | "trainTokenizer"> {
  const call =
    <K extends keyof TrainingApi>(name: K) =>
    async (...args: unknown[]) => {
      try {
        if (!platform.training)
          throw new WebertError("unsupported", "models are not trained here: not in this entry of the package");
        const made = await onDemand(() => platform.training!(platform));
        return await (made[name] as (...args: unknown[]) => Promise<never>)(...args);
      } catch (error) {
        throw WebertError.from(error);
      }
    };
  return {
    Trainer: { from_pretrained: call("from_pretrained"), from_config: call("from_config"), resume: call("resume") },
    trainTokenizer: call("trainTokenizer"),
  };
}
