// Pre-training's first task on a sentence: which words are chosen, and what the model sees in their place.

/** What becomes of a word: it stays, or it is chosen and then hidden, exchanged or left as it is. */
export type Fate = "stays" | "masked" | "exchanged" | "kept";

/** A word with its fate; `seen` is what the model reads. */
export interface Drawn {
  word: string;
  fate: Fate;
  seen: string;
}

/** The share of words that are chosen, and the shares of their fates (Devlin et al. 2019, section 3.1). */
const CHOSEN = 0.15;
const MASKED = 0.8;
const EXCHANGED = 0.9;

/** Draws the fates of whole words; at least one is chosen. `random` returns numbers from 0 to 1; `others` are words to exchange with. */
export function draw(words: readonly string[], others: readonly string[], random: () => number): Drawn[] {
  const count = Math.max(1, Math.round(CHOSEN * words.length));
  const order = words.map((_, at) => ({ at, key: random() })).sort((a, b) => a.key - b.key);
  const chosen = new Set(order.slice(0, count).map(({ at }) => at));
  return words.map((word, at) => {
    if (!chosen.has(at)) return { word, fate: "stays", seen: word };
    const lot = random();
    if (lot < MASKED) return { word, fate: "masked", seen: "[MASK]" };
    if (lot < EXCHANGED) return { word, fate: "exchanged", seen: others[Math.floor(random() * others.length)] ?? word };
    return { word, fate: "kept", seen: word };
  });
}
