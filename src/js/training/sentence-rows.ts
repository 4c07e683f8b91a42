// Converts rows of text-classification for the training of a head over sentence vectors.
import { WebertError } from "../errors.js";
import { kindOf, shown } from "../values.js";

/** Rows with the share of each label. */
export interface LabelledTexts {
  texts: string[];
  /** [rows, labels]: the share of each label, 0 to 1. */
  targets: Float64Array;
  /** Whether a row may have several labels or none. */
  isMultiLabel: boolean;
}

/**
 * Returns the texts and the labels of rows.
 * @throws WebertError `bad_input` that names the row
 */
export function labelledTexts(name: string, rows: unknown, labels: readonly string[]): LabelledTexts {
  if (!Array.isArray(rows)) throw new WebertError("bad_input", `${name}: expected an array, got ${kindOf(rows)}`);
  if (!rows.length) throw new WebertError("bad_input", `${name}: expected at least one row, got none`);
  const isMultiLabel = rows.some((row) => Array.isArray((row as { label?: unknown } | null)?.label));
  const targets = new Float64Array(rows.length * labels.length);
  const texts = Array.from(rows as unknown[], (row, n) => {
    const bad = (what: string) => new WebertError("bad_input", `${name}: row ${n + 1}: ${what}`);
    if (typeof row !== "object" || row === null) throw bad(`expected { text, label }, got ${kindOf(row)}`);
    const { text, text_pair, label } = row as Record<string, unknown>;
    if (typeof text !== "string") throw bad(`text: expected a string, got ${kindOf(text)}`);
    if (text_pair != null) throw bad("text_pair: expected one text, because a sentence vector has one text");
    targets.set(sharesOf(label, labels, bad), n * labels.length);
    return text;
  });
  return { texts, targets, isMultiLabel };
}

type Bad = (what: string) => WebertError;

function sharesOf(label: unknown, labels: readonly string[], bad: Bad): Float64Array {
  const shares = new Float64Array(labels.length);
  const isNumbers = Array.isArray(label) && label.length > 0 && label.every((share) => typeof share === "number");
  if (!isNumbers) {
    for (const one of [label].flat()) shares[indexOf(one, labels, bad)] = 1;
    return shares;
  }
  if (label.length !== labels.length) throw bad(`label: expected ${labels.length} numbers, got ${label.length}`);
  const wrong = label.find((share: number) => !(share >= 0 && share <= 1));
  if (wrong !== undefined) throw bad(`label: expected 0 to 1 for each label, got ${shown(wrong)}`);
  shares.set(label as number[]);
  return shares;
}

function indexOf(label: unknown, labels: readonly string[], bad: Bad): number {
  const index = typeof label === "number" ? label : labels.indexOf(String(label));
  if (typeof label !== "number" && typeof label !== "string")
    throw bad(`label: expected a name or an index, got ${kindOf(label)}`);
  if (Number.isInteger(index) && index >= 0 && index < labels.length) return index;
  throw bad(`label: expected one of ${labels.join(", ")}, got ${JSON.stringify(label)}`);
}
