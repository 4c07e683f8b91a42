// The game of the day. It survives a reload in this browser; a link does not contain it, because it would tell the words.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { App } from "../../app.ts";
import { dayOf, type Gap, gapsOf, play, type Round } from "../../text/beat.ts";

const PLACE = "webert-beat";

interface Played {
  day: string;
  rounds: readonly Round[];
}

/** The rounds of a day that the browser kept. */
function kept(day: string): readonly Round[] {
  try {
    const played = JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<Played>;
    return played.day === day && Array.isArray(played.rounds) ? played.rounds : [];
  } catch {
    return [];
  }
}

export class Game {
  readonly day: string = dayOf(new Date());
  readonly gaps: readonly Gap[];
  readonly rounds: Signal<readonly Round[]>;
  /** The gap in view. */
  readonly at: Signal<number>;
  /** The round of the gap in view; undefined until it is played. */
  readonly round: ReadonlySignal<Round | undefined>;
  /** True once all gaps were played and the last one was left. */
  readonly isOver: ReadonlySignal<boolean>;

  constructor(table: string) {
    this.gaps = gapsOf(table, this.day);
    this.rounds = signal(kept(this.day).slice(0, this.gaps.length));
    this.at = signal(this.rounds.peek().length);
    this.round = computed(() => this.rounds.value[this.at.value]);
    this.isOver = computed(() => this.at.value >= this.gaps.length);
  }

  /** Plays the gap in view with the visitor's word. */
  async answer(app: App, word: string): Promise<Round> {
    const model = app.model.peek()!;
    const [unmask, tokenizer] = await Promise.all([model.fillMask(), model.tokenizer()]);
    const start = performance.now();
    const round = await play(unmask, tokenizer, this.gaps[this.at.peek()]!, word);
    app.answered(performance.now() - start);
    this.rounds.value = [...this.rounds.peek().slice(0, this.at.peek()), round];
    try {
      localStorage.setItem(PLACE, JSON.stringify({ day: this.day, rounds: this.rounds.peek() } satisfies Played));
    } catch {
      // the browser keeps nothing: the game is lost on reload
    }
    return round;
  }

  next(): void {
    this.at.value++;
  }
}

const games = new WeakMap<App, Promise<Game>>();

/** The game of this visit, which stays while other views are shown. After a failure the next call tries again. */
export function gameOf(app: App): Promise<Game> {
  const there = games.get(app);
  if (there) return there;
  const made = import("../../../../models/eval/cloze.tsv").then(({ default: table }) => new Game(table));
  games.set(app, made);
  made.catch(() => games.delete(app));
  return made;
}
