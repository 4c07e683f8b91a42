// Station 1: letters become pieces, and each piece is a number of the vocabulary.
import { Pieces } from "../../components/pieces.tsx";
import { language, t } from "../../language.ts";
import { Question } from "./question.tsx";
import type { Tokens } from "./read.ts";
import type { StationProps } from "./words.tsx";

export function PiecesStation({ app, state, tokens }: Omit<StationProps, "inside"> & { tokens: Tokens }) {
  const { text, words, pieces } = tokens;
  const letters = text.replace(/\s/g, "").length;
  const inWords = words.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const options = [...new Set([words.length, pieces.length, letters])].sort((a, b) => a - b);
  const cut = words.find(({ tokens }) => tokens.length > 1);
  return (
    <Question
      id={`pieces ${text}`}
      answers={state.answers}
      quiz={{
        question: t`How many pieces does BERT read in your sentence?`,
        options: options.map(String),
        truth: options.indexOf(pieces.length),
      }}
    >
      <Pieces app={app} text={text} />
      <p>
        {t`Your ${words.length} words and marks become ${inWords} pieces of a vocabulary of ${vocabularyOf(app)}. From here on a piece is only its number.`}{" "}
        {cut
          ? t`“${cut.text}” is not in the vocabulary, so it is cut into ${cut.tokens.length} pieces that are; “##” says that a piece continues a word.`
          : t`Each of your words is in the vocabulary. Write a rare one, such as “unbelievably”, and it is cut into pieces that are.`}
      </p>
      <p>
        {t`Two pieces are added. [CLS] at the beginning has no meaning of its own: classifiers read their answer from its place. [SEP] ends a sentence and stands between two. A third, [MASK], stands where a word is hidden.`}
      </p>
    </Question>
  );
}

/** The size of the vocabulary, for people. */
const vocabularyOf = ({ tokenizer }: StationProps["app"]) =>
  (tokenizer.value?.get_vocab().size ?? 0).toLocaleString(language.value);
