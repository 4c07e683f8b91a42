// The methods of a trainer. They check arguments and convert them for the engine.
import { signalOf, yieldToEventLoop } from "../abort.js";
import { createConvert } from "../api/convert.js";
import { pipelineOf } from "../api/pipeline.js";
import type { EngineModel } from "../engine/engine.js";
import type { Explanation } from "../engine/explanation.js";
import type { Platform } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { ARGUMENTS } from "../generated/training.js";
import { packed } from "../sources/one-file.js";
import { nameOf, openModelStore } from "../sources/saved-model.js";
import { jsonBlob, type Place } from "../sources/source.js";
import type { Files } from "../sources/types.js";
import type { Task } from "../task-names.js";
import { kindOf } from "../values.js";
import type { RunEvent, SavedKind, TrainerSpec, TrainingEngine } from "./engine.js";
import type { SavedFiles } from "./saved-files.js";
import type { Trainer } from "./training.js";
import type { Metrics, TrainingEvent } from "./training-arguments.js";
import { batchesOf, labelsOf } from "./training-batch.js";
import { knownOptions } from "./training-options.js";

/** A file in a checkpoint that records how its trainer was created. */
export const SETUP_FILE = "training_setup.json";

/** Bytes of a saved file that become a Blob at once. */
const PIECE = 1 << 20;

/** A trainer over an engine; see `Trainer` for its methods. */
export class LiveTrainer {
  readonly task: string;
  readonly #platform: Platform;
  readonly #spec: TrainerSpec;
  readonly #engine: TrainingEngine;
  #over: WebertError | undefined;

  constructor(platform: Platform, spec: TrainerSpec, engine: TrainingEngine) {
    this.task = spec.trainer.task;
    this.#platform = platform;
    this.#spec = spec;
    this.#engine = engine;
  }

  get info(): EngineModel["info"] {
    return this.#engine.info;
  }

