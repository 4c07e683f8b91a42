// Texts to grow a model from: the project's own training texts.

import { later } from "../../language.ts";
import { sentencesOf } from "./corpus.ts";

export interface Preset {
  id: string;
  name: string;
  /** The text to learn from. */
  about: string;
  /** Sentences with a gap to watch; the first is shown at once. */
  gaps: string[];
  load: () => Promise<string>;
}

const tables = async (...loads: Promise<{ default: string }>[]) =>
  (await Promise.all(loads)).map(({ default: table }) => sentencesOf(table)).join("\n");

export const PRESETS: readonly Preset[] = [
  {
    id: "calendar",
    name: later("The calendar"),
    about: later("Sentences about days, months and seasons: which one follows which."),
    gaps: ["If today is Monday, tomorrow will be ___.", "May comes after ___.", "After spring comes ___."],
    load: () =>
      tables(
        import("../../../../models/train/text/relations/days.tsv"),
        import("../../../../models/train/text/relations/months.tsv"),
        import("../../../../models/train/text/relations/seasons.tsv"),
      ),
  },
  {
    id: "animals",
    name: later("Animals"),
    about: later("Sentences about animals: what they eat, where they live, what their young are called."),
    gaps: ["A young cat is called a ___.", "The cow eats ___.", "The bear lives in a ___."],
    load: () => tables(import("../../../../models/train/text/relations/animals.tsv")),
  },
  {
    id: "stories",
    name: later("Little stories"),
    about: later(
      "A few pages of plain stories. Real sentences are much harder: in minutes it learns little more than grammar.",
    ),
    gaps: ["It was late, and Peter was alone in the ___.", "The old man ___ down.", "She ran to the ___ stop."],
    load: async () => (await import("../../../../models/train/text/everyday/short_stories.txt")).default,
  },
];
