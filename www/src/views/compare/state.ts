// State of the view Compare: the second sentence, which follows the first one, the page's own.
import { effect, type Signal } from "@preact/signals";
import type { App } from "../../app.ts";
import { follow } from "../../text/compare.ts";
import { PAIRS } from "./recorded.ts";

export class CompareState {
  readonly #app: App;
  /** True if a link or an earlier visit brought the second sentence. */
  #isGiven: boolean;
  /** The second sentence. */
  readonly other: Signal<string>;

  constructor(app: App) {
    this.#app = app;
    this.other = app.saved("compare.other", "");
    this.#isGiven = this.other.peek() !== "" && this.other.peek() !== app.text.peek();
    if (!this.#isGiven) this.other.value = app.text.peek();
    let before = app.text.peek();
    effect(() => {
      const after = app.text.value;
      if (after !== before) this.other.value = follow(before, after, this.other.peek());
      before = after;
    });
  }

  /** Suggests the first pair when the view opens, unless a link or the visitor brought sentences. */
  open(): void {
    const [first, second] = PAIRS[0]!;
    if (!this.#isGiven && this.#app.suggest(first)) this.other.value = second;
    this.#isGiven = false;
  }

  /** Changes the second sentence. The first one follows, unless both are the same: then they begin to differ. */
  write(second: string): void {
    const [first, before] = [this.#app.text.peek(), this.other.peek()];
    this.set(first === before ? first : follow(before, second, first), second);
  }

  /** Puts a pair of sentences. */
  set(first: string, second: string): void {
    this.#app.text.value = first; // the second sentence follows it
    this.other.value = second;
  }

  /** Exchanges the sentences. */
  swap(): void {
    this.set(this.other.peek(), this.#app.text.peek());
  }
}

const states = new WeakMap<App, CompareState>();

/** The page's own state, which stays while other views are shown. */
export function stateOf(app: App): CompareState {
  let state = states.get(app);
  if (!state) states.set(app, (state = new CompareState(app)));
  return state;
}
