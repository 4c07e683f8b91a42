// A model that grows from nothing, in a Worker of its own.
import { type Signal, signal } from "@preact/signals";
import { type Pipeline, Trainer, trainTokenizer } from "webert";
import { Curve } from "../../components/curve.ts";
import { sentencesIn, vocabularySize, withMask, wordsIn } from "./corpus.ts";
import { extended, type Snapshot } from "./timeline.ts";

export type Stage =
  | { kind: "none" }
  | { kind: "vocabulary" }
  | { kind: "making" }
  | { kind: "running"; step: number; steps: number; seconds: number }
  | { kind: "done"; steps: number; stopped: boolean };

/** Why a run is paused: the visitor paused it, or does not see the page. */
export type Pause = "asked" | "hidden" | null;

/** The shape of the model: two layers, 128 wide. */
const CONFIG = {
  model_type: "bert",
  hidden_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 512,
  max_position_embeddings: 128,
  // BERT's 0.02 is for layers six times as wide; with this value half of the steps reach the same loss
  initializer_range: 0.06,
  // a small model sees its text dozens of times and should learn it by heart
  hidden_dropout_prob: 0,
  attention_probs_dropout_prob: 0,
};

/** Milliseconds between two answers for the gap. */
const LOOK = 1000;
const GUESSES = 5;
const ROWS_A_STEP = 16;
const RATE = 1e-3;

type Growing = Awaited<ReturnType<typeof Trainer.from_config<"fill-mask">>>;

export class Growth {
  readonly stage: Signal<Stage> = signal({ kind: "none" });
  readonly paused: Signal<Pause> = signal(null);
  readonly error = signal<unknown>(undefined);
  readonly curve = signal(new Curve());
  readonly snapshots: Signal<readonly Snapshot[]> = signal([]);
  /** The model's number of parameters, and the size of its vocabulary; 0 until they are known. */
  readonly size = signal({ parameters: 0, vocabulary: 0 });
  /** The watched sentence, with its gap. */
  readonly gap: Signal<string>;
  #trainer: Growing | undefined;
  #fill: Pipeline<"fill-mask"> | undefined;
  #controller = new AbortController();
  #wake: (() => void) | undefined;
  #looked = 0;

  constructor(gap: Signal<string>) {
    this.gap = gap;
  }

  get isRunning(): boolean {
    return !["none", "done"].includes(this.stage.peek().kind);
  }

  /** Grows a model from a text in `steps` steps. Ends when the run is done, stopped or failed. */
  async start(text: string, steps: number): Promise<void> {
    await this.forget();
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = controller;
    this.error.value = undefined;
    this.curve.value = new Curve();
    this.snapshots.value = [];
    this.size.value = { parameters: 0, vocabulary: 0 };
    this.stage.value = { kind: "vocabulary" };
    let step = 0;
    try {
      const rows = sentencesIn(text);
      const vocabulary = await trainTokenizer(rows, { vocab_size: vocabularySize(wordsIn(text)), signal });
      this.stage.value = { kind: "making" };
      // one CPU thread computes such a small model faster than the GPU or several threads
      this.#trainer = await Trainer.from_config("fill-mask", CONFIG, vocabulary, {
        device: "wasm",
        threads: 1,
        seed: 1,
        signal,
      });
      this.#fill = await this.#trainer.pipeline();
      const tokens = (await vocabulary.files["vocab.txt"]!.text()).trimEnd().split("\n").length;
      this.size.value = { parameters: this.#trainer.info.parameters, vocabulary: tokens };
      await this.#look(0);
      await this.#trainer.train(rows, {
        max_steps: steps,
        learning_rate: RATE,
        warmup_ratio: 0.05,
        per_device_train_batch_size: ROWS_A_STEP,
        max_length: CONFIG.max_position_embeddings,
        signal,
        callback: async (event) => {
          if (event.type !== "step") return;
          step = event.step;
          this.curve.peek().add(step, event.loss);
          this.stage.value = {
            kind: "running",
            step,
            steps: event.max_steps,
            seconds: event.seconds_left,
          };
          if (performance.now() - this.#looked >= LOOK) await this.#look(step);
          await this.#awake(signal);
        },
      });
      await this.#look(step);
      this.stage.value = { kind: "done", steps: step, stopped: false };
    } catch (error) {
      if (this.#controller !== controller) return;
      if (signal.aborted && step > 0) {
        this.stage.value = { kind: "done", steps: step, stopped: true };
        await this.#look(step);
        return;
      }
      await this.forget();
      if (!signal.aborted) this.error.value = error;
    }
  }

  /** Waits while the run is paused. */
  async #awake(signal: AbortSignal): Promise<void> {
    while (this.paused.peek() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  pause(why: Pause): void {
    this.paused.value = why;
    if (!why) this.#wake?.();
  }

  stop(): void {
    this.#controller.abort();
    this.pause(null);
  }

  /** Asks the model for the gap and keeps its answers; does nothing if the sentence has no gap. */
  async #look(step: number): Promise<void> {
    const text = withMask(this.gap.peek());
    this.#looked = performance.now();
    if (!text || !this.#fill) return;
    const found = await this.#fill(text, { top_k: GUESSES }).catch(() => undefined); // the gap is beyond the model's limit
    if (!found) return;
    const guesses = (found as { token_str: string; score: number }[]).map(({ token_str, score }) => ({
      token_str,
      score,
    }));
    this.snapshots.value = extended(this.snapshots.peek(), {
      step,
      loss: this.curve.peek().last ?? Number.NaN,
      text,
      guesses,
    });
  }

  /** Answers for another gap at once if no step will do so, because the run is over or paused. */
  async lookAgain(): Promise<void> {
    const stage = this.stage.peek();
    if (stage.kind === "done") await this.#look(stage.steps);
    else if (stage.kind === "running" && this.paused.peek()) await this.#look(stage.step);
  }

  /** The current model as files. */
  async save(): Promise<Record<string, Blob>> {
    return (await this.#trainer!.save()).files;
  }

  /** Frees the model of a run that is over. Its curve and answers stay. */
  async free(): Promise<void> {
    const trainer = this.#trainer;
    this.#trainer = undefined;
    this.#fill = undefined;
    await trainer?.dispose();
  }

  /** Ends the run and frees the model. */
  async forget(): Promise<void> {
    this.stop();
    this.stage.value = { kind: "none" };
    await this.free();
  }
}
