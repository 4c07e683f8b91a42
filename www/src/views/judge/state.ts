// State of the view Judge: what a text is judged by, the visitor's labels, and the struck words.
import { computed, effect, type ReadonlySignal, type Signal } from "@preact/signals";
import type { App } from "../../app.ts";
import { moveRanges, type Range, readRanges, writeRanges } from "../../text/stretches.ts";
import type { Kind } from "./judges.ts";

const KINDS: readonly Kind[] = ["feeling", "topic", "labels", "names", "pairs"];

/** The first labels of the visitor. */
const FIRST_LABELS = "animals, cooking, films, money, travel";
/** Maximum number of labels; a screen has no room for more. */
const MOST_LABELS = 8;

export class JudgeState {
  readonly #app: App;
  readonly #kind: Signal<string>;
  readonly #struck: Signal<string>;
  /** The field with the visitor's labels. */
  readonly labelText: Signal<string>;
  /** The sentence that may follow the text. */
  readonly second: Signal<string>;
  /** What a text is judged by. */
  readonly kind: ReadonlySignal<Kind>;
  /** The visitor's labels. */
  readonly labels: ReadonlySignal<readonly string[]>;
  /** The struck words of the text, in order. */
  readonly struck: ReadonlySignal<readonly Range[]>;

  constructor(app: App) {
    this.#app = app;
    this.#kind = app.saved("judge.as", "feeling");
    this.#struck = app.saved("judge.struck", "");
    this.labelText = app.saved("judge.labels", FIRST_LABELS);
    this.second = app.saved("judge.second", "It was the best one this year.");
    this.kind = computed(() => KINDS.find((kind) => kind === this.#kind.value) ?? "feeling");
    this.labels = computed(() => labelsIn(this.labelText.value));
    this.struck = computed(() => {
      const { length } = app.text.value;
      return readRanges(this.#struck.value).filter(({ end }) => end <= length);
    });
    let before = app.text.peek();
    effect(() => {
      const after = app.text.value;
      if (after !== before) this.#write(moveRanges(readRanges(this.#struck.peek()), before, after));
      before = after;
    });
  }

  #write(ranges: readonly Range[]): void {
    this.#struck.value = writeRanges([...ranges].sort((a, b) => a.start - b.start));
  }

  choose(kind: Kind): void {
    this.#kind.value = kind;
  }

  /** Strikes a word out, or restores it. */
  strike({ start, end }: Range): void {
    const now = this.struck.peek();
    const others = now.filter((range) => range.start !== start);
    this.#write(others.length < now.length ? others : [...others, { start, end }]);
  }

  /** Restores all words. */
  restore(): void {
    this.#write([]);
  }

  /** Replaces the text by another one. Words that are not part of the change stay struck. */
  write(text: string): void {
    this.#app.text.value = text;
  }
}

/** The labels in a text with commas, without repetitions. */
function labelsIn(text: string): string[] {
  const names = text
    .split(/[,;\n]/)
    .map((name) => name.replace(/\s+/g, " ").trim().slice(0, 40))
    .filter(Boolean);
  return [...new Set(names)].slice(0, MOST_LABELS);
}

const states = new WeakMap<App, JudgeState>();

/** The page's own state, which stays while other views are shown. */
export function stateOf(app: App): JudgeState {
  let state = states.get(app);
  if (!state) states.set(app, (state = new JudgeState(app)));
  return state;
}
