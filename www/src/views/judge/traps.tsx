// Sentences that may fool the sentiment model, each with the outcome.
import { useComputed } from "@preact/signals";
import type { App } from "../../app.ts";
import { t, tx } from "../../language.ts";
import { nameOf } from "../../text/judge.ts";
import { labelName } from "../../text/label-names.ts";
import { TRAPS, type Trap } from "./presets.ts";
import { recordedJudgement } from "./recorded.ts";
import type { JudgeState } from "./state.ts";

const ALL = TRAPS.flatMap(({ traps }) => traps);

/** The verdict on a trap; undefined if it was not recorded. */
function outcome({ text, expected }: Trap): { said: string; isRight: boolean } | undefined {
  const judgement = recordedJudgement("feeling", [], text);
  if (!judgement) return undefined;
  const said = nameOf(judgement.verdict) ?? "unsure";
  return { said, isRight: said === expected };
}

export function Traps({ app, state }: { app: App; state: JudgeState }) {
  /** The trap in the field, if any; other texts do not render the list again. */
  const shown = useComputed(() => ALL.find(({ text }) => text === app.text.value)?.text);
  const right = ALL.filter((trap) => outcome(trap)?.isRight).length;
  return (
    <section class="traps" aria-labelledby="traps-title">
      <h2 id="traps-title">{t`Fool it`}</h2>
      <p class="hint">{tx`${right} of these ${ALL.length} sentences it judges as a person would. Press one and look for the reason.`}</p>
      {TRAPS.map(({ name, traps }) => (
        <section key={name} aria-label={t(name)}>
          <h3>{t(name)}</h3>
          <ul class="chips">
            {traps.map((trap) => {
              const found = outcome(trap);
              return (
                <li key={trap.text}>
                  <button
                    type="button"
                    class={`chip trap${found ? (found.isRight ? " is-right" : " is-fooled") : ""}`}
                    aria-pressed={shown.value === trap.text}
                    onClick={() => state.write(trap.text)}
                  >
                    <span lang="en">{trap.text}</span>
                    {found && !found.isRight && (
                      <small>{tx` says ${labelName(found.said)}, should be ${labelName(trap.expected)}`}</small>
                    )}
                    {found?.isRight && <span class="visually-hidden">{tx`, right: ${labelName(found.said)}`}</span>}
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </section>
  );
}
