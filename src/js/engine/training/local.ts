// A model in training in this thread, a Worker's or the page's own.
import { abortError, breathe, onAbort, throwIfAborted } from "../../abort.js";
import type { Explanation, ExplanationStep } from "../../api/tasks.js";
import { WHOLE } from "../../checkpoint/files.js";
import { type Control, needed, needFile, openFolder } from "../../checkpoint/folder.js";
import { readTensors } from "../../checkpoint/safetensors.js";
import { WebertError } from "../../errors.js";
import { type Choice, cpuInstead } from "../device.js";
import { type Loaded, loadModel, type Machine } from "../loading.js";
import { Turns } from "../turns.js";
import type { WasmTrainer } from "../wasm.js";
import type { CallControl, RunEvent, SavedPart, TrainerCalls, TrainerSpec, TrainingEngine } from "./engine.js";
import { Run } from "./run.js";

/** The files from which a run goes on beside the weights: the optimiser's moments, and how far it is. */
const MOMENTS = "optimizer.safetensors";
const STATE = "trainer_state.json";

/** What a GPU fails with; under "auto" the CPU then goes on. */
const UNABLE: readonly string[] = ["device_lost", "unsupported", "out_of_memory"];

/** A call under way. */
interface Call {
  /** Why it is to end before its time: its work ends at its next tick. */
  stopped?: WebertError;
}

type Tick = () => Promise<void>;
type Tell<E> = (event: E) => Promise<void>;

/** A model that is loaded, and its trainer. */
interface Training {
  loaded: Loaded;
  trainer: WasmTrainer;
  /** Of replaced-token detection. */
  generator?: Loaded;
}

/**
 * A model in training in this thread. Where a GPU fails that "auto" chose, the CPU goes on with the run from the last state
 * that was read back: before the run, where steps had been taken, or of the checkpoint that it began with.
 */
export class LocalTrainer implements TrainingEngine {
  readonly #machine: Machine;
  /** What to load where the device has failed. */
  #spec: TrainerSpec;
  /** Undefined once it has been given back. */
  #training: Training | undefined;
  /** Whether the next run goes on with that of the checkpoint. */
  #goesOn: boolean;
  /** Whether steps were taken that `#spec` does not have. */
  #isAhead = false;
  /** The run under way. */
  #run: Run | undefined;
  readonly #turns = new Turns();
  #over: WebertError | undefined;
  readonly #end = new AbortController();

  private constructor(spec: TrainerSpec, machine: Machine, training: Training) {
    this.#spec = spec;
    this.#machine = machine;
    this.#training = training;
    this.#goesOn = spec.trainer.resume ?? false;
    this.#watch(training);
  }

  static async load(spec: TrainerSpec, control: Control, machine: Machine): Promise<LocalTrainer> {
    try {
      return new LocalTrainer(spec, machine, await load(spec, control, machine));
    } catch (error) {
      throw WebertError.from(error);
    }
  }

  get info(): Loaded["info"] {
    return this.#held.loaded.info;
  }

  get parts(): Loaded["parts"] {
    return this.#held.loaded.parts;
  }

