// Implements the public functions of training. Imported by the first call.
import { abortable } from "../abort.js";
import type { ProblemType } from "../embeddings/sentence-classification.js";
import type { Opened } from "../engine/open.js";
import {
  control,
  deviceOf,
  hubOf,
  kernelCacheOf,
  type ModelOptions,
  type Platform,
  placeOf,
  plain,
  wasmPaths,
} from "../engine/open.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import { TRAINING_HEADS } from "../generated/training.js";
import { onDemand } from "../on-demand.js";
import type { Source } from "../source.js";
import { readModules, readOptionalConfig, readTokenizerFiles } from "../sources/files.js";
import { readFile } from "../sources/folder.js";
import { kindError } from "../sources/folder-kinds.js";
import { openFolder } from "../sources/open.js";
import { jsonBlob, type Place } from "../sources/source.js";
import type { Control } from "../sources/types.js";
import { canonical } from "../task-names.js";
import { isNumber, kindOf, shown } from "../values.js";
import type { TrainerSetup, TrainerSpec, TrainingEngine } from "./engine.js";
import { createExplain, type ExplainedTask } from "./explain.js";
import { LiveTrainer, SETUP_FILE } from "./live-trainer.js";
import type { PeftSetup } from "./peft.js";
import type { Training } from "./platform.js";
import type { SentenceTrainer } from "./sentence-trainer.js";
import { createTrainTokenizer } from "./train-tokenizer.js";
import type { Freeze, TrainerClass, TrainerOptions, TrainingApi } from "./training.js";
import { knownOptions } from "./training-options.js";
import type { TrainingTask } from "./training-rows.js";

/** Options of ModelOptions that training accepts, and its own options. */
const OPTIONS = [
  ...["device", "threads", "worker", "config", "progress_callback", "signal"],
  ...["revision", "subfolder", "local_files_only", "cache_dir", "token"],
];
const OWN_OPTIONS = [
  "labels",
  "problem_type",
  "freeze",
  "seed",
  "generator",
  "classifier_pooling",
  "teacher",
  "layers",
  "peft",
];

/** Tasks whose scores can be soft targets. */
const TAUGHT: readonly TrainingTask[] = ["fill-mask", "text-classification", "token-classification"];

const DEFAULT_SEED = 42;

/** Default sizes of transformers' configs. The vocabulary size comes from the tokenizer. */
const BERT_SIZES = {
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  max_position_embeddings: 512,
  type_vocab_size: 2,
};
const SIZES: Record<string, object> = {
  bert: BERT_SIZES,
  roberta: BERT_SIZES,
  "xlm-roberta": BERT_SIZES,
  electra: { ...BERT_SIZES, embedding_size: 128, hidden_size: 256, num_attention_heads: 4, intermediate_size: 1024 },
  albert: { ...BERT_SIZES, embedding_size: 128, hidden_size: 4096, num_attention_heads: 64, intermediate_size: 16384 },
  distilbert: { dim: 768, n_layers: 6, n_heads: 12, hidden_dim: 3072, max_position_embeddings: 512 },
};
/** DistilBERT's names of sizes by the common names; its configs accept both. */
const DISTILBERT_NAMES: Record<string, string> = {
  hidden_size: "dim",
  num_hidden_layers: "n_layers",
  num_attention_heads: "n_heads",
  intermediate_size: "hidden_dim",
};

/** Loads a model for training from a place, as `setup` describes. */
async function openTrainer(
  platform: Platform,
  training: Training,
  place: Place,
  setup: TrainerSetup,
  options: TrainerOptions,
  hub?: TrainerSpec["hub"],
): Promise<LiveTrainer> {
  const { spec, engine } = await openEngine(platform, training, place, setup, options, hub);
  return new LiveTrainer(platform, spec, engine);
}

/**
 * Loads an encoder of sentences for the training of a classifier over its vectors.
 * @param setup of the classifier
 */
