import type { App } from "../app.ts";
import { timeLeft } from "../format.ts";
import { t, tx } from "../language.ts";

/** Shown instead of answers while the model loads: the time left, and a hint at the examples. */
export function Waiting({ app }: { app: App }) {
  const status = app.status.value;
  if (app.model.value || status.kind !== "loading") return <div class="answers" />;
  return (
    <div class="answers">
      <p class="hint">{tx`The model is loading${status.seconds === undefined ? "" : t`: ${timeLeft(status.seconds)} left`}. The examples below answer at once, with recorded answers.`}</p>
    </div>
  );
}
