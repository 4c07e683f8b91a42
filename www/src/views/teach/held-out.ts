// The head's accuracy on texts that it was not taught. Each example is judged by a head that was trained without it.
import { argmax, fit, type Gram, predictWithin } from "./classifier.ts";

/** Up to this number of examples, each is held out separately. */
const ONE_BY_ONE = 60;
/** With more examples, they are held out in this number of parts, as in cross-validation. */
const PARTS = 10;

/** The results of holding out the examples. */
export interface HeldOut {
  /** The predicted label of each example, in their order. */
  given: number[];
  right: number;
  total: number;
  /** How often the row's label was predicted as the column's label. */
  table: number[][];
  /** Number of held-out parts; equal to the examples if each was held out separately. */
  parts: number;
}

/**
 * Judges each example by a head that has not seen it; yields often.
 * @param labels the label of each example of the table, from 0 to `count` - 1
 */
export function* heldOut(gram: Gram, labels: readonly number[], count: number): Generator<void, HeldOut> {
  const { n } = gram;
  const parts = n <= ONE_BY_ONE ? n : PARTS;
  const given = new Array<number>(n).fill(0);
  const part = partsOf(labels, parts);
  for (let held = 0; held < parts; held++) {
    const kept = [...labels.keys()].filter((i) => part[i] !== held);
    if (!kept.length) continue;
    const head = yield* fit(gram, labels, count, kept);
    for (let i = 0; i < n; i++) if (part[i] === held) given[i] = argmax(predictWithin(gram, head, i));
  }
  const table = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  labels.forEach((label, i) => table[label]![given[i]!]!++);
  const right = labels.filter((label, i) => given[i] === label).length;
  return { given, right, total: n, table, parts };
}

/** The part of each example. The examples of each label are dealt out in turn, so that every part has its share of them. */
function partsOf(labels: readonly number[], parts: number): number[] {
  const order = [...labels.keys()].sort((a, b) => labels[a]! - labels[b]! || a - b);
  const part = new Array<number>(labels.length);
  order.forEach((example, place) => {
    part[example] = place % parts;
  });
  return part;
}
