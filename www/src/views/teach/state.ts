// State of the view Teach: the lesson, the head learnt from it, and its accuracy.
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { App } from "../../app.ts";
import type { Model } from "../../model.ts";
import { inSlices } from "../../slices.ts";
import { fit, gramOf, type Head, headOf } from "./classifier.ts";
import { decodeLesson, encodeLesson } from "./encoding.ts";
import { type HeldOut, heldOut } from "./held-out.ts";
import { type Lesson, taughtOf } from "./lesson.ts";
import { PRESETS } from "./presets.ts";
import { Vectors } from "./vectors.ts";

/** A head with facts about its training. */
export interface Learnt {
  names: string[];
  head: Head;
  /** Number of examples. */
  examples: number;
  /** Milliseconds of learning, including texts read for the first time. */
  ms: number;
}

/** The progress of learning: `read` of `total` texts have gone through the encoder. */
export type Progress = { kind: "idle" } | { kind: "reading"; read: number; total: number } | { kind: "fitting" };

export class TeachState {
  readonly #app: App;
  readonly #lesson: Signal<Lesson>;
  readonly learnt = signal<Learnt | null>(null);
  /** The results of holding out the examples, with their ids; null until they are computed. */
  readonly heldOut = signal<(HeldOut & { ids: number[] }) | null>(null);
  readonly progress = signal<Progress>({ kind: "idle" });
  readonly error = signal<unknown>(undefined);
  /** True if the lesson is too long for a link. */
  readonly isTooLong = signal(false);
  /** The lesson before the last change. */
  readonly undo = signal<Lesson | null>(null);
  /** Texts to be labelled. */
  readonly cards: Signal<readonly string[]> = signal([]);
  /** The id of the lesson's preset. */
  readonly preset = computed(() => PRESETS.find(({ id }) => id === encodeLesson(this.#lesson.value))?.id);
  readonly #vectors = new WeakMap<Model, Vectors>();

  constructor(app: App) {
    this.#app = app;
    const saved = app.saved("teach.lesson", PRESETS[0]!.id);
    this.#lesson = signal(decodeLesson(saved.peek()));
    this.cards.value = (PRESETS.find(({ id }) => id === saved.peek()) ?? PRESETS[0]!).others;
    effect(() => {
      const encoded = encodeLesson(this.#lesson.value);
      this.isTooLong.value = encoded === undefined;
      saved.value = encoded ?? PRESETS[0]!.id;
    });
  }

  get lesson(): ReadonlySignal<Lesson> {
    return this.#lesson;
  }

  /** The index of the label with this name. */
  placeOf(name: string): number {
    return this.#lesson.value.columns.findIndex((column) => column.name === name);
  }

  change(to: Lesson): void {
    if (to === this.#lesson.peek()) return;
    this.undo.value = this.#lesson.peek();
    this.#lesson.value = to;
  }

  /** Undoes the last change. */
  takeBack(): void {
    const before = this.undo.peek();
    if (before) this.#lesson.value = before;
    this.undo.value = null;
  }

  vectors(model: Model): Vectors {
    let vectors = this.#vectors.get(model);
    if (!vectors) this.#vectors.set(model, (vectors = new Vectors(() => model.features(), model)));
    return vectors;
  }

  /** Learns again when the lesson or the model changes. Returns the function that stops this. */
  follow(): () => void {
    return effect(() => {
      const [model, lesson] = [this.#app.model.value, this.#lesson.value];
      if (!model) return;
      const controller = new AbortController();
      this.#learn(model, lesson, controller.signal).catch((error) => {
        if (controller.signal.aborted) return;
        this.progress.value = { kind: "idle" };
        this.error.value = error;
      });
      return () => controller.abort();
    });
  }

  async #learn(model: Model, lesson: Lesson, abort: AbortSignal): Promise<void> {
    const { names, examples } = taughtOf(lesson);
    this.error.value = undefined;
    this.heldOut.value = null;
    if (names.length < 2) {
      this.learnt.value = null;
      this.progress.value = { kind: "idle" };
      return;
    }
    const start = performance.now();
    const texts = examples.map(({ text }) => text);
    const vectors = await this.vectors(model).of(texts, abort, (read, total) => {
      this.progress.value = { kind: "reading", read, total };
    });
    this.progress.value = { kind: "fitting" };
    const labels = examples.map(({ label }) => label);
    const gram = await inSlices(gramOf(vectors), abort);
    const head = headOf(await inSlices(fit(gram, labels, names.length), abort), vectors);
    this.learnt.value = { names, head, examples: examples.length, ms: performance.now() - start };
    this.progress.value = { kind: "idle" };
    const judged = await inSlices(heldOut(gram, labels, names.length), abort);
    this.heldOut.value = { ...judged, ids: examples.map(({ id }) => id) };
  }
}

const states = new WeakMap<App, TeachState>();

/** The page's own state, which stays while other views are shown. */
export function stateOf(app: App): TeachState {
  let state = states.get(app);
  if (!state) states.set(app, (state = new TeachState(app)));
  return state;
}
