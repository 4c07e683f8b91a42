// A model in training in this thread, a Worker's or the page's own.
import { abortError, breathe, onAbort, throwIfAborted } from "../../abort.js";
import type { ExplanationStep } from "../../api/tasks.js";
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
/** What it fails with where there are no gradients. */
const GONE: readonly string[] = ["device_lost"];

/** Milliseconds of work that a lost device takes with it at most, but for one step. */
const KEEP_EVERY = 30_000;

/** Bytes of a piece of a file. */
const PIECE = 16 << 20;

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
 * A model in training in this thread. The state of one on a GPU is read back while it trains. Where the GPU fails, what goes on
 * from there is the CPU under "auto", and for a GPU that was asked for by name another device of it, by the next call.
 */
export class LocalTrainer implements TrainingEngine {
  readonly #machine: Machine;
  /** What to load where the device has failed: the state that was kept last. */
  #spec: TrainerSpec;
  /** Whether that is of a run that goes on from there. */
  #keptInRun: boolean;
  /** When it was kept, and how long a step takes, in milliseconds. */
  #keptAt = performance.now();
  #stepTime = 0;
  /** What of it stays the same, by the numbers of the parameters. */
  readonly #untrained = new Map<number, Blob>();
  /** Undefined once it has been given back. */
  #training: Training | undefined;
  /** Whether the next run goes on with that of the checkpoint. */
  #goesOn: boolean;
  /** Steps that were taken since then. */
  #ahead = 0;
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
    this.#keptInRun = this.#goesOn;
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
    if (method === "explain" || method === "run" || method === "forward")
      return this.#restoring(method, () => this.#infer(method, args, tick, tell as Tell<ExplanationStep>));
    if (method === "train" && this.#run)
      throw new WebertError("bad_input", "the trainer is in train() already: await that call, or end it by its signal");
    const work = async () => {
      await tick();
      return this.#work(method, args, tick, tell);
    };
    if (this.#run) return this.#run.between(work);
    if (method !== "train") return this.#restoring(method, () => this.#turns.during(work));
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

  #infer(
    method: "run" | "forward" | "explain",
    args: unknown[],
    tick: Tick,
    tell: Tell<ExplanationStep>,
  ): Promise<unknown> {
    const { model } = this.#held.loaded;
    if (method === "explain")
      return model.explain!(...(args as TrainerCalls["explain"]["args"]), (step, n_steps) => tell({ step, n_steps }));
    if (method === "forward") {
      const [inputs, options] = args as TrainerCalls["forward"]["args"];
      return model.forward(inputs, options, tick);
    }
    const [task, inputs, options] = args as TrainerCalls["run"]["args"];
    return model.run(task, inputs, options, tick);
  }

  /** Whether a GPU computes. */
  get #isOnGpu(): boolean {
    return this.info.device === "webgpu";
  }

