// Answers for the examples, recorded by www/tools/record-judge.mjs and shown while the models load.
import { type Judgement, verdictOf } from "../../text/judge.ts";
import type { Found } from "./entities.ts";
import type { LabelKind } from "./judges.ts";
import recorded from "./recorded.json";

/** A recorded verdict: the scores, and for each word its place, its weight and the label without it. */
interface Entry {
  text: string;
  scores: number[];
  reasons: [start: number, end: number, fall: number, without: string | null][];
}

interface Recorded {
  verdicts: Record<LabelKind, { labels: string[]; examples: Entry[] }>;
  names: { text: string; found: Found[] }[];
}

const { verdicts, names } = recorded as unknown as Recorded;

/** The recorded verdict on a text without struck words; undefined if there is none. `own`: the visitor's labels. */
export function recordedJudgement(kind: LabelKind, own: readonly string[], text: string): Judgement | undefined {
  const { labels, examples } = verdicts[kind];
  if (kind === "labels" && JSON.stringify(own) !== JSON.stringify(labels)) return undefined;
  const entry = examples.find((example) => example.text === text);
  if (!entry) return undefined;
  return {
    verdict: verdictOf({ labels, isProbability: kind !== "labels" }, entry.scores),
    reasons: entry.reasons.map(([start, end, fall, without]) => ({
      start,
      end,
      word: text.slice(start, end),
      fall,
      without: without ?? undefined,
    })),
  };
}

/** The recorded names and numbers of a text. */
export const recordedNames = (text: string): readonly Found[] | undefined =>
  names.find((example) => example.text === text)?.found;
