// The stations of the view Inside, in the order in which a sentence passes them.
import { t } from "../../language.ts";

export const STATIONS = ["pieces", "numbers", "looking", "thinking", "answering", "learning"] as const;
export type Station = (typeof STATIONS)[number];

/** The station's name. */
export const titleOf = (station: Station): string =>
  ({
    pieces: t`Pieces`,
    numbers: t`Numbers`,
    looking: t`Looking`,
    thinking: t`Thinking`,
    answering: t`Answering`,
    learning: t`Learning`,
  })[station];

/** The view that goes on where a station ends. */
export const FURTHER: Record<Station, { view: string; text: () => string }> = {
  pieces: { view: "guess", text: () => t`Guess: hide a word, and see what BERT expects` },
  numbers: { view: "find", text: () => t`Find: search by numbers of whole sentences` },
  looking: { view: "look", text: () => t`Look: all heads, with the jobs of some` },
  thinking: { view: "watch", text: () => t`Watch it think: what each layer would answer` },
  answering: { view: "judge", text: () => t`Judge: why it decides so` },
  learning: { view: "grow", text: () => t`Grow: a model of your own, from any text` },
};
