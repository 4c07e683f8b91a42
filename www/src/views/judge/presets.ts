// Sentences to begin with: for each kind of verdict, and ways to fool the sentiment model.

import { later } from "../../language.ts";
import { FIRST_TEXTS } from "../first-texts.ts";
import type { LabelKind } from "./judges.ts";

/** A sentence that may fool the sentiment model. */
export interface Trap {
  text: string;
  /** The verdict of a person; "unsure" if the sentence has no sentiment or two. */
  expected: "positive" | "negative" | "unsure";
}

/** The first sentence of the view. */
export const FIRST = FIRST_TEXTS.judge;

/** Traps by the capability that they test, after CheckList (Ribeiro et al. 2020). Some succeed, others do not. */
export const TRAPS: readonly { name: string; traps: readonly Trap[] }[] = [
  {
    name: later("Negation"),
    traps: [
      { text: FIRST, expected: "positive" },
      { text: "Nothing about this hotel was wrong.", expected: "positive" },
      { text: "I wouldn't say I disliked it.", expected: "positive" },
    ],
  },
  {
    name: later("Contrast"),
    traps: [
      { text: "The plot is thin, yet I loved every minute.", expected: "positive" },
      { text: "The seats were comfortable, but the film was a waste of time.", expected: "negative" },
      { text: "The delay was terrible, the crew were wonderful.", expected: "unsure" },
    ],
  },
  {
    name: later("Irony"),
    traps: [
      { text: "What a wonderful way to ruin a holiday.", expected: "negative" },
      { text: "Great, another hour in the queue.", expected: "negative" },
      { text: "I just love it when my train is late.", expected: "negative" },
    ],
  },
  {
    name: later("Other names"),
    traps: [
      { text: "Anna moved in next door.", expected: "unsure" },
      { text: "Ahmed moved in next door.", expected: "unsure" },
      { text: "Ahmed was kind to us.", expected: "positive" },
    ],
  },
  {
    name: later("Typos"),
    traps: [
      { text: "The servise was terible.", expected: "negative" },
      { text: "The food was delicoius.", expected: "positive" },
      { text: "the film was baaaad", expected: "negative" },
    ],
  },
];

/** Sentences without a sentiment, to be judged by topic or by own labels. */
const TOPICS = [
  "The striker missed two penalties.",
  "Fry the onions in butter.",
  "Her savings lost half of their value.",
  "The train to Vienna leaves at nine.",
  "The kitten slept on the sofa.",
];

/** Sentences with names and numbers. */
const NAMES = [
  "Anna Kovács flew from Budapest to Oslo on 3 May.",
  "Ring Tunde on 01632 960 983, or write to tunde@example.org.",
  "Siemens paid 400 euros to Maria Rossi in Milan.",
];

/** The examples of each kind. */
export const EXAMPLES: Readonly<Record<LabelKind | "names", readonly string[]>> = {
  feeling: TRAPS.flatMap(({ traps }) => traps.map(({ text }) => text)),
  topic: TOPICS,
  labels: TOPICS,
  names: NAMES,
};
