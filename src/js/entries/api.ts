// Builds the exports of an entry for a platform.
import type { Convert } from "../api/convert.js";
import { createModelClass, type Model, type ModelClass } from "../api/model.js";
import type { ModelRegistry } from "../api/model-registry.js";
import { createPipeline, engineOf, type PipelineFunction, trainingOf } from "../api/pipeline.js";
import type { Saved } from "../api/saved.js";
import { PreTrainedModel as AnyModel, PreTrainedTokenizer as AnyTokenizer, type ClassOf } from "../classes/classes.js";
import { type ConfigClass, createConfigClass } from "../classes/config.js";
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
} from "../classes/families.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import type { CreateRedactor, Redact } from "../redaction/types.js";
import type { SearchApi } from "../search/search.js";
import { createTokenizerClass, type Tokenizer, type TokenizerClass } from "../tokenizer/tokenizer.js";
import type { TrainerClass } from "../training/training.js";
import type { TrainTokenizer } from "../training/vocabulary-options.js";
import type { EntryPlatform } from "./platform.js";

/** Exports that differ between platforms; common.ts has the others. */
export interface Api
  extends Record<ModelName | `${Family}PreTrainedModel` | "PreTrainedModel", NamedModelClass>,
    Record<TokenizerName | "PreTrainedTokenizer", NamedTokenizerClass> {
  AutoConfig: ConfigClass;
  pipeline: PipelineFunction;
  convert: Convert;
  ModelRegistry: ModelRegistry;
  redact: Redact;
  createRedactor: CreateRedactor;
  saved: Saved;
  Trainer: TrainerClass;
  trainTokenizer: TrainTokenizer;
  createIndex: SearchApi["createIndex"];
  loadIndex: SearchApi["loadIndex"];
  hasIndex: SearchApi["hasIndex"];
  listIndexes: SearchApi["listIndexes"];
  deleteIndex: SearchApi["deleteIndex"];
  AutoTokenizer: TokenizerClass;
  AutoModel: ModelClass;
  AutoModelForMaskedLM: ModelClass;
  AutoModelForSequenceClassification: ModelClass;
  AutoModelForTokenClassification: ModelClass;
  AutoModelForQuestionAnswering: ModelClass;
  AutoModelForMultipleChoice: ModelClass;
  AutoModelForNextSentencePrediction: ModelClass;
}

/** A class of models that also loads them. */
export type NamedModelClass = ModelClass & ClassOf<Model>;
/** A class of tokenizers that also loads them. */
export type NamedTokenizerClass = TokenizerClass & ClassOf<Tokenizer>;

