// Trains a classifier over sentence vectors: logistic regression, and before it the contrastive training of SetFit
// (Tunstall and others 2022, https://arxiv.org/abs/2209.11055) unless the encoder is frozen.
import { signalOf, throwIfAborted, yieldToEventLoop } from "../abort.js";
import { pipelineOf } from "../api/pipeline.js";
import { product } from "../embeddings/rare-modules.js";
import { embed } from "../embeddings/sentence.js";
import { type ProblemType, SentenceClassifier, type SentenceScores } from "../embeddings/sentence-classification.js";
import type { EngineModel } from "../engine/engine.js";
import type { Platform } from "../engine/open.js";
import type { RawTensor } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { ARGUMENTS } from "../generated/training.js";
import { Mutex } from "../mutex.js";
import { packed } from "../sources/one-file.js";
import { safetensors } from "../sources/safetensors.js";
import { nameOf, openModelStore } from "../sources/saved-model.js";
import { MODULES } from "../sources/sentence-folder.js";
import { jsonBlob } from "../sources/source.js";
import { isNumber, kindOf, shown } from "../values.js";
import type { TrainerSpec, TrainingEngine } from "./engine.js";
import { LiveTrainer, TrainedModel } from "./live-trainer.js";
import { type LogisticFit, logisticRegression } from "./logistic-regression.js";
import type { SavedFiles } from "./saved-files.js";
import { contrastivePairs } from "./sentence-pairs.js";
import { type LabelledTexts, labelledTexts } from "./sentence-rows.js";
import type { Metrics, TrainingEvent, TrainingResult } from "./training-arguments.js";
import { knownOptions } from "./training-options.js";

/** Options of a run over a frozen encoder, where no step is taken. */
const HEAD_OPTIONS = ["C", "class_weights", "max_length"];
/** Options of an evaluation. */
const EVALUATION_OPTIONS = ["max_length"];
const RUN_OPTIONS = ["eval_dataset", "callback", "signal"];

/** Defaults of the contrastive training, as in SetFit. */
const CONTRASTIVE = {
  num_train_epochs: 1,
  per_device_train_batch_size: 16,
  learning_rate: 2e-5,
  warmup_ratio: 0.1,
};

/** How a classifier over sentence vectors is trained. */
export interface SentenceSetup {
  labels: readonly string[];
  /** By default the rows determine it. */
  problem?: ProblemType | undefined;
  /** Whether the encoder stays as it is. */
  isFrozen: boolean;
  seed: number;
  /** Folder of the head over sentence vectors that the model was loaded with, which a new one replaces. */
  head?: string | undefined;
}

/** A head, and the meaning of its scores. */
interface Head extends LogisticFit {
  problem: ProblemType;
}

/** A trainer of a head over sentence vectors; see `Trainer` for its methods. */
export class SentenceTrainer {
  readonly task = "text-classification";
  readonly #platform: Platform;
  readonly #spec: TrainerSpec;
  readonly #engine: TrainingEngine;
  readonly #encoder: LiveTrainer;
  readonly #setup: SentenceSetup;
  readonly #mutex = new Mutex();
  /** Vectors of texts by the present encoder. */
  readonly #vectors = new Map<string, Float32Array>();
  #maxLength: number | undefined;
  #head: Head | undefined;
  #over: WebertError | undefined;

  constructor(platform: Platform, spec: TrainerSpec, engine: TrainingEngine, setup: SentenceSetup) {
    this.#platform = platform;
    this.#spec = spec;
    this.#engine = engine;
    this.#encoder = new LiveTrainer(platform, spec, engine);
    this.#setup = setup;
  }

  get info(): EngineModel["info"] {
    return { ...this.#engine.info, head: "sequence-classification" };
  }

  async train(given: unknown, more?: unknown): Promise<TrainingResult> {
    const { isFrozen, labels } = this.#setup;
    const { signal, callback, eval_dataset, C, class_weights, ...others } = this.#runOptions(more);
    const stop = signalOf({ signal });
    const strength = C === undefined ? undefined : strengthOf(C);
    const weights = weightsOf(class_weights, labels);
    const rows = this.#rows("rows", given);
    const evalRows = eval_dataset == null ? undefined : this.#rows("eval_dataset", eval_dataset);
    return this.#call(async () => {
      throwIfAborted(stop);
      this.#setMaxLength(others.max_length);
      const contrastive = isFrozen ? undefined : await this.#contrast(rows, { ...others, signal, callback });
      const head = await this.#fit(rows, strength, weights, stop);
      this.#head = head;
      const global_step = contrastive?.global_step ?? head.iterations;
      const metrics = evalRows && (await this.#metrics(evalRows, stop));
      const epochs = Number(others.num_train_epochs ?? CONTRASTIVE.num_train_epochs);
      const event = { type: "evaluate", step: global_step, epoch: contrastive ? epochs : 1, ...metrics };
      if (metrics) await (callback as ((event: TrainingEvent) => unknown) | undefined)?.(event as TrainingEvent);
      return { global_step, training_loss: head.loss, ...(metrics && { metrics }) };
    });
  }

