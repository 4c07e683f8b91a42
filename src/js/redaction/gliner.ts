// GLiNER models as the model of `redact`: `labels` are then the kinds of data to find.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import type { RedactOptions } from "./types.js";

export type TokenClassifier = Pipeline<"token-classification">;
type GlinerPipeline = Pipeline<"zero-shot-token-classification">;

const TASK = "zero-shot-token-classification";

/** Least probability of an entity if a call has no `threshold`: the default of the task. */
const THRESHOLD = 0.5;

const adapted = new WeakSet<object>();

/** Returns whether a load for token-classification failed because the source is a GLiNER model. */
export const isOfGliner = (error: unknown): boolean => {
  const { code, message } = WebertError.from(error);
  return code === "unsupported" && message.includes(TASK);
};

/** Returns whether `redact` takes a loaded pipeline. */
export const isReader = ({ task }: { task: unknown }): boolean => task === "token-classification" || task === TASK;

/**
 * Returns a pipeline that is called like one for token-classification. A GLiNER model finds the option `labels`.
 * @throws `bad_input` for a GLiNER model without labels
 */
export function readerOf(
  pipe: TokenClassifier | GlinerPipeline,
  { labels, threshold, label_bias }: RedactOptions,
): TokenClassifier {
  if (pipe.task !== TASK) return pipe as TokenClassifier;
  if (!Array.isArray(labels) || !labels.length)
    throw new WebertError(
      "bad_input",
      'labels: expected the kinds of data to find, e.g. ["person"], which a GLiNER model takes from the call; got none',
    );
  if (label_bias)
    throw new WebertError("bad_input", "label_bias: expected none for a GLiNER model, which has no fixed labels");
  const byLabel: Readonly<Record<string, number>> = typeof threshold === "object" ? (threshold ?? {}) : {};
  const of = (label: string) => (typeof threshold === "number" ? threshold : (byLabel[label] ?? THRESHOLD));
  const least = Math.min(...labels.map(of));
  const find = async (text: string, { signal }: { signal?: AbortSignal } = {}) => {
    const found = await (pipe as GlinerPipeline)(text, labels, { threshold: least, ...(signal && { signal }) });
    return found.filter(({ entity_group, score }) => score >= of(entity_group));
  };
  const id2label = Object.fromEntries(labels.map((label, n) => [n, label]));
  const reader = Object.assign(find, { task: "token-classification", model: { config: { id2label } } });
  adapted.add(reader);
  return reader as unknown as TokenClassifier;
}

/**
 * Returns the plan of a call for its reader. The labels of a GLiNER model are its kinds of data; they do not restrict
 * the rules.
 */
export function planFor<P extends { labels: readonly string[] | undefined }>(
  reader: TokenClassifier | undefined,
  plan: P,
): P {
  return reader && adapted.has(reader) ? { ...plan, labels: undefined } : plan;
}
