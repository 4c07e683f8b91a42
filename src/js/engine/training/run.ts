import { WebertError } from "../../errors.js";
import type { WasmTrainer } from "../wasm.js";
import type { RunEvent, TrainerCalls } from "./engine.js";

type Work = () => Promise<unknown>;
type Result = TrainerCalls["train"]["result"];

/** Ends the wasm side's run between two steps. */
const PAUSE = new WebertError("aborted", "the run pauses");

/** What a run is made on, which may change while it is under way. */
export interface RunDevice {
  trainer(): WasmTrainer;
  /** Whether the state is to be kept after an event. */
  isDue(event: RunEvent): boolean;
  /** Keeps the state. */
  keep(): Promise<void>;
  /**
   * After an error: a trainer in the state that was kept last, the steps that it has taken of the run, and what is told of
   * that. Throws the error where there is none.
   */
  recover(error: unknown): Promise<{ goesOn: boolean; step: number; event: RunEvent }>;
}

/**
 * A run that pauses between two steps for other calls of its trainer: those of its callback, for which the run itself waits,
 * could not be answered otherwise. It pauses, too, to have its state kept.
 */
export class Run {
  readonly #asked: Work[] = [];
  #onAsked: (() => void) | undefined;

  /** Does `work` between two steps. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#asked.push(() => work().then(resolve, reject));
      this.#onAsked?.();
    });
  }

  /** The run, from where its trainer is if `goesOn`; `tell` is told of each event, and waited for. */
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
      const told = async (event: RunEvent) => {
        if (event.type === "step") losses.set(event.step, event.loss);
        else if (event.type === "evaluate") {
          const { type: _, step: _step, epoch: _epoch, ...found } = event;
          metrics = found as Result["metrics"];
        }
        isDue = on.isDue(event);
        const answer = tell(event);
        if (!this.#asked.length)
          await Promise.race([answer, new Promise<void>((resolve) => (this.#onAsked = resolve))]);
        if (!this.#asked.length && !isDue) return;
        answered = answer;
        throw PAUSE;
      };
      try {
        const given = hasRows ? [undefined, undefined] : [rows, evalRows];
        const result = await on.trainer().train(given[0], given[1], options, isOn, told);
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
        for (const later of [...losses.keys()].filter((taken) => taken > step)) losses.delete(later);
        await tell(event);
      } finally {
        this.#onAsked = undefined;
      }
    }
  }

  /** Does what is asked for until the callback that asked has its answers. */
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

  /** Does what was asked for and came to no pause: the run is over. */
  async finish(): Promise<void> {
    for (let work = this.#asked.shift(); work; work = this.#asked.shift()) await work();
  }
}
