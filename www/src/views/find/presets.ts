// Texts to search, and questions in words that differ from the texts'.

import { later } from "../../language.ts";
import { FIRST_TEXTS } from "../first-texts.ts";

export interface Preset {
  id: string;
  /** In English. */
  name: string;
  questions: string[];
  load: () => Promise<string>;
}

export const PRESETS: readonly Preset[] = [
  {
    id: "stories",
    name: later("Little stories"),
    questions: [FIRST_TEXTS.find, "A child could not get to class in time", "Somebody finds a lot of money"],
    load: async () => (await import("../../../../models/train/text/everyday/short_stories.txt")).default,
  },
  {
    id: "knowledge",
    name: later("General knowledge"),
    questions: ["Where do whales live?", "Why does metal turn red in the rain?", "How long does a year last?"],
    load: async () => (await import("../../../../models/train/text/everyday/general_knowledge.txt")).default,
  },
  {
    id: "health",
    name: later("Body and health"),
    questions: ["My tooth hurts", "What should I do about a fever?", "She broke her leg while skiing"],
    load: async () => (await import("../../../../models/train/text/everyday/body_health.txt")).default,
  },
  {
    id: "messages",
    name: later("Letters to a shop"),
    questions: ["I want my money back", "Something arrived damaged", "How is it washed?"],
    load: async () => (await import("./messages.txt")).default,
  },
];