  /** Whether the state is to be kept before the next step. */
  get #isLate(): boolean {
    return this.#isOnGpu && performance.now() - this.#keptAt + this.#stepTime > KEEP_EVERY;
  }

  /** Whether a call's error is that of a GPU whose place another device can take. */
  #isOfGpu(error: unknown, method: keyof TrainerCalls): boolean {
    if (!this.#training || this.#over || !this.#isOnGpu) return false;
    const hasGradients = method === "train" || method === "step" || method === "loss" || method === "explain";
    return (hasGradients && this.#isAuto ? UNABLE : GONE).includes(WebertError.from(error).code);
  }

  get #isAuto(): boolean {
    return this.#spec.how.device === "auto";
  }

  /**
   * Does `work`, outside of runs, and where the GPU fails restores the trainer. Under "auto" the work is then done again;
   * the call rejects where steps are lost with the device, or it was asked for by name.
   */
  async #restoring<T>(method: keyof TrainerCalls, work: () => Promise<T>): Promise<T> {
    const training = this.#held;
    if (this.#run) return work();
    let isBegun = false;
    try {
      if (training.loaded.model.lost()) throw lostBefore();
      isBegun = true;
      return await work();
    } catch (error) {
      if (this.#run || !this.#isOfGpu(error, method)) throw error;
      await this.#turns.during(async () => {
        if (this.#training !== training) return; // another call has done it
        const lost = await this.#restore(WebertError.from(error).message, false);
        if (lost) throw lostSteps(error, lost);
      });
      if (isBegun && !this.#isAuto) throw error;
      return work();
    }
  }

  async #work(method: keyof TrainerCalls, args: unknown[], tick: Tick, tell: Tell<never>): Promise<unknown> {
    const { trainer } = this.#held;
    switch (method) {
      case "evaluate":
        return trainer.evaluate(...(args as TrainerCalls["evaluate"]["args"]), tick);
      case "loss":
        return trainer.loss(...(args as TrainerCalls["loss"]["args"]));
      case "save": {
        const [withState] = args as TrainerCalls["save"]["args"];
        const saved = withState && this.#isOnGpu ? this.#keptParts() : parts(trainer, withState);
        for await (const part of saved) await (tell as Tell<SavedPart>)(part);
        return undefined;
      }
      default:
        return this.#step(trainer, args as TrainerCalls["step"]["args"]);
    }
  }

  async #step(trainer: WasmTrainer, args: TrainerCalls["step"]["args"]): Promise<{ loss: number; grad_norm: number }> {
    const start = performance.now();
    const done = await trainer.take_step(...args);
    this.#goesOn = false;
    this.#ahead++;
    this.#stepTime = performance.now() - start;
    // a device that is lost meanwhile ends the next call
    if (this.#isLate) await this.#keep(false).catch(() => {});
    return done;
  }

  /** A run; where a GPU fails that nobody asked for by name, it goes on on the CPU from the state that was kept last. */
  async #train(
    run: Run,
    args: TrainerCalls["train"]["args"],
    tell: Tell<RunEvent>,
  ): Promise<TrainerCalls["train"]["result"]> {
    if (this.#held.loaded.model.lost()) {
      const error = lostBefore();
      const lost = await this.#restore(error.message, this.#keptInRun);
      if (lost) throw lostSteps(error, lost);
    }
    const goesOn = this.#goesOn;
    if (this.#isOnGpu && this.#ahead) await this.#keep(false);
    this.#keptInRun = goesOn;
    this.#goesOn = false;
    this.#keptAt = performance.now();
    let last = this.#keptAt;
    const isDue = ({ type }: RunEvent) => {
      const now = performance.now();
      if (type === "step") {
        this.#stepTime = now - last;
        this.#ahead++;
      }
      last = now;
      return this.#isLate || (this.#isOnGpu && type === "evaluate");
    };
    const recover = async (error: unknown) => {
      if (!this.#isOfGpu(error, "train")) throw error;
      const { code, message } = WebertError.from(error);
      await this.#restore(message, true);
      const step = this.#keptInRun ? this.#steps : 0;
      if (!this.#isAuto) {
        this.#goesOn = this.#keptInRun;
        throw new WebertError(code, `${message}; the next call of train goes on from step ${step}`, { cause: error });
      }
      const { device, device_reason } = this.info;
      return { goesOn: this.#keptInRun, step, event: { type: "restore", step, device, device_reason } as const };
    };
    const on = { trainer: () => this.#held.trainer, isDue, keep: () => this.#keep(true), recover };
    try {
      return await run.take(on, args, goesOn, tell);
    } finally {
      // whoever ended the run is to have what it learnt, also from a device that goes later
      if (!this.#over && this.#isOnGpu && this.#ahead) await this.#keep(false).catch(() => {});
    }
  }

  /** Steps of the run that the trainer is in. */
  get #steps(): number {
    return (JSON.parse(this.#held.trainer.run_state()) as { global_step: number }).global_step;
  }

  /** Keeps the state as it is: what is loaded where the device fails. */
  async #keep(inRun: boolean): Promise<void> {
    const { trainer } = this.#held;
    const files: Record<string, Blob> = {};
    for (const [file, moments] of [[WHOLE, false] as const, [MOMENTS, true] as const]) {
      const blobs = [new Blob([trainer.header(moments)])];
      for (let leaf = 0; leaf < trainer.leaves(); leaf++) {
        const stays = !moments && !trainer.is_trained(leaf);
        const blob = (stays && this.#untrained.get(leaf)) || new Blob([await trainer.leaf(leaf, moments)]);
        if (stays) this.#untrained.set(leaf, blob);
        blobs.push(blob);
      }
      files[file] = new Blob(blobs);
    }
    files[STATE] = new Blob([trainer.run_state()]);
    for (const [file, bytes] of Object.entries(this.parts.files)) files[file] = new Blob([bytes as BlobPart]);
    const { task, freeze, seed } = this.#spec.trainer;
    const place = { kind: "files" as const, name: this.#spec.place.name, files };
    this.#spec = { ...this.#spec, place, config: undefined, trainer: { task, freeze, seed, resume: true } };
    this.#ahead = 0;
    this.#keptInRun = inRun;
    this.#keptAt = performance.now();
  }

  /** Keeps the state, and gives it in pieces. */
  async *#keptParts(): AsyncGenerator<SavedPart> {
    await this.#keep(this.#run !== undefined);
    const { files } = this.#spec.place as { files: Record<string, Blob> };
    for (const file of [WHOLE, MOMENTS, STATE]) {
      for (let at = 0; at < files[file]!.size; at += PIECE)
        yield { file, bytes: new Uint8Array(await files[file]!.slice(at, at + PIECE).arrayBuffer()) };
    }
  }

  /**
   * Loads the state that was kept last: on the CPU under "auto", else on another device of the GPU. Gives how many steps are
   * lost. Where the device can still be read they are kept first, in the run or not.
   */
  async #restore(why: string, inRun: boolean): Promise<number> {
    const { loaded } = this.#held;
    if (this.#ahead && !loaded.model.lost()) await this.#keep(inRun).catch(() => {});
    const given = this.#isAuto ? cpuInstead(`the GPU was in use until it failed: ${why}`) : undefined;
    const training = await load(this.#spec, { signal: this.#end.signal }, this.#machine, given);
    this.#free();
    this.#training = training;
    this.#watch(training);
    this.#keptAt = performance.now();
    const lost = this.#ahead;
    this.#ahead = 0;
    return lost;
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

function lostBefore(): WebertError {
  return new WebertError("device_lost", "the GPU device was lost between two calls");
}

/** The error of a call before which steps were lost. */
function lostSteps(error: unknown, count: number): WebertError {
  const { message } = WebertError.from(error);
  const steps = count === 1 ? "the last step is lost" : `the last ${count} steps are lost`;
  return new WebertError("device_lost", `${message}: ${steps}, and the trainer has the state before`, { cause: error });
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