async function openSentenceTrainer(
  platform: Platform,
  training: Training,
  place: Place,
  { labels, problem_type, freeze, seed }: TrainerSetup,
  options: TrainerOptions,
  hub?: TrainerSpec["hub"],
): Promise<SentenceTrainer> {
  if (!labels || labels.length < 2)
    throw new WebertError(
      "bad_input",
      `labels: expected at least two with classifier_pooling, got ${labels?.length ?? "none"}`,
    );
  if (new Set(labels).size < labels.length) throw new WebertError("bad_input", "labels: expected different names");
  if (problem_type === "regression")
    throw new WebertError(
      "unsupported",
      "problem_type: expected single_label_classification or multi_label_classification with classifier_pooling, got regression",
    );
  const problem = problem_type as ProblemType | undefined;
  const isFrozen = freeze === "encoder";
  // The engine refuses a setup that leaves nothing to train. Gradients are allocated by the first run, which never comes.
  const encoder: TrainerSetup = { task: "feature-extraction", freeze: isFrozen ? "none" : freeze, seed };
  const { spec, engine } = await openEngine(platform, training, place, encoder, options, hub, "text-classification");
  const folder = await openFolder(place, platform.machine);
  const reading = control(options);
  const files = { ...(await readOptionalConfig(folder, reading)), ...(await readModules(folder, reading)) };
  const { headPath } = await onDemand(() => import("../embeddings/sentence-classification.js"));
  const { SentenceTrainer } = await onDemand(() => import("./sentence-trainer.js"));
  return new SentenceTrainer(platform, spec, engine, { labels, problem, isFrozen, seed, head: headPath(files) });
}

/** Loads a model in training. `task` is the task that is reported as ready. */
async function openEngine(
  platform: Platform,
  training: Training,
  place: Place,
  setup: TrainerSetup,
  options: TrainerOptions,
  hub?: TrainerSpec["hub"],
  task = setup.task,
): Promise<{ spec: TrainerSpec; engine: TrainingEngine }> {
  const reading = control(options);
  const { generator, teacher } = options;
  if (teacher != null && !TAUGHT.includes(setup.task as TrainingTask))
    throw new WebertError("unsupported", `teacher: expected one of ${TAUGHT.join(", ")}, got ${setup.task}`);
  if (generator != null && setup.task !== "replaced-token-detection")
    throw new WebertError("bad_input", `generator: expected the task replaced-token-detection, got ${setup.task}`);
  const spec: TrainerSpec = {
    place,
    how: {
      device: deviceOf(options as ModelOptions),
      dtype: "fp32",
      head: TRAINING_HEADS[setup.task as TrainingTask],
      ...(!setup.resume && { initialize: { seed: setup.seed, output: setup.labels !== undefined } }),
    },
    tokenizer: true,
    modules: setup.task === "feature-extraction",
    wasmPaths: wasmPaths(platform),
    ...kernelCacheOf(platform),
    threads: options.threads ?? 0,
    config: plain(options.config),
    hub,
    trainer: setup,
    ...(generator != null && {
      generator: { place: await placeOf(platform, generator, options), hub: hubOf(generator) },
    }),
    ...(teacher != null && { teacher: { place: await placeOf(platform, teacher, options), hub: hubOf(teacher) } }),
  };
  const inWorker = platform.usesWorker?.(place, options as ModelOptions) ?? false;
  const loading = training.load(spec, reading, inWorker).catch(async (error: unknown) => {
    if (WebertError.from(error).code !== "not_found") throw error;
    throw await kindError(await openFolder(place, platform.machine), place, reading, error, {
      caller: "Trainer",
      machine: platform.machine,
      gliner: "GLiNER models are not trained.",
    });
  });
  const engine = await abortable(loading, reading.signal, (engine) => engine.close());
  options.progress_callback?.({ status: "ready", task, model: place.name });
  return { spec, engine };
}

/** Loads the model of a pipeline again, in a binary and a precision that compute gradients. */
async function openExplainer(
  platform: Platform,
  training: Training,
  task: ExplainedTask,
  { source, options, places }: Opened,
  reading: Control,
): Promise<TrainingEngine> {
  const at = places ?? { place: await placeOf(platform, source, options), hub: hubOf(source) };
  const spec: TrainerSpec = {
    ...at,
    how: { device: deviceOf(options), dtype: "fp32", head: TRAINING_HEADS[task] },
    tokenizer: true,
    modules: false,
    wasmPaths: wasmPaths(platform),
    ...kernelCacheOf(platform),
    threads: options.threads ?? 0,
    config: plain(options.config),
    // Nothing is trained here. "encoder" leaves the fewest parameters trainable, so it needs the least memory.
    trainer: { task, freeze: "encoder", seed: 0 },
  };
  const inWorker = platform.usesWorker?.(at.place, options) ?? false;
  return abortable(training.load(spec, reading, inWorker), reading.signal, (engine) => engine.close());
}

