// The sentence: a line under each word shows how much the verdict depends on it.
import { Words } from "../../components/words.tsx";
import { t } from "../../language.ts";
import { type Judgement, type Reason, WEIGHT } from "../../text/judge.ts";
import { type Range, type Stretch, stretchesOf } from "../../text/stretches.ts";

/** A fall of a probability that is drawn with the thickest line. */
const MOST = 0.8;
/** The least score by which falls of cosines are divided. */
const LEAST = 0.1;

/** A strength below which a word speaks neither for nor against the verdict. */
export const LIGHT = 0.03;

/** The strength of a reason, from -1 to 1: its fall relative to the greatest one that can be expected. */
export function strengthOf({ verdict }: Judgement, { fall }: Reason): number {
  const isProbability = verdict.scores.reduce((sum, score) => sum + score, 0) > 0.99;
  const most = isProbability ? MOST : Math.max(LEAST, verdict.scores[verdict.best]!);
  return Math.max(-1, Math.min(1, fall / most));
}

export function Sentence({
  text,
  cut,
  judgement,
  struck,
  exact,
  held,
  onStrike,
  onHold,
}: {
  text: string;
  cut: boolean;
  judgement: Judgement | undefined;
  struck: readonly Range[];
  /** Strengths by integrated gradients, from -1 to 1, by the starts of the words. */
  exact: ReadonlyMap<number, number> | undefined;
  /** The start of the word whose alternatives are shown. */
  held: number | undefined;
  onStrike: (word: Range) => void;
  onHold: (word: Range) => void;
}) {
  if (!text.trim()) return <p class="words hint">{t`Type a sentence.`}</p>;
  const dress = (stretch: Stretch) => {
    const isStruck = struck.some(({ start }) => start === stretch.start);
    if (isStruck) return { class: "struck", pressed: true, label: t`${stretch.text}, struck out` };
    const reason = judgement?.reasons.find(({ start }) => start === stretch.start);
    const strength = reason ? strengthOf(judgement!, reason) : 0;
    const gradient = exact?.get(stretch.start);
    return {
      class: [
        "reason",
        strength <= -LIGHT && "against",
        gradient !== undefined && (gradient < 0 ? "exact against-exact" : "exact"),
        stretch.start === held && "held",
      ]
        .filter(Boolean)
        .join(" "),
      style: {
        "--weight": Math.abs(strength).toFixed(2),
        ...(gradient !== undefined && { "--exact": Math.abs(gradient).toFixed(2) }),
      },
      pressed: false,
      label: `${stretch.text}${spoken(strength)}`,
    };
  };
  return (
    <Words
      stretches={stretchesOf(text)}
      label={t`The sentence: press a word to strike it out, hold it for other words`}
      dress={dress}
      onPress={({ kind, start, end }) => kind === "word" && onStrike({ start, end })}
      onHold={({ kind, start, end }) => kind === "word" && onHold({ start, end })}
      {...(cut && { more: t`… the rest of the text is not read` })}
    />
  );
}

/** A word's part in the verdict, for speech. */
const spoken = (strength: number): string =>
  strength >= 0.6
    ? t`, the verdict depends on it`
    : strength >= WEIGHT
      ? t`, it supports the verdict`
      : strength <= -WEIGHT
        ? t`, it speaks against the verdict`
        : "";
