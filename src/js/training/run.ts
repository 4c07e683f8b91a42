// The loop of a training run: steps, saves, and calls of the trainer in between.
import type { WasmRun, WasmTrainer } from "../engine/wasm.js";
import type { RunEvent, TrainerCalls } from "./engine.js";

type QueuedCall = () => Promise<unknown>;
type Result = TrainerCalls["train"]["result"];

/** The device of a run. It may change during the run. */
export interface RunDevice {
  trainer(): WasmTrainer;
  /** Returns whether the state must be saved after an event. */
  isDue(event: RunEvent): boolean;
  /** Saves the state. */
  keep(): Promise<void>;
  /**
   * Recovers after an error. Returns whether the restored trainer is inside the run, and the event to report. Rethrows
   * the error if it cannot recover.
   */
  recover(error: unknown): Promise<{ resumes: boolean; event: RunEvent }>;
}

/**
 * The loop of a run. Between two steps it saves the state, and makes other calls of the trainer. Calls made in the
 * run's own callback need this, because the run waits for the callback.
 */
export class RunLoop {
  readonly #asked: QueuedCall[] = [];
  #onAsked: (() => void) | undefined;

  /** Runs `work` between two steps. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#asked.push(() => work().then(resolve, reject));
      this.#onAsked?.();
    });
  }

  /** Takes all steps; `resumes` continues the run of the trainer's checkpoint. Each event is awaited by `tell`. */
  async take(
    on: RunDevice,
    [rows, evalRows, options]: TrainerCalls["train"]["args"],
    resumes: boolean,
    tell: (event: RunEvent) => Promise<void>,
  ): Promise<Result> {
    let run: WasmRun | undefined;
    let record: unknown;
    let isDue = false;
    try {
      for (;;) {
        let event: RunEvent | undefined;
        try {
          if (isDue) await on.keep();
          run ??= await on.trainer().begin(rows, evalRows, options, resumes, record);
          event = (await run.next()) as RunEvent | undefined;
          if (!event) return run.result() as Result;
          isDue = on.isDue(event);
        } catch (error) {
          record = run?.record() ?? record;
          ({ resumes, event } = await on.recover(error));
          run?.free();
          [run, isDue] = [undefined, false];
        }
        await this.#serve(tell(event));
      }
    } finally {
      run?.free();
    }
  }

  /** Runs the requested work until the callback returns, which may have requested it. */
  async #serve(answered: Promise<void>): Promise<void> {
    let isOver = false;
    const over = answered.finally(() => (isOver = true));
    over.catch(() => {}); // awaited below
    while (!isOver || this.#asked.length) {
      const work = this.#asked.shift();
      if (work) await work();
      else await Promise.race([over, new Promise<void>((resolve) => (this.#onAsked = resolve))]);
    }
    await over;
  }

  /** Runs requested work that came after the last event. */
  async finish(): Promise<void> {
    for (let work = this.#asked.shift(); work; work = this.#asked.shift()) await work();
  }
}