/** Loads a trainer from the files of `checkpoint()`. */
async function resumeTrainer(
  platform: Platform,
  training: Training,
  checkpoint: Source,
  given: unknown,
): Promise<LiveTrainer> {
  const options = knownOptions("Trainer.resume", given, [
    ...OPTIONS.filter((name) => name !== "config"),
    "generator",
    "teacher",
  ]) as TrainerOptions;
  const place = await placeOf(platform, checkpoint, options);
  const folder = await openFolder(place, platform.machine);
  const bytes = await readFile(folder, SETUP_FILE, control(options));
  if (!bytes)
    throw new WebertError(
      "not_found",
      `${place.name}: expected a training checkpoint, but ${folder.address(SETUP_FILE)} is missing`,
    );
  const { distills, ...setup } = readSetup(folder.address(SETUP_FILE), bytes);
  if (distills !== (options.teacher != null))
    throw new WebertError(
      "bad_input",
      `teacher: expected ${distills ? "the teacher of the run, got none" : "none, because the run has no teacher"}`,
    );
  return openTrainer(platform, training, place, { ...setup, resume: true }, options);
}

/** Creates `Trainer`, `trainTokenizer` and the explaining of answers for a platform. */
export function createTraining(platform: Platform, training: Training): TrainingApi {
  const open = (place: Place, setup: TrainerSetup, options: TrainerOptions, hub?: TrainerSpec["hub"]) =>
    openTrainer(platform, training, place, setup, options, hub);

  const from_pretrained = async (name: string, source: Source | null | undefined, given: unknown) => {
    const task = taskOf(name);
    const options = knownOptions("Trainer", given, [...OPTIONS, ...OWN_OPTIONS]) as TrainerOptions;
    const isSentence = readsSentences(task, options.classifier_pooling);
    // Pre-training continues from the default masked language model. The means of its states tell moods and topics apart
    // better than the default sentence vectors, which are trained for search.
    const own = task === "pre-training" || isSentence ? "fill-mask" : task;
    const { teacher, layers } = options;
    if (isSentence && teacher != null)
      throw new WebertError("unsupported", 'teacher: expected classifier_pooling "cls", got "model"');
    if (layers != null && (teacher == null || source != null))
      throw new WebertError("bad_input", "layers: expected a teacher and no other source, because they are its layers");
    const model = source ?? teacher ?? env.defaultModels[own];
    if (model === undefined)
      throw new WebertError(
        "bad_input",
        `the task ${task} has no default model${platform.without ?? ""}; name one: Trainer.from_pretrained("${task}", model)`,
      );
    const from = await placeOf(platform, model, options);
    if (source == null && teacher != null) {
      const { studentOf } = await onDemand(() => import("./student.js"));
      const setup = await withPeft(setupOf(task, options), options);
      return open(await studentOf(platform, from, layers, options), setup, options);
    }
    const how = [from, await withPeft(setupOf(task, options), options), options, hubOf(model)] as const;
    return isSentence ? openSentenceTrainer(platform, training, ...how) : open(...how);
  };

  const from_config = async (name: string, config: unknown, tokenizer: Source, given: unknown) => {
    const task = taskOf(name);
    const names = [...OPTIONS, ...OWN_OPTIONS].filter(
      (name) => !["config", "classifier_pooling", "layers", "peft"].includes(name),
    );
    const options = knownOptions("Trainer", given, names) as TrainerOptions;
    const fields = plain(config);
    if (!fields)
      throw new WebertError("bad_input", `config: expected an object of config.json's fields, got ${kindOf(config)}`);
    const folder = await openFolder(await placeOf(platform, tokenizer, options), platform.machine);
    const files: Record<string, Blob> = { "config.json": jsonBlob(withSizes(fields)) };
    for (const [file, bytes] of Object.entries(await readTokenizerFiles(folder, control(options), true)))
      files[file] = new Blob([bytes as BlobPart]);
    const setup = { ...setupOf(task, options), blank: true };
    return open({ kind: "files", name: "config", files }, setup, options);
  };

  return {
    from_pretrained,
    from_config,
    resume: (checkpoint: Source, given: unknown) => resumeTrainer(platform, training, checkpoint, given),
    trainTokenizer: createTrainTokenizer(platform, training),
    explain: createExplain((task, from, control) => openExplainer(platform, training, task, from, control)),
  } as unknown as TrainingApi & TrainerClass;
}

