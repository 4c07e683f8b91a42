// State that all views share: the sentence, the model, and the current view.
import { effect, type Signal, signal } from "@preact/signals";
import type { ModelInfo, Pipeline, Source, Tokenizer } from "webert";
import { Kept } from "./kept.ts";
import { t } from "./language.ts";
import { LoadProgress, type Progress } from "./load-progress.ts";
import { BUILT_IN, type Device, Model } from "./model.ts";
import { moveRanges, type Range, readRanges, writeRanges } from "./text/stretches.ts";

/** The state of the model's load. */
export type Status = ({ kind: "loading" } & Progress) | { kind: "ready" } | Failed;

/** Why a model did not load: whether it was the visitor's, and the requested device. */
interface Failed {
  kind: "failed";
  error: unknown;
  own: boolean;
  device: Device;
}

/** The first sentence of the page. */
const FIRST_TEXT = "I drink a cup of cement every morning.";

/** Its hidden word. */
const FIRST_HIDDEN = "17-23";

export class App {
  readonly #kept = new Kept();
  readonly #hidden: Signal<string> = this.#kept.signal("hidden", FIRST_HIDDEN);
  /** The sentence in the field. */
  readonly text: Signal<string> = this.#kept.signal("text", FIRST_TEXT);
  /** The id of the current view. */
  readonly view: Signal<string> = signal("guess");
  /** The model in use; null until the first one is loaded. While another one loads, the old one stays in use. */
  readonly model: Signal<Model | null> = signal(null);
  /** Its tokenizer, available before the model. */
  readonly tokenizer: Signal<Tokenizer | null> = signal(null);
  /** The model and its device; null until a model is loaded. */
  readonly info: Signal<ModelInfo | null> = signal(null);
  readonly status: Signal<Status> = signal({ kind: "loading", loaded: 0, total: undefined, seconds: undefined });
  /** Maximum number of tokens that the model reads. */
  readonly limit: Signal<number> = signal(512);
  /** Milliseconds of the latest answer. */
  readonly took: Signal<number | undefined> = signal(undefined);
  /** The next announcement for screen readers. */
  readonly announcement: Signal<string> = signal("");
  /** True if the next visit needs no network. */
  readonly kept: Signal<boolean> = signal(false);
  /** The requested device. */
  readonly device: Signal<Device> = signal("auto");
  /** Texts that the page itself put in the field. */
  readonly #suggested = new Set([FIRST_TEXT]);
  #unmask: Pipeline<"fill-mask"> | undefined;
  #loads = 0;

  constructor() {
    let before = this.text.peek();
    effect(() => {
      const after = this.text.value;
      if (after !== before) this.hide(moveRanges(readRanges(this.#hidden.peek()), before, after));
      before = after;
    });
  }

  /** The words of the text that the visitor hid, in order. */
  get hidden(): Range[] {
    const { length } = this.text.value;
    return readRanges(this.#hidden.value).filter(({ end }) => end <= length);
  }

  hide(ranges: readonly Range[]): void {
    this.#hidden.value = writeRanges([...ranges].sort((a, b) => a.start - b.start));
  }

  /**
   * Puts a text in the field, unless the visitor wrote or chose one. `suggestions` are further texts that may be replaced. Returns whether
   * the field has the text now.
   */
  suggest(text: string, suggestions: readonly string[] = []): boolean {
    const now = this.text.peek();
    const isFree = !now.trim() || this.#suggested.has(now) || suggestions.includes(now);
    if (isFree) this.text.value = text;
    this.#suggested.add(text);
    return this.text.peek() === text;
  }

  /** A view's setting. It survives a reload and is part of a copied link. `name` begins with the view's id and a dot. */
  saved(name: string, initial: string): Signal<string> {
    return this.#kept.signal(name, initial);
  }

  /** All settings of `saved` and the text that differ from their defaults. */
  settings(): URLSearchParams {
    return this.#kept.all();
  }

  /** Records the time of an answer and the device in use: after a lost GPU the CPU answers. */
  answered(ms: number): void {
    this.took.value = ms;
    if (this.#unmask) this.info.value = this.#unmask.info;
  }

  /** Announces a text to visitors who do not see the page change. */
  announce(text: string): void {
    this.announcement.value = text;
  }

  /** Replaces the model by the model of a source. If that fails, the old model stays, and `status` has the reason. */
  async load(source: Source = BUILT_IN, name?: string): Promise<void> {
    const mine = ++this.#loads;
    const made = new Model(source, this.device.value, name);
    const progress = new LoadProgress((now) => {
      if (mine === this.#loads) this.status.value = { kind: "loading", ...now };
    });
    this.status.value = { kind: "loading", loaded: 0, total: undefined, seconds: undefined };
    made.tokenizer().then(
      (tokenizer) => {
        if (mine === this.#loads && !this.model.value) this.tokenizer.value = tokenizer;
      },
      () => {}, // if both fail, the model's error is the more useful one
    );
    try {
      const unmask = await made.fillMask({ progress_callback: progress.callback });
      const [tokenizer, limit] = await Promise.all([made.tokenizer(), made.limit()]);
      if (mine !== this.#loads) return made.dispose();
      const old = this.model.value;
      this.#unmask = unmask;
      this.info.value = unmask.info;
      this.limit.value = limit;
      this.tokenizer.value = tokenizer;
      this.model.value = made;
      this.status.value = { kind: "ready" };
      old?.dispose();
      this.announce(t`${name ?? t`The built-in model`} is loaded.`);
    } catch (error) {
      made.dispose();
      if (mine !== this.#loads) return;
      if (this.model.value) this.device.value = this.model.value.device;
      this.status.value = { kind: "failed", error, own: name !== undefined, device: made.device };
    }
  }

  /** Moves the current model to another device. */
  async choose(device: Device): Promise<void> {
    this.device.value = device;
    await this.load(this.model.value?.source, this.model.value?.name);
  }
}