  async call<M extends keyof TrainerCalls>(
    method: M,
    args: TrainerCalls[M]["args"],
    { signal, event }: CallControl<TrainerCalls[M]["event"]> = {},
  ): Promise<TrainerCalls[M]["result"]> {
    const call: Call = {};
    const unfollow = signal && onAbort(signal, () => (call.stopped ??= abortError(signal)));
    const check = () => {
      const why = this.#over ?? call.stopped;
      if (why) throw why;
    };
    const tick = async () => {
      check();
      await breathe();
      check();
    };
    const tell: Tell<TrainerCalls[M]["event"]> = async (told) => {
      check();
      try {
        await event?.(told);
      } catch (error) {
        call.stopped ??= WebertError.from(error);
      }
      await tick();
    };
    try {
      throwIfAborted(signal);
      await tick();
      return (await this.#perform(method, args, tick, tell as Tell<never>)) as TrainerCalls[M]["result"];
    } catch (error) {
      throw call.stopped ?? this.#over ?? WebertError.from(error);
    } finally {
      unfollow?.();
    }
  }

  /** Whether it can still be called. */
  get isLive(): boolean {
    return this.#training !== undefined;
  }

  async close(): Promise<void> {
    if (this.#over) return;
    this.#finish(new WebertError("disposed", "the trainer was disposed of"));
    await this.#turns.during(() => this.#free()); // a turn after those of its calls: their work has ended
  }

  get #held(): Training {
    if (this.#training) return this.#training;
    throw this.#over ?? new WebertError("disposed", "the trainer was disposed of");
  }

  async #perform(method: keyof TrainerCalls, args: unknown[], tick: Tick, tell: Tell<never>): Promise<unknown> {
    if (method === "explain")
      return this.#explain(args as TrainerCalls["explain"]["args"], tell as Tell<ExplanationStep>);
    if (method === "run" || method === "forward") return this.#infer(method, args, tick);
    if (method === "train" && this.#run)
      throw new WebertError("bad_input", "the trainer is in train() already: await that call, or end it by its signal");
    const work = async () => {
      await tick();
      return this.#work(method, args, tick, tell);
    };
    if (this.#run) return this.#run.between(work);
    if (method !== "train") return this.#turns.during(work);
    const run = new Run();
    this.#run = run;
    try {
      return await this.#turns.during(() =>
        this.#train(run, args as TrainerCalls["train"]["args"], tell as Tell<RunEvent>),
      );
    } finally {
      this.#run = undefined;
      void this.#turns.during(() => run.finish());
    }
  }

  #infer(method: "run" | "forward", args: unknown[], tick: Tick): Promise<unknown> {
    const { model } = this.#held.loaded;
    if (method === "forward") {
      const [inputs, options] = args as TrainerCalls["forward"]["args"];
      return model.forward(inputs, options, tick);
    }
    const [task, inputs, options] = args as TrainerCalls["run"]["args"];
    return model.run(task, inputs, options, tick);
  }

  /** An explanation; where a GPU fails that nobody asked for by name, on the CPU, unless steps would be lost. */
  async #explain(args: TrainerCalls["explain"]["args"], tell: Tell<ExplanationStep>): Promise<Explanation> {
    const explain = () => this.#held.loaded.model.explain!(...args, (step, n_steps) => tell({ step, n_steps }));
    try {
      return await explain();
    } catch (error) {
      const { code, message } = WebertError.from(error);
      if (!this.#mayMove || this.#isAhead || this.#run || this.#over || !UNABLE.includes(code)) throw error;
      await this.#turns.during(async () => {
        if (this.#mayMove) await this.#moveToCpu(message);
      });
      return explain();
    }
  }

