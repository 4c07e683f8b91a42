import type { WasmTrainer } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import type { RunEvent, TrainerCalls } from "./engine.js";

type Work = () => Promise<unknown>;
type Result = TrainerCalls["train"]["result"];

/** Thrown from the event callback to stop the wasm side's run between two steps. */
const PAUSE = new WebertError("aborted", "the run pauses");

/** The device of a run. It may change during the run. */
export interface RunDevice {
  trainer(): WasmTrainer;
  /** Returns whether the state must be saved after an event. */
  isDue(event: RunEvent): boolean;
  /** Saves the state. */
  keep(): Promise<void>;
  /**
   * Recovers after an error. Returns whether the restored trainer is inside the run, how many steps of the run it has
   * taken, and the event to report. Rethrows the error if it cannot recover.
   */
  recover(error: unknown): Promise<{ goesOn: boolean; step: number; event: RunEvent }>;
}

/**
 * A run that can pause between two steps. It pauses to save its state, and for other calls of the trainer. Calls made
 * in the run's own callback need this, because the run waits for the callback.
 */
export class Run {
  readonly #asked: Work[] = [];
  #onAsked: (() => void) | undefined;

  /** Runs `work` between two steps. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#asked.push(() => work().then(resolve, reject));
      this.#onAsked?.();
    });
  }

  /** Runs training; `goesOn` continues the run of the trainer's checkpoint. Each event is awaited by `tell`. */
  async take(
    on: RunDevice,
    [rows, evalRows, options]: TrainerCalls["train"]["args"],
    goesOn: boolean,
    tell: (event: RunEvent) => Promise<void>,
  ): Promise<Result> {
    const losses = new Map<number, number>();
    let metrics: Result["metrics"];
    let [isOn, hasRows] = [goesOn, false];
    for (;;) {
      let answered: Promise<void> | undefined;
      let isDue = false;
      const onEvent = async (event: RunEvent) => {
        if (event.type === "step") losses.set(event.step, event.loss);
        else if (event.type === "evaluate") {
          const { type: _, step: _step, epoch: _epoch, ...found } = event;
          metrics = found as Result["metrics"];
        }
        isDue = on.isDue(event);
        const answer = tell(event);
        // A callback that calls its own trainer would wait for the run, and the run for the callback. Stop waiting
        // when such a call arrives.
        if (!this.#asked.length)
          await Promise.race([answer, new Promise<void>((resolve) => (this.#onAsked = resolve))]);
        if (!this.#asked.length && !isDue) return;
        // An error thrown here is the only way to leave the loop of the wasm side.
        answered = answer;
        throw PAUSE;
      };
      try {
        const given = hasRows ? [undefined, undefined] : [rows, evalRows];
        const result = await on.trainer().train(given[0], given[1], options, isOn, onEvent);
        const sum = [...losses.values()].reduce((sum, loss) => sum + loss, 0);
        return { ...(metrics && { metrics }), ...result, training_loss: sum / Math.max(1, losses.size) };
      } catch (error) {
        let cause = error;
        if (answered) {
          await this.#serve(answered);
          [isOn, hasRows] = [true, true];
          if (!isDue) continue;
          try {
            await on.keep();
            continue;
          } catch (error) {
            cause = error;
          }
        }
        const { goesOn, step, event } = await on.recover(cause);
        [isOn, hasRows] = [goesOn, false];
        // The restored trainer takes these steps again.
        for (const later of [...losses.keys()].filter((taken) => taken > step)) losses.delete(later);
        await tell(event);
      } finally {
        this.#onAsked = undefined;
      }
    }
  }

  /** Runs the requested work until the callback that requested it returns. */
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

  /** Runs requested work that no pause has served, because the run ended before. */
  async finish(): Promise<void> {
    for (let work = this.#asked.shift(); work; work = this.#asked.shift()) await work();
  }
}