/** Returns a config in which missing sizes are transformers' defaults. */
function withSizes(fields: object): object {
  const { model_type = "bert", ...own } = fields as Record<string, unknown>;
  const named = (name: string) => (model_type === "distilbert" && DISTILBERT_NAMES[name]) || name;
  const given = Object.entries(own).filter(([, value]) => value != null);
  const renamed = Object.fromEntries(given.map(([name, value]) => [named(name), value]));
  return { model_type, ...SIZES[String(model_type)], ...renamed };
}

/**
 * Returns the canonical name of a training task.
 * @throws WebertError `unsupported` if the task cannot be trained
 */
function taskOf(name: string): TrainingTask {
  const tasks = Object.keys(TRAINING_HEADS);
  const task = tasks.includes(name) ? name : canonical(name);
  if (tasks.includes(task)) return task as TrainingTask;
  throw new WebertError("unsupported", `${task} cannot be trained, expected one of ${tasks.join(", ")}`);
}

/**
 * Returns whether a classifier reads sentence vectors.
 * @throws WebertError `bad_input` for another value, or another task
 */
function readsSentences(task: TrainingTask, pooling: unknown): boolean {
  if (pooling == null) return false;
  if (task !== "text-classification")
    throw new WebertError("bad_input", `classifier_pooling: expected the task text-classification, got ${task}`);
  if (pooling === "cls" || pooling === "model") return pooling === "model";
  throw new WebertError("bad_input", `classifier_pooling: expected "cls" or "model", got ${JSON.stringify(pooling)}`);
}

function setupOf(task: TrainingTask, { labels, problem_type, freeze, seed }: Partial<TrainerOptions>): TrainerSetup {
  if (labels != null && !(Array.isArray(labels) && labels.length && labels.every((label) => typeof label === "string")))
    throw new WebertError("bad_input", "labels: expected a non-empty array of strings");
  if (labels != null && !/classification/.test(task))
    throw new WebertError("bad_input", `labels: expected a classification task, got ${task}`);
  if (problem_type != null && task !== "text-classification")
    throw new WebertError("bad_input", `problem_type: expected the task text-classification, got ${task}`);
  return {
    task,
    ...(labels != null && { labels: [...labels] }),
    ...(problem_type != null && { problem_type }),
    freeze: freezeOf(freeze ?? "none"),
    seed: seedOf(seed ?? DEFAULT_SEED),
  };
}

/** Returns the setup with the option `peft`. */
async function withPeft(
  setup: TrainerSetup,
  { peft, classifier_pooling, teacher }: TrainerOptions,
): Promise<TrainerSetup> {
  if (peft == null) return setup;
  if (classifier_pooling === "model")
    throw new WebertError("unsupported", 'peft: not supported with classifier_pooling: "model". Leave one of them out');
  if (teacher != null) throw new WebertError("unsupported", "peft: not supported with teacher. Leave one of them out");
  if (setup.freeze !== "none")
    throw new WebertError("bad_input", `freeze: expected "none" with peft, got ${JSON.stringify(setup.freeze)}`);
  const { peftOf } = await onDemand(() => import("./peft.js"));
  return { ...setup, peft: peftOf(peft, setup.task) };
}

function freezeOf(freeze: unknown): Freeze {
  const isCount = isNumber(freeze) && Number.isInteger(Number(freeze)) && Number(freeze) >= 0;
  if (isCount) return Number(freeze);
  if (freeze === "none" || freeze === "embeddings" || freeze === "encoder") return freeze;
  const found = typeof freeze === "string" ? `"${freeze}"` : shown(freeze);
  throw new WebertError(
    "bad_input",
    `freeze: expected "none", "embeddings", "encoder" or a number of layers, got ${found}`,
  );
}

function seedOf(seed: unknown): number {
  if (Number.isSafeInteger(seed) && (seed as number) >= 0) return seed as number;
  throw new WebertError("bad_input", `seed: expected a whole number of at least 0, got ${shown(seed)}`);
}

function readSetup(address: string, bytes: Uint8Array): TrainerSetup & { distills: boolean } {
  try {
    const { task, freeze, seed, peft, distills } = JSON.parse(new TextDecoder().decode(bytes)) as Record<
      string,
      unknown
    >;
    const setup = { task: taskOf(String(task)), freeze: freezeOf(freeze), seed: seedOf(seed) };
    return { ...setup, ...(peft != null && { peft: peft as PeftSetup }), distills: distills === true };
  } catch (cause) {
    throw new WebertError("bad_input", `${address}: expected the setup of a trainer: ${(cause as Error).message}`, {
      cause,
    });
  }
}