  /** Whether the CPU goes on where the device fails. */
  get #mayMove(): boolean {
    return this.info.device === "webgpu" && this.#spec.how.device === "auto";
  }

  async #work(method: keyof TrainerCalls, args: unknown[], tick: Tick, tell: Tell<never>): Promise<unknown> {
    const { trainer } = this.#held;
    switch (method) {
      case "evaluate":
        return trainer.evaluate(...(args as TrainerCalls["evaluate"]["args"]), tick);
      case "loss":
        return trainer.loss(...(args as TrainerCalls["loss"]["args"]));
      case "save":
        for await (const part of parts(trainer, (args as TrainerCalls["save"]["args"])[0])) {
          await (tell as Tell<SavedPart>)(part);
        }
        return undefined;
      default:
        this.#isAhead = true;
        this.#goesOn = false;
        return trainer.take_step(...(args as TrainerCalls["step"]["args"]));
    }
  }

  /** A run; where a GPU fails that nobody asked for by name, from its beginning on the CPU. */
  async #train(
    run: Run,
    args: TrainerCalls["train"]["args"],
    tell: Tell<RunEvent>,
  ): Promise<TrainerCalls["train"]["result"]> {
    const goesOn = this.#goesOn;
    const mayMove = this.#mayMove;
    if (mayMove && this.#isAhead) await this.#readBack();
    this.#goesOn = false;
    this.#isAhead = true;
    try {
      return await run.take(() => this.#held.trainer, args, goesOn, tell);
    } catch (error) {
      const { code, message } = WebertError.from(error);
      if (!mayMove || this.#over || !UNABLE.includes(code)) throw error;
      await this.#moveToCpu(message);
      return run.take(() => this.#held.trainer, args, goesOn, tell);
    }
  }

  /** Keeps the state as it is: what is loaded where the device fails. */
  async #readBack(): Promise<void> {
    const files: Record<string, BlobPart[]> = {};
    for await (const { file, bytes } of parts(this.#held.trainer, true)) (files[file] ??= []).push(bytes);
    for (const [file, bytes] of Object.entries(this.parts.files)) files[file] = [bytes as BlobPart];
    const blobs = Object.fromEntries(Object.entries(files).map(([file, bytes]) => [file, new Blob(bytes)]));
    const { task, freeze, seed } = this.#spec.trainer;
    const place = { kind: "files" as const, name: this.#spec.place.name, files: blobs };
    this.#spec = { ...this.#spec, place, config: undefined, trainer: { task, freeze, seed, resume: true } };
    this.#isAhead = false;
  }

  async #moveToCpu(why: string): Promise<void> {
    const cpu = cpuInstead(`the GPU was in use until it failed: ${why}`);
    const training = await load(this.#spec, { signal: this.#end.signal }, this.#machine, cpu);
    this.#free();
    this.#training = training;
    this.#watch(training);
  }

  /** A trap ends the trainer. */
  #watch({ loaded }: Training): void {
    loaded.encoder.wasm.onfail((failure) => {
      if (this.#training?.loaded !== loaded) return;
      this.#finish(failure);
      this.#free();
    });
  }

  #finish(why: WebertError): void {
    this.#over ??= why;
    this.#end.abort(why);
  }

  #free(): void {
    this.#training?.trainer.free();
    this.#training?.loaded.free();
    this.#training?.generator?.free();
    this.#training = undefined;
  }
}

/** Loads a model to be trained, and the state that a run goes on from. */
async function load(spec: TrainerSpec, control: Control, machine: Machine, given?: Choice): Promise<Training> {
  const loaded = await loadModel(spec, control, machine, given);
  let trainer: WasmTrainer | undefined;
  let generator: Loaded | undefined;
  try {
    trainer = loaded.model.trainer!(loaded.parts.files["config.json"]!, spec.trainer);
    if (spec.trainer.resume) await resume(trainer, spec, control, machine);
    if (spec.generator) {
      const fillsMasks = { task: "fill-mask", freeze: "none", seed: 0 } as const;
      const how = { ...spec.how, head: "masked-lm", initialize: undefined };
      const filler: TrainerSpec = { ...spec, ...spec.generator, how, config: undefined, trainer: fillsMasks };
      generator = await loadModel(filler, control, machine, loaded.encoder.choice);
      trainer.set_generator(generator.model);
    }
    return { loaded, trainer, generator };
  } catch (error) {
    trainer?.free();
    loaded.free();
    generator?.free();
    throw error;
  }
}

/** Brings a trainer to where its checkpoint was, tensor by tensor. */
async function resume(trainer: WasmTrainer, spec: TrainerSpec, control: Control, machine: Machine): Promise<void> {
  const folder = await openFolder(spec.place, machine);
  const state = await needFile(folder, STATE, control);
  const { size, body } = needed(folder, MOMENTS, await folder.open(MOMENTS, control.signal));
  const address = folder.address(MOMENTS);
  for await (const { name, dtype, shape, bytes } of readTensors(address, size, body)) {
    throwIfAborted(control.signal);
    if (dtype !== "F32") throw new WebertError("bad_weights", `${address}: ${name} is ${dtype}, expected F32`);
    trainer.resume_tensor(name, Uint32Array.from(shape), bytes);
  }
  trainer.resume(new TextDecoder().decode(state));
}

/** The weights as a file, one parameter at a time; and what else a run goes on from. */
async function* parts(trainer: WasmTrainer, withState: boolean): AsyncGenerator<SavedPart> {
  for (const [file, moments] of [[WHOLE, false] as const, ...(withState ? [[MOMENTS, true] as const] : [])]) {
    yield { file, bytes: trainer.header(moments) };
    for (let leaf = 0; leaf < trainer.leaves(); leaf++) yield { file, bytes: await trainer.leaf(leaf, moments) };
  }
  if (withState) yield { file: STATE, bytes: new TextEncoder().encode(trainer.run_state()) };
}