/** Creates the API of a platform. */
export function createApi(platform: EntryPlatform): Api {
  Object.assign(env.defaultModels, platform.models);
  const pipeline = createPipeline(platform);
  const model = (head: keyof typeof HEADS) => createModelClass(platform, HEADS[head]);
  const named: Record<string, NamedModelClass | NamedTokenizerClass> = {
    PreTrainedModel: Object.assign(AnyModel as unknown as ClassOf<Model>, createModelClass(platform)),
    PreTrainedTokenizer: Object.assign(AnyTokenizer as unknown as ClassOf<Tokenizer>, createTokenizerClass(platform)),
  };
  for (const family of FAMILY_NAMES) {
    named[`${family}PreTrainedModel`] = Object.assign(
      familyClass(family) as ClassOf<Model>,
      createModelClass(platform),
    );
    for (const head of HEAD_NAMES) {
      const made = modelClass(`${family}${head}`) as ClassOf<Model>;
      named[`${family}${head}`] = Object.assign(made, createModelClass(platform, kindOf(family, head), made));
    }
    const made = tokenizerClass(`${family}Tokenizer`) as ClassOf<Tokenizer>;
    named[`${family}Tokenizer`] = Object.assign(made, createTokenizerClass(platform, made));
  }
  return {
    ...(named as Record<ModelName, NamedModelClass> & Api),
    AutoConfig: createConfigClass(platform),
    pipeline,
    // Fetched by the first call of `convert`.
    convert: async (...args) => (await onDemand(() => import("../api/convert.js"))).createConvert(platform)(...args),
    ModelRegistry: modelRegistry(platform),
    ...redactOf(pipeline),
    saved: deferred(
      async () => (await onDemand(() => import("../api/saved.js"))).createSaved(platform),
      ["list", "has", "delete", "export", "import"],
    ),
    ...trainingApi(platform),
    ...searchApi(platform, pipeline),
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

/** Returns `redact` and `createRedactor`, whose code is fetched by the first call. */
function redactOf(pipeline: PipelineFunction): Pick<Api, "redact" | "createRedactor"> {
  let made: Awaited<ReturnType<typeof load>> | undefined;
  const load = async () => (await onDemand(() => import("../redaction/redact.js"))).redactorOf(pipeline);
  const redactor = async () => (made ??= await load());
  const redact = async (...args: [unknown, unknown?]) => (await redactor()).redact(...args);
  /** A session whose methods other than `redact` need the code to be there. */
  const create = (options?: unknown, saved?: unknown) => {
    let own: Record<string, (...args: unknown[]) => unknown> | undefined;
    const open = (from: { session(...args: unknown[]): object }) =>
      (own ??= from.session(options, saved) as unknown as NonNullable<typeof own>);
    const now =
      (name: string) =>
      (...args: unknown[]) => {
        if (!own && !made) throw new WebertError("bad_input", `${name}: await \`ready\` or a call of \`redact\` first`);
        return (own ?? open(made as never))[name]!(...args);
      };
    if (made) open(made as never);
    const ready = redactor().then((from) => void open(from as never));
    ready.catch(() => {}); // reported by the calls
    return {
      redact: async (...args: unknown[]) => (await ready, own!.redact!(...args)),
      ...Object.fromEntries(["restore", "restoreStream", "toJSON"].map((name) => [name, now(name)])),
      ready,
    };
  };
  return {
    redact: Object.assign(redact, { dispose: async () => (await redactor()).dispose() }) as Redact,
    createRedactor: Object.assign((options?: unknown) => create(options), {
      from: (saved: unknown, options?: unknown) => create(options, saved),
    }) as unknown as CreateRedactor,
  };
}

type DeferredFunction = (...args: unknown[]) => Promise<never>;

/** Returns functions that fetch their implementation by `load` when they are called. */
function deferred<N extends string>(
  load: () => Promise<Record<N, unknown>>,
  names: readonly N[],
): Record<N, DeferredFunction> {
  const call =
    (name: N) =>
    async (...args: unknown[]) => {
      try {
        return await ((await load())[name] as DeferredFunction)(...args);
      } catch (error) {
        throw WebertError.from(error);
      }
    };
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Record<N, DeferredFunction>;
}

const modelRegistry = (platform: EntryPlatform): ModelRegistry =>
  deferred(
    async () => (await onDemand(() => import("../api/model-registry.js"))).createModelRegistry(platform),
    [
      "is_cached",
      "is_cached_files",
      "is_pipeline_cached",
      "is_pipeline_cached_files",
      "clear_cache",
      "clear_pipeline_cache",
      "get_available_dtypes",
    ],
  );

function trainingApi(platform: EntryPlatform): Pick<Api, "Trainer" | "trainTokenizer"> {
  const names = ["from_pretrained", "from_config", "resume", "trainTokenizer"] as const;
  const { trainTokenizer, ...Trainer } = deferred(() => trainingOf(platform), names);
  return { Trainer, trainTokenizer };
}

const searchApi = (platform: EntryPlatform, pipeline: PipelineFunction): SearchApi =>
  deferred(async () => {
    if (!platform.search) throw new WebertError("unsupported", "this entry of the package has no search");
    return (await onDemand(platform.search)).openSearch(platform, { pipeline, engineOf });
  }, ["createIndex", "loadIndex", "hasIndex", "listIndexes", "deleteIndex"]);
