// Reasons by integrated gradients: how much each word adds to the score of the verdict's label.
import { env, type Pipeline, pipeline } from "webert";
import type { Device } from "../../model.ts";
import type { Range } from "../../text/stretches.ts";

type Explainer = Pipeline<"text-classification">;

/** A text-classification pipeline of its own. It holds a second, exact model while it explains; `dispose` frees both. */
export async function openExplainer(kind: "feeling" | "topic", device: Device): Promise<Explainer> {
  const source =
    kind === "feeling"
      ? env.defaultModels["text-classification"]!
      : (await import("webert/models/minilm-topic")).default;
  return pipeline("text-classification", source, { device });
}

/** The share of each word in the score of the best label, from -1 to 1: attributions relative to the greatest one. */
export async function exactReasons(
  explainer: Explainer,
  text: string,
  words: readonly Range[],
  signal: AbortSignal,
): Promise<number[]> {
  const { tokens } = await explainer.explain(text, { signal });
  const sums = words.map((word) =>
    tokens
      .filter(({ sequence_id, start, end }) => sequence_id !== null && start < word.end && end > word.start)
      .reduce((sum, { attribution }) => sum + attribution, 0),
  );
  const most = Math.max(1e-9, ...sums.map(Math.abs));
  return sums.map((sum) => sum / most);
}
