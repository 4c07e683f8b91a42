// The built-in model's ladders for the examples, recorded by www/tools/record-ladder.mjs and shown while the model loads.
import type { Hidden } from "./hidden.ts";
import type { Rung } from "./ladder.ts";
import examples from "./recorded.json";

interface Example {
  text: string;
  start: number;
  end: number;
  layers: [string, number][][];
}

const recorded = examples as unknown as Example[];

/** The texts with a recorded ladder, each with its hidden word. */
export const EXAMPLES: readonly Pick<Example, "text" | "start" | "end">[] = recorded;

/** The recorded ladder of a text and its gap, if any. */
export function recordedRungs(text: string, { stretches, gap }: Hidden): Rung[] | undefined {
  const { start, end } = stretches[gap]!;
  const there = recorded.find((example) => example.text === text && example.start === start && example.end === end);
  return there?.layers.map((words, layer) => ({ layer, words: words.map(([word, score]) => ({ word, score })) }));
}
