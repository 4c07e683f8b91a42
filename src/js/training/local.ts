// A model in training in this thread, which is a Worker's or the page's own.
import { abortError, onAbort, type Tick, throwIfAborted, yieldToEventLoop } from "../abort.js";
import { type Choice, cpuInstead, gpuKernels } from "../engine/device.js";
import type { Machine } from "../engine/engine.js";
import type { ExplanationStep } from "../engine/explanation.js";
import { type Loaded, loadModel } from "../engine/loading.js";
import type { WasmTrainer } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { Mutex } from "../mutex.js";
import { ADAPTER, ADAPTER_CONFIG } from "../sources/adapter-folder.js";
import { WHOLE } from "../sources/files.js";
import { needed, needFile } from "../sources/folder.js";
import { openFolder } from "../sources/open.js";
import { readTensors } from "../sources/safetensors.js";
import type { Control } from "../sources/types.js";
import type {
  CallControl,
  RunEvent,
  SavedKind,
  SavedPart,
  TrainerCalls,
  TrainerSpec,
  TrainingEngine,
} from "./engine.js";
import type { PeftSetup } from "./peft.js";
import { RunLoop } from "./run.js";

/** Files needed to continue a run, besides the weights: the optimizer's moments and the progress. */
const MOMENTS = "optimizer.safetensors";
const STATE = "trainer_state.json";
const STATE_FILES = [
  [WHOLE, "base"],
  [MOMENTS, "state"],
] as const;

/** Errors of a GPU that the CPU can avoid. Under "auto" a call that computes gradients then continues there. */
const UNABLE: readonly string[] = ["device_lost", "unsupported", "out_of_memory"];
/** The errors that count for all other calls: the device is gone. */
const GONE: readonly string[] = ["device_lost"];

/** Milliseconds of work that may be lost with a device, plus at most one step. */
const KEEP_EVERY = 30_000;

/** Bytes of a piece of a file. */
const PIECE = 16 << 20;

/** A pending call. */
interface TrainerCall {
  /** Why the call must end early; its work ends at the next tick. */
  stopped?: WebertError;
}

type Tell<E> = (event: E) => Promise<void>;

/** A loaded model and its trainer. */
interface LoadedTrainer {
  loaded: Loaded;
  trainer: WasmTrainer;
  /** Generator of replaced-token detection. */
  generator?: Loaded;
  /** Model whose outputs are targets. */
  teacher?: Loaded;
}

/**
 * A model in training in this thread. While a GPU trains, its state is read back regularly. If the GPU fails,
 * training continues from the last saved state. Under "auto" it continues on the CPU. If the GPU was requested by name,
 * it continues on another GPU device with the next call.
 */
export class LocalTrainer implements TrainingEngine {
  readonly #machine: Machine;
  /** The last saved state, which is loaded after the device has failed. */
  #spec: TrainerSpec;
  /** Whether the saved state is inside a run that can continue from it. */
  #keptInRun: boolean;
  /** When the state was saved (`performance.now()`), and how long a step takes in milliseconds. */
  #keptAt = performance.now();
  #stepTime = 0;
  /** Saved parameters that training does not change, by their number. */
  readonly #untrained = new Map<number, Blob>();
  /** Undefined once it was freed. */
  #training: LoadedTrainer | undefined;
  /** Whether the next run continues the run of the checkpoint. */
  #resumes: boolean;
  /** Steps taken since the state was saved. */
  #ahead = 0;
  /** The trainer whose kernels have been kept. */
  #keptKernelsOf: WasmTrainer | undefined;
  /** The run in progress. */
  #run: RunLoop | undefined;
  readonly #mutex = new Mutex();
  #over: WebertError | undefined;
  readonly #end = new AbortController();

