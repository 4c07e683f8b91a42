import { milliseconds } from "../format.ts";

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
  const read = Number.isFinite(limit) ? `the first ${limit} tokens were` : "the beginning was";
  return (
    <p class="took">
      {recorded
        ? "A recorded answer: the model is still loading."
        : ms === undefined
          ? "…"
          : `Answered in ${milliseconds(ms)}.${truncated ? ` Only ${read} read.` : ""}`}
    </p>
  );
}
