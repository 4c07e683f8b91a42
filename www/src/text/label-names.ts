// Names of the labels of the models for sentiment and topic, and of a verdict without one.
import { later, t } from "../language.ts";

const NAMES: Record<string, string> = {
  unsure: later("unsure"),
  negative: later("negative"),
  positive: later("positive"),
  business: later("business"),
  entertainment: later("entertainment"),
  food: later("food"),
  health: later("health"),
  politics: later("politics"),
  "science and technology": later("science and technology"),
  sports: later("sports"),
  travel: later("travel"),
};

/** The name of a label in the visitor's language; an unknown label as it is. */
export const labelName = (label: string): string => (Object.hasOwn(NAMES, label) ? t(NAMES[label]!) : label);
