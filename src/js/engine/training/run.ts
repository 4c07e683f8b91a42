import { WebertError } from "../../errors.js";
import type { WasmTrainer } from "../wasm.js";
import type { RunEvent, TrainerCalls } from "./engine.js";

type Work = () => Promise<unknown>;
type Result = TrainerCalls["train"]["result"];

/** Ends the wasm side's run between two steps. */
const PAUSE = new WebertError("aborted", "the run pauses");

/**
 * A run that pauses between two steps for other calls of its trainer: those of its callback, for which the run itself waits,
 * could not be answered otherwise.
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
    trainer: () => WasmTrainer,
    args: TrainerCalls["train"]["args"],
    goesOn: boolean,
    tell: (event: RunEvent) => Promise<void>,
  ): Promise<Result> {
    let [steps, losses] = [0, 0];
    let metrics: Result["metrics"];
    for (let isOn = goesOn; ; isOn = true) {
      let answered: Promise<void> | undefined;
      const told = async (event: RunEvent) => {
        if (event.type === "step") [steps, losses] = [steps + 1, losses + event.loss];
        else {
          const { type: _, step: _step, epoch: _epoch, ...found } = event;
          metrics = found as Result["metrics"];
        }
        const answer = tell(event);
        if (!this.#asked.length)
          await Promise.race([answer, new Promise<void>((resolve) => (this.#onAsked = resolve))]);
        if (!this.#asked.length) return;
        answered = answer;
        throw PAUSE;
      };
      try {
        const result = await trainer().train(...args, isOn, told);
        return { ...(metrics && { metrics }), ...result, training_loss: losses / Math.max(1, steps) };
      } catch (error) {
        if (!answered) throw error;
        await this.#serve(answered);
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
