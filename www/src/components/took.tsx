import { milliseconds } from "../format.ts";
import { t } from "../language.ts";

/** The time that an answer took. If the text was cut, it also states that only the first `limit` tokens were read. Recorded answers are marked. */
export function Took({
  ms,
  truncated = false,
  limit = Infinity,
  recorded = false,
}: {
  ms?: number | undefined;
  truncated?: boolean;
  limit?: number;
  recorded?: boolean;
}) {
  const read = Number.isFinite(limit) ? t`the first ${limit} tokens were` : t`the beginning was`;
  return (
    <p class="took">
      {recorded
        ? t`A recorded answer: the model is still loading.`
        : ms === undefined
          ? "…"
          : t`Answered in ${milliseconds(ms)}.${truncated ? t` Only ${read} read.` : ""}`}
    </p>
  );
}
