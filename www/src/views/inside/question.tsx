// The question before each station of the view Inside. The answer appears after a guess, or on request.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { t } from "../../language.ts";

/** A question with its possible answers; `truth` is the index of the right one. */
export interface Quiz {
  question: string;
  options: readonly string[];
  truth: number;
}

/**
 * Shows the question, and `children` once it is answered. `answers` holds the visitor's answers by station: an index, or -1 for those who only want
 * to see.
 */
export function Question({
  id,
  quiz,
  answers,
  children,
}: {
  id: string;
  quiz: Quiz;
  answers: Signal<Readonly<Record<string, number>>>;
  children: ComponentChildren;
}) {
  const given = answers.value[id];
  const answer = (index: number) => (answers.value = { ...answers.peek(), [id]: index });
  return (
    <>
      <fieldset class="inside-quiz">
        <legend>{quiz.question}</legend>
        {quiz.options.map((option, index) => (
          <button
            key={option}
            type="button"
            class={`chip${given !== undefined && index === quiz.truth ? " is-true" : ""}`}
            aria-pressed={given === index}
            onClick={() => answer(index)}
          >
            {option}
          </button>
        ))}
        {given === undefined && (
          <button type="button" class="quiet" onClick={() => answer(-1)}>
            {t`Just show me`}
          </button>
        )}
      </fieldset>
      <p class="inside-truth" role="status">
        {given === undefined ? "" : verdictOf(given, quiz)}
      </p>
      {given !== undefined && children}
    </>
  );
}

function verdictOf(given: number, { options, truth }: Quiz): string {
  const right = t`The answer: ${options[truth]!}.`;
  return given === truth ? `${t`Right.`} ${right}` : right;
}
