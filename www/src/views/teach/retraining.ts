// All weights of the model in training, in a Worker of their own.
import { type Signal, signal } from "@preact/signals";
import { type Pipeline, Trainer } from "webert";
import { Curve } from "../../components/curve.ts";
import type { Model } from "../../model.ts";
import { type Lesson, taughtOf } from "./lesson.ts";

/** The progress of a run. `seconds` is the time left or, once the run is done, the time it took. `tokens` is per second. */
export type Stage =
  | { kind: "none" }
  | { kind: "loading" }
  | { kind: "running"; step: number; steps: number; seconds: number; tokens: number }
  | { kind: "done"; seconds: number; stopped: boolean; steps: number };

const ROWS_A_STEP = 8;
/** Minimum and maximum steps of a run. */
const [FEWEST_STEPS, MOST_STEPS] = [40, 300];
/** From docs/training.md: small models, all weights. */
const RATE = 2e-4;

/** How often each of n examples is seen: few examples often, many examples a few times. */
export function epochsFor(n: number): number {
  const steps = Math.ceil(n / ROWS_A_STEP);
  const wanted = Math.min(MOST_STEPS, Math.max(FEWEST_STEPS, 4 * steps));
  return Math.max(2, Math.min(20, Math.round(wanted / steps)));
}

type TextTrainer = Awaited<ReturnType<typeof Trainer.from_pretrained<"text-classification">>>;

export class Retraining {
  readonly stage: Signal<Stage> = signal({ kind: "none" });
  readonly error = signal<unknown>(undefined);
  readonly curve = signal(new Curve());
  /** Answers with the current weights; null before the first step. */
  readonly classify = signal<Pipeline<"text-classification"> | null>(null);
  #trainer: TextTrainer | undefined;
  #controller = new AbortController();

  /** Trains all weights of a model on a lesson. Ends when the run is done, stopped or failed. */
  async start(model: Model, lesson: Lesson): Promise<void> {
    await this.forget();
    const controller = new AbortController();
    this.#controller = controller;
    this.stage.value = { kind: "loading" };
    this.error.value = undefined;
    this.curve.value = new Curve();
    const { names, examples } = taughtOf(lesson);
    const rows = examples.map(({ text, label }) => ({ text, label: names[label]! }));
    const begun = performance.now();
    let steps = 0;
    try {
      const options = { labels: names, device: model.device, signal: controller.signal };
      this.#trainer = await Trainer.from_pretrained("text-classification", model.source, options);
      this.classify.value = await this.#trainer.pipeline();
      await this.#trainer.train(rows, {
        num_train_epochs: epochsFor(rows.length),
        learning_rate: RATE,
        warmup_ratio: 0.1,
        per_device_train_batch_size: ROWS_A_STEP,
        signal: controller.signal,
        callback: (event) => {
          if (event.type !== "step") return;
          steps = event.step;
          this.curve.peek().add(event.step, event.loss);
          this.stage.value = {
            kind: "running",
            step: event.step,
            steps: event.max_steps,
            seconds: event.seconds_left,
            tokens: event.tokens_per_second,
          };
        },
      });
      this.stage.value = { kind: "done", seconds: (performance.now() - begun) / 1000, stopped: false, steps };
    } catch (error) {
      if (this.#controller !== controller) return;
      const stopped = controller.signal.aborted && steps > 0;
      if (!stopped) await this.forget();
      if (stopped) this.stage.value = { kind: "done", seconds: (performance.now() - begun) / 1000, stopped, steps };
      else if (!controller.signal.aborted) this.error.value = error;
    }
  }

  /** Ends the run and keeps the learnt weights. */
  stop(): void {
    this.#controller.abort();
  }

  async save(dtype: "q8" | "fp32"): Promise<Record<string, Blob>> {
    return (await this.#trainer!.save({ dtype })).files;
  }

  /** Frees the weights. */
  async forget(): Promise<void> {
    this.#controller.abort();
    this.classify.value = null;
    this.stage.value = { kind: "none" };
    const trainer = this.#trainer;
    this.#trainer = undefined;
    await trainer?.dispose();
  }
}