  async train(rows: unknown, given?: unknown): ReturnType<Trainer["train"]> {
    const { signal, callback, eval_dataset, ...options } = knownOptions("train", given, [
      ...ARGUMENTS,
      "eval_dataset",
      "callback",
      "signal",
    ]);
    if (callback != null && typeof callback !== "function")
      throw new WebertError("bad_input", `callback: expected a function, got ${kindOf(callback)}`);
    const evalRows = eval_dataset == null ? undefined : rowsOf("eval_dataset", eval_dataset);
    const timed = clock();
    const event = (event: RunEvent) => (callback as ((event: TrainingEvent) => unknown) | undefined)?.(timed(event));
    return this.#call(() =>
      this.#engine.call("train", [rowsOf("rows", rows), evalRows, options], { signal: signalOf({ signal }), event }),
    );
  }

  async evaluate(rows: unknown, given?: unknown): Promise<Metrics> {
    const { signal, ...options } = knownOptions("evaluate", given, [...ARGUMENTS, "signal"]);
    return this.#call(() =>
      this.#engine.call("evaluate", [rowsOf("rows", rows), options], { signal: signalOf({ signal }) }),
    );
  }

  async step(inputs: unknown, labels?: unknown, given?: unknown): ReturnType<Trainer["step"]> {
    const options = knownOptions("step", given, ARGUMENTS);
    return this.#call(() => this.#engine.call("step", [batchesOf(inputs), labelsOf(labels), options]));
  }

  async loss(inputs: unknown, labels?: unknown): ReturnType<Trainer["loss"]> {
    return this.#call(() => this.#engine.call("loss", [batchesOf(inputs), labelsOf(labels)]));
  }

  async pipeline(): Promise<unknown> {
    return this.#call(() => {
      const task = this.task === "pre-training" ? "fill-mask" : (this.task as Task);
      return pipelineOf(this.#platform, task, new TrainedModel(this.#engine), this.#spec.wasmPaths);
    });
  }

  async save(given?: unknown): Promise<SavedFiles> {
    const { dtype, name, merge } = knownOptions("save", given, ["dtype", "name", "merge"]);
    const { peft } = this.#spec.trainer;
    if (merge !== undefined && typeof merge !== "boolean")
      throw new WebertError("bad_input", `merge: expected true or false, got ${kindOf(merge)}`);
    if (merge && !peft) throw new WebertError("bad_input", "merge: expected a trainer with peft");
    const isAdapter = peft !== undefined && !merge;
    if (name !== undefined) nameOf(name);
    const kind = dtype ?? "fp32";
    if (kind !== "fp32" && kind !== "fp16" && kind !== "q8")
      throw new WebertError("unsupported", `dtype: expected one of fp32, fp16, q8, got ${JSON.stringify(kind)}`);
    if (isAdapter && kind !== "fp32")
      throw new WebertError("unsupported", `dtype: adapters are saved as fp32, got ${kind}. Use merge: true`);
    if (isAdapter && name !== undefined)
      throw new WebertError(
        "unsupported",
        "name: adapters are not kept under a name. Use merge: true, or keep the files",
      );
    return this.#call(async () => {
      if (isAdapter) return this.#files("adapter");
      const { files } = await this.#files("model");
      // The saved files are a Source, so `convert` can read them.
      if (kind !== "fp32") files["model.safetensors"] = await createConvert(this.#platform)({ files }, { dtype: kind });
      if (name !== undefined)
        await (await openModelStore(this.#platform.modelStore)).keep(nameOf(name), await packed(files));
      return { files };
    });
  }

  async checkpoint(): Promise<SavedFiles> {
    return this.#call(async () => {
      const { files } = await this.#files("state");
      const { task, freeze, seed, peft } = this.#spec.trainer;
      // The weights are the base's. With the adapter beside them, the folder loads as the model in training.
      const adapter = peft && (await this.#files("adapter")).files;
      const setup = { task, freeze, seed, ...(peft && { peft }), distills: this.#spec.teacher !== undefined };
      return { files: { ...adapter, ...files, [SETUP_FILE]: jsonBlob(setup) } };
    });
  }

  async dispose(): Promise<void> {
    if (this.#over) return;
    this.#over = new WebertError("disposed", "the trainer was disposed of");
    await this.#engine.close();
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#over) throw this.#over;
    try {
      return await work();
    } catch (error) {
      throw WebertError.from(error);
    }
  }

  /** Returns the model's files. Each part becomes a Blob when it arrives. */
  async #files(what: SavedKind): Promise<SavedFiles> {
    const parts: Record<string, BlobPart[]> = {};
    for (const [file, bytes] of Object.entries(ownFiles(this.#engine.parts.files))) parts[file] = [bytes as BlobPart];
    const event = async ({ file, bytes }: { file: string; bytes: Uint8Array<ArrayBuffer> }) => {
      const blobs = (parts[file] ??= []);
      // A Blob copies its bytes at once, so a page blocks for as long as one piece takes.
      for (let at = 0; at < bytes.length; at += PIECE) {
        blobs.push(new Blob([bytes.subarray(at, at + PIECE)]));
        await yieldToEventLoop();
      }
    };
    await this.#engine.call("save", [what, baseName(this.#spec.place)], { event });
    return { files: Object.fromEntries(Object.entries(parts).map(([file, bytes]) => [file, new Blob(bytes)])) };
  }
}

Object.defineProperty(LiveTrainer.prototype, Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"), {
  value: LiveTrainer.prototype.dispose,
});

/** The model in training as the engine of a pipeline. Closing it ends only the pipeline. */
export class TrainedModel implements EngineModel {
  readonly #engine: TrainingEngine;
  #over: WebertError | undefined;

  constructor(engine: TrainingEngine) {
    this.#engine = engine;
  }

  get info(): EngineModel["info"] {
    return this.#engine.info;
  }

  get parts(): EngineModel["parts"] {
    return this.#engine.parts;
  }

  async run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    if (this.#over) throw this.#over;
    return this.#engine.call("run", [task, inputs, options], { signal });
  }

  async forward(...[inputs, options, signal]: Parameters<EngineModel["forward"]>): ReturnType<EngineModel["forward"]> {
    if (this.#over) throw this.#over;
    return this.#engine.call("forward", [inputs, options], { signal });
  }

  async explain(
    ...[task, input, options, control]: Parameters<NonNullable<EngineModel["explain"]>>
  ): Promise<Explanation> {
    if (this.#over) throw this.#over;
    return this.#engine.call("explain", [task, input, options], control);
  }

  async close(): Promise<void> {
    this.#over ??= new WebertError("disposed", "the pipeline was disposed of");
  }
}

/** Returns the name of a base model for PEFT: a model of the Hub, or a folder on disk. */
function baseName(place: Place): string | undefined {
  if (place.kind === "disk") return place.name;
  return place.kind === "url" ? place.model : undefined;
}

/** Returns the config and tokenizer files for a separate folder, without references to other files. */
function ownFiles(files: Files): Files {
  const strip = (file: string, field: string) => {
    const bytes = files[file];
    if (!bytes) return {};
    const { [field]: named, ...rest } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    return named === undefined ? {} : { [file]: new TextEncoder().encode(`${JSON.stringify(rest, null, 2)}\n`) };
  };
  return {
    ...files,
    ...strip("config.json", "transformers_weights"),
    ...strip("tokenizer_config.json", "tokenizer_file"),
  };
}

function rowsOf(name: string, rows: unknown): readonly unknown[] {
  if (!Array.isArray(rows)) throw new WebertError("bad_input", `${name}: expected an array, got ${kindOf(rows)}`);
  if (!rows.length) throw new WebertError("bad_input", `${name}: expected at least one row, got none`);
  return Array.from(rows);
}

/**
 * Returns a function that adds the speed and the remaining time to events. It uses the mean over the steps so far,
 * without evaluations.
 */
function clock(): (event: RunEvent) => TrainingEvent {
  let last = performance.now();
  let [seconds, tokens, steps] = [0, 0, 0];
  return (event) => {
    const now = performance.now();
    const elapsed = (now - last) / 1000;
    last = now;
    if (event.type !== "step") return event;
    const { tokens: more, ...rest } = event;
    seconds += elapsed;
    tokens += more;
    steps++;
    return {
      ...rest,
      tokens_per_second: tokens / Math.max(seconds, 1e-3),
      seconds_left: ((event.max_steps - event.step) * seconds) / steps,
    };
  };
}