  async evaluate(given: unknown, more?: unknown): Promise<Metrics> {
    const options = knownOptions("evaluate", more, [...ARGUMENTS, "signal"]);
    onlyWithEffect(options, EVALUATION_OPTIONS, "an evaluation over sentence vectors reads each text once");
    const { signal, max_length } = options;
    const rows = this.#rows("rows", given);
    return this.#call(async () => {
      this.#setMaxLength(max_length);
      return this.#metrics(rows, signalOf({ signal }));
    });
  }

  async step(): Promise<never> {
    throw unsupported("step", "the head over sentence vectors is fitted by `train`");
  }

  async loss(): Promise<never> {
    throw unsupported("loss", "`evaluate` computes the loss of texts over sentence vectors");
  }

  async checkpoint(): Promise<never> {
    throw unsupported("checkpoint", "`train` over sentence vectors is one call; `save` keeps its result");
  }

  async pipeline(): Promise<unknown> {
    return this.#call(async () => {
      const [head, encoder] = [this.#fitted(), new SentenceEncoder(this.#engine, this.#setup.head)];
      const { labels } = this.#setup;
      // Answers follow later runs.
      const scores: SentenceScores["scores"] = async (texts, signal) =>
        (await this.#states(encoder, texts, signal)).map((vector) => scored(vector, this.#head ?? head));
      const config = encoder.parts.files["config.json"]!;
      const files = { "config.json": new TextEncoder().encode(JSON.stringify(configOf(config, head, labels))) };
      const model = new SentenceClassifier(encoder, { labels, problem: head.problem, files, scores });
      return pipelineOf(this.#platform, this.task, model, this.#spec.wasmPaths);
    });
  }

  async save(given?: unknown): Promise<SavedFiles> {
    const { dtype, name } = knownOptions("save", given, ["dtype", "name"]);
    if (name !== undefined) nameOf(name);
    return this.#call(async () => {
      const head = this.#fitted();
      const { files } = await this.#encoder.save({ dtype });
      await addHead(files, head, this.#setup.labels, this.#setup.head);
      if (name !== undefined)
        await (await openModelStore(this.#platform.modelStore)).keep(nameOf(name), await packed(files));
      return { files };
    });
  }

  async dispose(): Promise<void> {
    this.#over ??= new WebertError("disposed", "the trainer was disposed of");
    await this.#encoder.dispose();
  }

  #runOptions(more: unknown): Record<string, unknown> {
    const all = [...ARGUMENTS, "C", ...RUN_OPTIONS];
    const options = knownOptions("train", more, all);
    if (!this.#setup.isFrozen) return options;
    const why = "logistic regression over a frozen encoder takes no steps";
    onlyWithEffect(options, HEAD_OPTIONS, why, RUN_OPTIONS);
    return options;
  }

  #rows(name: string, given: unknown): LabelledTexts {
    const { labels, problem } = this.#setup;
    const rows = labelledTexts(name, given, labels);
    if (rows.isMultiLabel && problem === "single_label_classification")
      throw new WebertError("bad_input", `${name}: label: expected a single one as problem_type says, got an array`);
    return problem === "multi_label_classification" ? { ...rows, isMultiLabel: true } : rows;
  }

  /** Runs work after the previous calls. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#mutex.runExclusive(async () => {
        if (this.#over) throw this.#over;
        return work();
      });
    } catch (error) {
      throw WebertError.from(error);
    }
  }

  #setMaxLength(length: unknown): void {
    if (length != null && !(Number.isSafeInteger(length) && (length as number) > 0))
      throw new WebertError("bad_input", `max_length: expected a whole number of at least 1, got ${shown(length)}`);
    if ((length ?? undefined) !== this.#maxLength) this.#vectors.clear();
    this.#maxLength = (length ?? undefined) as number | undefined;
  }

  #fitted(): Head {
    if (this.#head) return this.#head;
    throw new WebertError("bad_input", "the head over sentence vectors is not trained yet: call train first");
  }

  /** Trains the encoder so that vectors of texts with the same label become similar. */
  async #contrast(rows: LabelledTexts, options: Record<string, unknown>): Promise<TrainingResult> {
    const pairs = contrastivePairs(rows, this.#setup.seed);
    this.#vectors.clear();
    return this.#encoder.train(pairs, { ...CONTRASTIVE, seed: this.#setup.seed, ...options });
  }

  async #fit(
    rows: LabelledTexts,
    C: number | undefined,
    classWeights: readonly number[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Head> {
    const { labels } = this.#setup;
    const vectors = await this.#read(rows.texts, signal);
    const width = vectors[0]!.length;
    const features = new Float32Array(vectors.length * width);
    for (const [n, vector] of vectors.entries()) features.set(vector, n * width);
    const weightOf = (row: number) =>
      classWeights!.reduce((sum, weight, label) => sum + weight * rows.targets[row * labels.length + label]!, 0);
    const { targets, isMultiLabel } = rows;
    const fit = await logisticRegression(
      {
        ...{ features, width, targets, isMultiLabel, labels: labels.length },
        ...(classWeights && { weights: Float64Array.from(vectors, (_, row) => weightOf(row)) }),
      },
      C ?? DEFAULT_STRENGTH / (vectors.length * spreadOf(features, width)),
      tickOf(signal),
    );
    return { ...fit, problem: isMultiLabel ? "multi_label_classification" : "single_label_classification" };
  }

  async #metrics(rows: LabelledTexts, signal: AbortSignal | undefined): Promise<Metrics> {
    const head = this.#fitted();
    const count = this.#setup.labels.length;
    const scores = new Float32Array(rows.texts.length * count);
    for (const [n, vector] of (await this.#read(rows.texts, signal)).entries())
      scores.set(product(head.weight, vector, head.bias), n * count);
    const several = head.problem === "multi_label_classification";
    return this.#engine.call("score_metrics", [scores, Float32Array.from(rows.targets), count, several]);
  }

  /** Returns the texts' vectors. Each text is read once. */
  async #read(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const others = [...new Set(texts)].filter((text) => !this.#vectors.has(text));
    const vectors = others.length
      ? await this.#states(new SentenceEncoder(this.#engine, this.#setup.head), others, signal)
      : [];
    for (const [n, { data }] of vectors.entries()) this.#vectors.set(others[n]!, data);
    return texts.map((text) => this.#vectors.get(text)!);
  }

  async #states(encoder: EngineModel, texts: readonly string[], signal?: AbortSignal): Promise<RawTensor[]> {
    const pipe = await pipelineOf(this.#platform, "feature-extraction", encoder, this.#spec.wasmPaths);
    return embed(encoder, () => pipe.tokenizer, texts, {
      pooling: "model",
      ...(this.#maxLength !== undefined && { max_length: this.#maxLength }),
      ...(signal && { signal }),
    });
  }
}

Object.defineProperty(SentenceTrainer.prototype, Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"), {
  value: SentenceTrainer.prototype.dispose,
});

/** The encoder in training. `head`: folder of a head over its vectors, which is left out. */
class SentenceEncoder extends TrainedModel {
  readonly #head: string | undefined;

  constructor(engine: TrainingEngine, head: string | undefined) {
    super(engine);
    this.#head = head;
  }

  override get parts(): EngineModel["parts"] {
    const { files, ...others } = super.parts;
    if (this.#head === undefined) return { ...others, files };
    const entries = JSON.parse(new TextDecoder().decode(files[MODULES])) as object[];
    return {
      ...others,
      files: { ...files, [MODULES]: new TextEncoder().encode(JSON.stringify(entries.slice(0, -1))) },
    };
  }
}

/**
 * @param names options with an effect, which the error lists
 * @param others further options with an effect
 * @throws WebertError `bad_input` that names an option without effect
 */
function onlyWithEffect(
  options: object,
  names: readonly string[],
  why: string,
  others: readonly string[] = ["signal"],
): void {
  const without = Object.keys(options).find((name) => ![...names, ...others].includes(name));
  if (without === undefined) return;
  const expected = names.length > 1 ? `one of ${names.join(", ")}` : names[0];
  throw new WebertError("bad_input", `${without}: expected ${expected}, because ${why}`);
}

const unsupported = (method: string, why: string) => new WebertError("unsupported", `${method}: ${why}`);

function scored(vector: RawTensor, { weight, bias }: LogisticFit): RawTensor {
  const data = product(weight, vector.data, bias);
  return { ...vector, dims: [1, data.length], data };
}

function strengthOf(C: unknown): number {
  if (isNumber(C) && Number(C) > 0 && Number(C) < Infinity) return Number(C);
  throw new WebertError("bad_input", `C: expected a number above 0, got ${shown(C)}`);
}

function weightsOf(weights: unknown, labels: readonly string[]): readonly number[] | undefined {
  if (weights == null) return undefined;
  if (!Array.isArray(weights))
    throw new WebertError("bad_input", `class_weights: expected an array, got ${kindOf(weights)}`);
  const isRight = weights.length === labels.length && weights.every((weight) => isNumber(weight) && weight >= 0);
  if (isRight) return weights as number[];
  throw new WebertError(
    "bad_input",
    `class_weights: expected ${labels.length} numbers of at least 0, got ${JSON.stringify(weights)}`,
  );
}

/**
 * Default of C times the number of rows and the mean square distance of their vectors from the mean, so that it suits any
 * number of rows and vectors of any length. It is 1 / `DECAY` of www/src/views/teach/classifier.ts, which has the same
 * penalty and states its accuracy.
 */
const DEFAULT_STRENGTH = 1000;

/** Returns the mean square distance of vectors from their mean. */
function spreadOf(features: Float32Array, width: number): number {
  const count = features.length / width;
  const means = new Float64Array(width);
  let squares = 0;
  for (const [n, x] of features.entries()) {
    means[n % width]! += x / count;
    squares += (x * x) / count;
  }
  return Math.max(
    means.reduce((rest, mean) => rest - mean * mean, squares),
    1e-12,
  );
}

/** Milliseconds of work between two turns of the event loop. */
const TURN = 8;

/** Returns a function that is awaited after each iteration: it yields to the event loop every `TURN`, and throws after an abort. */
function tickOf(signal: AbortSignal | undefined): () => Promise<void> {
  let last = performance.now();
  return async () => {
    throwIfAborted(signal);
    if (performance.now() - last < TURN) return;
    await yieldToEventLoop();
    last = performance.now();
  };
}

/**
 * Adds a head to the files of an encoder: a Dense as the last module of sentence-transformers, and the labels in
 * config.json.
 * @param replaced folder of the head that the encoder was loaded with
 */
async function addHead(
  files: Record<string, Blob>,
  head: Head,
  labels: readonly string[],
  replaced: string | undefined,
): Promise<void> {
  const width = head.weight.length / labels.length;
  if (!files[MODULES]) {
    files[MODULES] = jsonBlob([module(0, "Transformer", ""), module(1, "Pooling", "1_Pooling")]);
    files["1_Pooling/config.json"] = jsonBlob({ word_embedding_dimension: width, pooling_mode_mean_tokens: true });
  }
  const all = JSON.parse(await files[MODULES].text()) as object[];
  const entries = replaced === undefined ? all : all.slice(0, -1);
  for (const name of Object.keys(files)) if (replaced && name.startsWith(replaced)) delete files[name];
  const path = `${entries.length}_Dense`;
  files[MODULES] = jsonBlob([...entries, module(entries.length, "Dense", path)]);
  files[`${path}/config.json`] = jsonBlob({
    in_features: width,
    out_features: labels.length,
    bias: true,
    activation_function: "torch.nn.modules.linear.Identity",
  });
  files[`${path}/model.safetensors`] = new Blob(
    safetensors([
      { name: "linear.weight", dtype: "F32", shape: [labels.length, width], bytes: new Uint8Array(head.weight.buffer) },
      { name: "linear.bias", dtype: "F32", shape: [labels.length], bytes: new Uint8Array(head.bias.buffer) },
    ]),
  );
  const config = new Uint8Array(await files["config.json"]!.arrayBuffer());
  files["config.json"] = jsonBlob(configOf(config, head, labels));
}

/** Returns a config with the labels of a head. */
const configOf = (config: Uint8Array, { problem }: Head, labels: readonly string[]): object => ({
  ...(JSON.parse(new TextDecoder().decode(config)) as object),
  id2label: Object.fromEntries(labels.entries()),
  label2id: Object.fromEntries(labels.map((label, id) => [label, id])),
  problem_type: problem,
});

const module = (idx: number, kind: string, path: string) => ({
  idx,
  name: String(idx),
  path,
  type: `sentence_transformers.models.${kind}`,
});
