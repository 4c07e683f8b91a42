// How the verdicts are computed and how good they are: by the models' cards.

import { t, tx } from "../../language.ts";
import type { LabelKind } from "./judges.ts";

export function How({ kind }: { kind: LabelKind }) {
  return (
    <details class="how">
      <summary>{t`How this is computed, and how good it is`}</summary>
      {kind === "labels" ? (
        <p>{t`A model makes a vector of the sentence, and of “This text is about …” with each label. The shorter the way between two vectors, the longer the bar. A vector holds what a text is about, hardly what it claims: a sentence and its negation are close. Bars are no probabilities.`}</p>
      ) : (
        <p>{tx`The encoder is the one that fills gaps in Guess. On top of it is one small layer, trained on sentences with labels, that reads the encoder’s state at the mark [CLS]. ${
          kind === "feeling"
            ? t`Of 260 sentences that it had not seen it judges 91.5 % as their writers did. Its probabilities end near 10 and 90 %: it cannot tell a sure case from a surer one, so the page shows no higher number. Between 35 and 65 % it says that it is unsure. It does not understand irony, mixed feelings or long texts. Do not use it to judge people.`
            : t`It has to choose among eight topics, also for a sentence without one; below 65 % the page calls it unsure. Its probabilities may be too high, so the page shows none.`
        }`}</p>
      )}
      <p>{t`The line under a word is as thick as the verdict’s score falls when the sentence is read without the word (leave-one-out). A dotted line marks a word that speaks against the verdict. Two words that say the same hide each other: without one of them, the other is still there.`}</p>
      {kind !== "labels" && (
        <p>{t`“Exact reasons” adds a second line, by integrated gradients: it follows the score from an empty sentence to yours and adds up each word’s part. The two methods ask different questions and can differ.`}</p>
      )}
    </details>
  );
}
