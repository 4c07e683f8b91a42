import { named, percent } from "../format.ts";
import { language, t } from "../language.ts";
import { plain } from "../text/offered.ts";
import { PieceText } from "./piece-text.tsx";

export interface Bar {
  name: string;
  /** From 0 to 1: the length of the bar, and its number. */
  score: number;
  /** A quiet note after the name. */
  note?: string;
}

/** Bars of the expected words. The visitor's word is marked; it is last if the model does not expect it. */
export function barsOf(words: readonly { token_str: string; score: number }[], own?: { word: string; score: number }) {
  const bars: Bar[] = words.map(({ token_str, score }) => ({
    name: token_str,
    score,
    ...(own && plain(own.word) === plain(token_str) && { note: t`your word` }),
  }));
  if (own && !bars.some(({ note }) => note)) bars.push({ name: named(own.word), score: own.score, note: t`your word` });
  return bars;
}

/**
 * A list of words or labels, each with a bar for its score and the number at its end. The first is emphasised. With `onChoose` they are
 * buttons; `chosen` is the index of the pressed one.
 */
export function Bars({
  bars,
  label,
  chosen,
  onChoose,
  isTranslated,
  isUnnumbered,
}: {
  bars: readonly Bar[];
  label: string;
  /** True if the names are in the page's language; words of the model are English. */
  isTranslated?: boolean;
  /** True if no number is shown. */
  isUnnumbered?: boolean;
  chosen?: number;
  onChoose?: (index: number) => void;
}) {
  return (
    <ol class="bars" aria-label={label}>
      {bars.map(({ name, score, note }, index) => {
        const inside = (
          <>
            <span class="bar-name" dir="auto" lang={isTranslated ? undefined : "en"}>
              <PieceText piece={name} />
              {note && " "}
              {note && <small lang={language.value}>{note}</small>}
            </span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar-fill" style={{ width: `${100 * score}%` }} />
            </span>
            {!isUnnumbered && <span class="bar-score">{percent(score)}</span>}
          </>
        );
        return (
          <li key={index}>
            {onChoose ? (
              <button type="button" class="bar" aria-pressed={index === chosen} onClick={() => onChoose(index)}>
                {inside}
              </button>
            ) : (
              <div class="bar">{inside}</div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
