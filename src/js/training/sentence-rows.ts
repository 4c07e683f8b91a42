// Rows of text-classification for a head over sentence vectors, and their quality.
import { WebertError } from "../errors.js";
import { kindOf, shown } from "../values.js";
import type { Metrics } from "./training.js";

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

/** Right, predicted and occurring answers of one label. */
interface Counts {
  right: number;
  found: number;
  support: number;
}

const f1 = ({ right, found, support }: Counts) => (right ? (2 * right) / (found + support) : 0);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);

/**
 * Returns the metrics of answers, as `evaluate` of other trainers.
 * @param scores scores of each text's labels; with several labels, those above 0 are the answer
 */
export function metricsOf(scores: readonly Float32Array[], rows: LabelledTexts): Metrics {
  const labels = rows.targets.length / rows.texts.length;
  const loss = mean(scores.map((values, n) => lossOf(values, rows.targets.subarray(n * labels), rows.isMultiLabel)));
  const counts = Array.from({ length: labels }, (): Counts => ({ right: 0, found: 0, support: 0 }));
  let exact = 0;
  for (const [n, values] of scores.entries()) {
    const target = rows.targets.subarray(n * labels, (n + 1) * labels);
    const answers = answersOf(values, rows.isMultiLabel);
    const truths = rows.isMultiLabel ? [...target.keys()].filter((label) => target[label]! > 0.5) : [best(target)];
    for (const label of answers) counts[label]!.found++;
    for (const label of truths) counts[label]!.support++;
    for (const label of truths) if (answers.includes(label)) counts[label]!.right++;
    if (answers.length === truths.length && truths.every((label) => answers.includes(label))) exact++;
  }
  const accuracy = exact / scores.length;
  if (!rows.isMultiLabel)
    return { loss, accuracy, f1: mean(counts.filter(({ found, support }) => found + support > 0).map(f1)) };
  const sum = (field: keyof Counts) => counts.reduce((sum, count) => sum + count[field], 0);
  const all = { right: sum("right"), found: sum("found"), support: sum("support") };
  return { loss, accuracy, f1_micro: f1(all), f1_macro: mean(counts.map(f1)) };
}

const best = (values: Float32Array | Float64Array) => values.indexOf(Math.max(...values));
const answersOf = (values: Float32Array, isMultiLabel: boolean) =>
  isMultiLabel ? [...values.keys()].filter((label) => values[label]! > 0) : [best(values)];

/** Returns the cross-entropy of a row; with several labels the mean of the labels' binary ones. */
function lossOf(scores: Float32Array, target: Float64Array, isMultiLabel: boolean): number {
  const values = [...scores];
  if (isMultiLabel)
    return mean(values.map((x, n) => Math.max(x, 0) - x * target[n]! + Math.log1p(Math.exp(-Math.abs(x)))));
  const most = Math.max(...values);
  const logTotal = most + Math.log(values.reduce((sum, x) => sum + Math.exp(x - most), 0));
  return values.reduce((sum, x, n) => sum + target[n]! * (logTotal - x), 0);
}
