// What is added to the logits of a model's labels before it decides: with less for "O", less personal data stays.
import type { Pipeline } from "../api/pipeline.js";
import type { LabelBias } from "./types.js";

/** Field of config.json with the numbers for English text, `en`, and for other text, `other`. */
const FIELD = "redact_label_bias";

/** Returns the option of the model's calls in English or other text: what the call gives, otherwise what config.json says. */
export function biasFor(
  pipe: Pipeline<"token-classification">,
  given: LabelBias | undefined,
): (isEnglish: boolean) => { label_bias?: LabelBias } {
  const { en, other } = (pipe.model.config[FIELD] ?? {}) as { en?: LabelBias; other?: LabelBias };
  return (isEnglish) => {
    const label_bias = given ?? (isEnglish ? en : other);
    return label_bias ? { label_bias } : {};
  };
}
