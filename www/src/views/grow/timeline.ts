// The model's answers for a gap while it grew, at a bounded number of moments.

export interface Guess {
  token_str: string;
  score: number;
}

export interface Snapshot {
  step: number;
  /** The loss near this step. */
  loss: number;
  /** The sentence, with [MASK] in its gap. */
  text: string;
  guesses: readonly Guess[];
}

/** Maximum number of snapshots; every second one is dropped if they exceed it. */
const MOST = 240;

/** Adds a snapshot. The first and the last always stay. */
export function extended(snapshots: readonly Snapshot[], snapshot: Snapshot): readonly Snapshot[] {
  const longer = [...snapshots, snapshot];
  return longer.length <= MOST ? longer : longer.filter((_, at) => at % 2 === 0 || at === longer.length - 1);
}

/** The changes of the best guess: [index of the snapshot, the guess], the latest `most` of them. */
export function changes(snapshots: readonly Snapshot[], most: number): { at: number; word: string }[] {
  const found: { at: number; word: string }[] = [];
  snapshots.forEach(({ guesses, text }, at) => {
    const word = guesses[0]?.token_str;
    const before = snapshots[at - 1];
    if (word !== undefined && (word !== before?.guesses[0]?.token_str || text !== before.text))
      found.push({ at, word });
  });
  return found.slice(-most);
}