  private constructor(spec: TrainerSpec, machine: Machine, training: LoadedTrainer) {
    this.#spec = spec;
    this.#machine = machine;
    this.#training = training;
    this.#resumes = spec.trainer.resume ?? false;
    this.#keptInRun = this.#resumes;
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
    const call: TrainerCall = {};
    const unfollow = signal && onAbort(signal, () => (call.stopped ??= abortError(signal)));
    const check = () => {
      const why = this.#over ?? call.stopped;
      if (why) throw why;
    };
    const tick = async () => {
      check();
      await yieldToEventLoop();
      check();
    };
    const tell: Tell<TrainerCalls[M]["event"]> = async (value) => {
      check();
      try {
        await event?.(value);
      } catch (error) {
        call.stopped ??= WebertError.from(error);
      }
      await tick();
    };
    try {
      throwIfAborted(signal);
      await tick();
      return (await this.#dispatch(method, args, tick, tell as Tell<never>)) as TrainerCalls[M]["result"];
    } catch (error) {
      throw call.stopped ?? this.#over ?? WebertError.from(error);
    } finally {
      unfollow?.();
    }
  }

  /** Whether the trainer accepts calls. */
  get isLive(): boolean {
    return this.#training !== undefined;
  }

  async close(): Promise<void> {
    if (this.#over) return;
    this.#finish(new WebertError("disposed", "the trainer was disposed of"));
    await this.#mutex.runExclusive(() => this.#free()); // after the lock is acquired, all calls have ended
  }

  get #held(): LoadedTrainer {
    if (this.#training) return this.#training;
    throw this.#over ?? new WebertError("disposed", "the trainer was disposed of");
  }

  async #dispatch(method: keyof TrainerCalls, args: unknown[], tick: Tick, tell: Tell<never>): Promise<unknown> {
    // Inference takes no turn here: the engine runs its passes between two steps.
    if (method === "explain" || method === "run" || method === "forward")
      return this.#restoring(method, () => this.#infer(method, args, tick, tell as Tell<ExplanationStep>));
    if (method === "train" && this.#run)
      throw new WebertError("bad_input", "train() is already running: await that call, or end it by its signal");
    const work = async () => {
      await tick();
      return this.#work(method, args, tick, tell);
    };
    // A run holds the lock until it ends, so its other calls are made between two steps.
    if (this.#run) return this.#run.between(work);
    if (method !== "train") return this.#restoring(method, () => this.#mutex.runExclusive(work));
    const run = new RunLoop();
    this.#run = run;
    try {
      return await this.#mutex.runExclusive(() =>
        this.#train(run, args as TrainerCalls["train"]["args"], tell as Tell<RunEvent>),
      );
    } finally {
      this.#run = undefined;
      // These calls came after the last step and were never served.
      void this.#mutex.runExclusive(() => run.finish());
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

  /** Whether the state must be saved before the next step. */
  get #isLate(): boolean {
    return this.#isOnGpu && performance.now() - this.#keptAt + this.#stepTime > KEEP_EVERY;
  }

  /** Returns whether the error of a call comes from a GPU that another device can replace. */
  #isOfGpu(error: unknown, method: keyof TrainerCalls): boolean {
    if (!this.#training || this.#over || !this.#isOnGpu) return false;
    const hasGradients = method === "train" || method === "step" || method === "loss" || method === "explain";
    return (hasGradients && this.#isAuto ? UNABLE : GONE).includes(WebertError.from(error).code);
  }

  get #isAuto(): boolean {
    return this.#spec.how.device === "auto";
  }

  /**
   * Runs `work` outside of runs. If the GPU fails, restores the trainer from the saved state. Under "auto" the work
   * is then repeated. The call rejects if steps were lost, or if the GPU was requested by name and failed during the
   * work.
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
      await this.#mutex.runExclusive(async () => {
        if (this.#training !== training) return; // another call has restored it
        const lost = await this.#restore(WebertError.from(error).message, false);
        if (lost) throw lostSteps(error, lost);
      });
      // A failure during the call is reported for a GPU that was requested by name; the caller may repeat the call.
      if (isBegun && !this.#isAuto) throw error;
      return work();
    }
  }

  async #work(method: keyof TrainerCalls, args: unknown[], tick: Tick, tell: Tell<never>): Promise<unknown> {
    const { trainer } = this.#held;
    switch (method) {
      case "evaluate":
        return trainer.evaluate(...(args as TrainerCalls["evaluate"]["args"]), tick);
      case "score_metrics":
        return trainer.score_metrics(...(args as TrainerCalls["score_metrics"]["args"]));
      case "loss":
        return trainer.loss(...(args as TrainerCalls["loss"]["args"]));
      case "save": {
        const [what, base] = args as TrainerCalls["save"]["args"];
        const saved = what === "state" && this.#isOnGpu ? this.#keptParts() : parts(trainer, what, base);
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
    await this.#keepKernels().catch(() => {}); // they are chosen again by the next load
    this.#resumes = false;
    this.#ahead++;
    this.#stepTime = performance.now() - start;
    // If the device is lost while saving, the next call reports it.
    if (this.#isLate) await this.#keep(false).catch(() => {});
    return done;
  }

  /** Runs training. Under "auto", if the GPU fails, the run continues on the CPU from the last saved state. */
  async #train(
    run: RunLoop,
    args: TrainerCalls["train"]["args"],
    tell: Tell<RunEvent>,
  ): Promise<TrainerCalls["train"]["result"]> {
    if (this.#held.loaded.model.lost()) {
      const error = lostBefore();
      const lost = await this.#restore(error.message, this.#keptInRun);
      if (lost) throw lostSteps(error, lost);
    }
    const resumes = this.#resumes;
    // Steps taken outside of a run would otherwise be lost with the device.
    if (this.#isOnGpu && this.#ahead) await this.#keep(false);
    this.#keptInRun = resumes;
    this.#resumes = false;
    this.#keptAt = performance.now();
    let last = this.#keptAt;
    const isDue = ({ type }: RunEvent) => {
      const now = performance.now();
      if (type === "step") {
        this.#stepTime = now - last;
        this.#ahead++;
        void this.#keepKernels().catch(() => {});
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
        this.#resumes = this.#keptInRun;
        throw new WebertError(code, `${message}; the next call of train continues from step ${step}`, { cause: error });
      }
      const { device, device_reason } = this.info;
      return { resumes: this.#keptInRun, event: { type: "restore", step, device, device_reason } as const };
    };
    const on = { trainer: () => this.#held.trainer, isDue, keep: () => this.#keep(true), recover };
    try {
      return await run.take(on, args, resumes, tell);
    } finally {
      await this.#keepKernels().catch(() => {});
      // Save what the run learnt, however it ended: the device may be lost before the next call.
      if (!this.#over && this.#isOnGpu && this.#ahead) await this.#keep(false).catch(() => {});
    }
  }

  /** Keeps the kernels that a GPU has chosen for gradients, after the first step. */
  async #keepKernels(): Promise<void> {
    const { trainer, loaded } = this.#held;
    const { adapter } = loaded.encoder.choice;
    if (!adapter || this.#keptKernelsOf === trainer) return;
    const kernels = trainer.kernels();
    if (kernels === undefined) return;
    this.#keptKernelsOf = trainer;
    const { keepKernels } = await gpuKernels(this.#spec.wasmPaths.gpu);
    await keepKernels(this.#spec.kernelCache, adapter, kernels);
  }

  /** Completed steps of the trainer's run. */
  get #steps(): number {
    return (JSON.parse(this.#held.trainer.run_state()) as { global_step: number }).global_step;
  }

  /** Saves the current state; it is loaded if the device fails. */
  async #keep(inRun: boolean): Promise<void> {
    const { trainer } = this.#held;
    const files: Record<string, Blob> = {};
    for (const [file, of] of STATE_FILES) {
      const blobs = [new Blob([trainer.header(of)])];
      for (const leaf of trainer.leaves(of)) {
        // Frozen parameters are read from the device once.
        const stays = of === "base" && !trainer.is_trained(leaf);
        const blob = (stays && this.#untrained.get(leaf)) || new Blob([await trainer.leaf(leaf, of)]);
        if (stays) this.#untrained.set(leaf, blob);
        blobs.push(blob);
      }
      files[file] = new Blob(blobs);
    }
    files[STATE] = new Blob([trainer.run_state()]);
    for (const [file, bytes] of Object.entries(this.parts.files)) files[file] = new Blob([bytes as BlobPart]);
    const { task, freeze, seed, peft } = this.#spec.trainer;
    const place = { kind: "files" as const, name: this.#spec.place.name, files };
    const setup = { task, freeze, seed, ...(peft && { peft }), resume: true };
    this.#spec = { ...this.#spec, place, config: undefined, trainer: setup };
    this.#ahead = 0;
    this.#keptInRun = inRun;
    this.#keptAt = performance.now();
  }

  /** Saves the state and yields its files in pieces. */
  async *#keptParts(): AsyncGenerator<SavedPart> {
    await this.#keep(this.#run !== undefined);
    const { files } = this.#spec.place as { files: Record<string, Blob> };
    for (const file of [WHOLE, MOMENTS, STATE]) {
      for (let at = 0; at < files[file]!.size; at += PIECE)
        yield { file, bytes: new Uint8Array(await files[file]!.slice(at, at + PIECE).arrayBuffer()) };
    }
  }

  /**
   * Loads the last saved state: under "auto" on the CPU, otherwise on another GPU device. If the failed device can
   * still be read, its steps are saved first, as part of a run if `inRun`. Returns how many steps were lost.
   */
  async #restore(why: string, inRun: boolean): Promise<number> {
    const { loaded } = this.#held;
    if (this.#ahead && !loaded.model.lost()) await this.#keep(inRun).catch(() => {});
    const given = this.#isAuto ? cpuInstead(`the GPU was in use until it failed: ${why}`) : undefined;
    // The new device is loaded before the old one is freed: if the load fails, the trainer stays as it was.
    const training = await load(this.#spec, { signal: this.#end.signal }, this.#machine, given);
    this.#free();
    this.#training = training;
    this.#watch(training);
    this.#keptAt = performance.now();
    const lost = this.#ahead;
    this.#ahead = 0;
    return lost;
  }

  /** Ends the trainer when its instance traps. */
  #watch({ loaded }: LoadedTrainer): void {
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
    this.#training?.teacher?.free();
    this.#training = undefined;
  }
}

function lostBefore(): WebertError {
  return new WebertError("device_lost", "the GPU device was lost between two calls");
}

/** Returns the error of a call that found steps lost. */
function lostSteps(error: unknown, count: number): WebertError {
  const { message } = WebertError.from(error);
  const steps = count === 1 ? "the last step is lost" : `the last ${count} steps are lost`;
  return new WebertError("device_lost", `${message}: ${steps}; the trainer is in the state before them`, {
    cause: error,
  });
}

/** Loads a model to train, and the state of its run if it resumes. */
async function load(spec: TrainerSpec, control: Control, machine: Machine, given?: Choice): Promise<LoadedTrainer> {
  const loaded = await loadModel(spec, control, machine, given);
  let trainer: WasmTrainer | undefined;
  let generator: Loaded | undefined;
  let teacher: Loaded | undefined;
  try {
    const { resume: resumes, peft } = spec.trainer;
    const state = resumes && (await needFile(await openFolder(spec.place, machine), STATE, control));
    // Modules that the base lacked are in the saved model, so the load cannot tell that they are trained.
    const { modules_to_save } = state ? (JSON.parse(new TextDecoder().decode(state)) as PeftSetup) : {};
    const setup = peft && modules_to_save ? { ...spec.trainer, peft: { ...peft, modules_to_save } } : spec.trainer;
    trainer = loaded.model.trainer!(loaded.parts.files["config.json"]!, setup);
    if (state) await resume(trainer, spec, state, control, machine);
    if (spec.generator) {
      const fillsMasks = { task: "fill-mask", freeze: "none", seed: 0 } as const;
      const how = { ...spec.how, head: "masked-lm", initialize: undefined };
      const filler: TrainerSpec = { ...spec, ...spec.generator, how, config: undefined, trainer: fillsMasks };
      generator = await loadModel(filler, control, machine, loaded.encoder.choice);
      trainer.set_generator(generator.model);
    }
    if (spec.teacher) {
      const how = { ...spec.how, initialize: undefined };
      const ofTeacher = { task: spec.trainer.task, freeze: "none", seed: 0 } as const;
      const taught: TrainerSpec = { ...spec, ...spec.teacher, how, config: undefined, trainer: ofTeacher };
      teacher = await loadModel(taught, control, machine, loaded.encoder.choice);
      trainer.set_teacher(teacher.model);
    }
    return { loaded, trainer, generator, teacher };
  } catch (error) {
    trainer?.free();
    loaded.free();
    generator?.free();
    teacher?.free();
    throw error;
  }
}

/** Restores a trainer's state from its checkpoint, one tensor at a time. */
async function resume(
  trainer: WasmTrainer,
  spec: TrainerSpec,
  state: Uint8Array,
  control: Control,
  machine: Machine,
): Promise<void> {
  const folder = await openFolder(spec.place, machine);
  const { size, body } = needed(folder, MOMENTS, await folder.open(MOMENTS, control.signal));
  const address = folder.address(MOMENTS);
  for await (const { name, dtype, shape, bytes } of readTensors(address, size, body)) {
    throwIfAborted(control.signal);
    if (dtype !== "F32") throw new WebertError("bad_weights", `${address}: ${name}: expected F32, got ${dtype}`);
    trainer.resume_tensor(name, Uint32Array.from(shape), bytes);
  }
  trainer.resume(new TextDecoder().decode(state));
}

/** Yields the files of weights, one parameter at a time, then the other files. */
async function* parts(trainer: WasmTrainer, what: SavedKind, base?: string): AsyncGenerator<SavedPart> {
  const files = {
    model: [[WHOLE, "model"] as const],
    state: STATE_FILES,
    adapter: [[ADAPTER, "adapter"] as const],
  };
  for (const [file, of] of files[what]) {
    yield { file, bytes: trainer.header(of) };
    for (const leaf of trainer.leaves(of)) yield { file, bytes: await trainer.leaf(leaf, of) };
  }
  const text = (file: string, text: string) => ({ file, bytes: new TextEncoder().encode(text) });
  if (what === "state") yield text(STATE, trainer.run_state());
  if (what === "adapter") yield text(ADAPTER_CONFIG, trainer.adapter_config(base));
}
