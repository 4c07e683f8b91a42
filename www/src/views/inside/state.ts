// State of the view Inside: the station, the answers to its questions, the word in view.
import { type Signal, signal } from "@preact/signals";
import type { App } from "../../app.ts";
import { FIRST_TEXTS } from "../first-texts.ts";
import { Growth } from "../grow/growth.ts";
import { STATIONS, type Station } from "./stations.ts";

/** The first steps of a model that learns in the last station. */
export const STEPS = 200;
/** The sentence that it is asked. */
export const LESSON = "May comes after ___.";

export class InsideState {
  readonly #station: Signal<string>;
  readonly answers: Signal<Readonly<Record<string, number>>> = signal({});
  /** The index of the word in view. */
  readonly word: Signal<number> = signal(-1);
  /** The layer in view, from 0; -1: the view's choice. */
  readonly layer: Signal<number> = signal(-1);
  /** The model of the last station. */
  readonly growth: Growth = new Growth(signal(LESSON));

  constructor(app: App) {
    this.#station = app.saved("inside.station", STATIONS[0]);
    app.suggest(FIRST_TEXTS.inside);
  }

  get station(): Station {
    return STATIONS.find((one) => one === this.#station.value) ?? STATIONS[0];
  }

  go(station: Station): void {
    this.#station.value = station;
  }
}

const states = new WeakMap<App, InsideState>();

/** The page's own state, which stays while other views are shown. */
export function stateOf(app: App): InsideState {
  let state = states.get(app);
  if (!state) states.set(app, (state = new InsideState(app)));
  return state;
}
