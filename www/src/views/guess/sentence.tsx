import { Words } from "../../components/words.tsx";
import { percent } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { type Guess, written } from "../../text/guess.ts";
import type { Stretch } from "../../text/stretches.ts";
import type { Question } from "./question.ts";

/** Number of answers that float above a gap. */
const FLOATING = 3;

/** The sentence with the best answers in its gaps, and the next answers above each. */
export function Sentence({
  question,
  guesses,
  onPress,
}: {
  question: Question;
  guesses: Guess[] | undefined;
  onPress: (stretch: Stretch) => void;
}) {
  const dress = (stretch: Stretch) => {
    const gap = question.gaps.findIndex(({ start }) => start === stretch.start);
    if (gap < 0) return { pressed: false };
    const { words = [], own } = guesses?.[gap] ?? {};
    const chosen = question.gaps[gap]!.chosen;
    const best = chosen === undefined ? words[0] : (words.find(({ token_str }) => token_str === chosen) ?? own);
    const word = chosen ?? words[0]?.token_str;
    const others = words.filter(({ token_str }) => token_str !== word).slice(0, FLOATING);
    const hidden = stretch.kind === "word" ? stretch.text : undefined;
    return {
      class: "gap",
      pressed: hidden !== undefined,
      content: (
        <>
          <span class="visually-hidden">{tx`${hidden ? t`${hidden}, hidden` : t`Gap`}, the model expects `}</span>
          <span class="answer">{word ? written(word) : "…"}</span>
          {best && <span class="visually-hidden">, {percent(best.score)}</span>}
          {hidden && (
            <span class="was" aria-hidden="true">
              {hidden}
            </span>
          )}
          <span class="floating" aria-hidden="true">
            {others.map(({ token_str, score }, index) => (
              <span key={index} style={{ opacity: (0.66 + 0.34 * Math.sqrt(score)).toFixed(2) }}>
                {written(token_str)}
              </span>
            ))}
          </span>
        </>
      ),
    };
  };
  return (
    <Words
      stretches={question.stretches}
      label={t`The sentence: press a word to hide it`}
      dress={dress}
      onPress={onPress}
      {...(question.cut && { more: t`… the rest of the text is not read` })}
    />
  );
}
