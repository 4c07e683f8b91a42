// Logistic regression with an L2 penalty, as scikit-learn's LogisticRegression with its solver lbfgs.

/** Rows of numbers with the share of each label. */
export interface LogisticRows {
  /** [rows, width] */
  features: Float32Array;
  width: number;
  /** [rows, labels]: the share of each label, 0 to 1. */
  targets: Float64Array;
  labels: number;
  /** Weight of each row in the sum of losses. By default each counts 1. */
  weights?: Float64Array;
  /** Whether each label has a probability of its own. Otherwise the probabilities of a row have the sum 1. */
  isMultiLabel: boolean;
}

/** A linear layer from features to the scores of labels, and how it was found. */
export interface LogisticFit {
  /** [labels, width] */
  weight: Float32Array;
  /** [labels] */
  bias: Float32Array;
  iterations: number;
  /** Mean loss of the rows, without the penalty. */
  loss: number;
}

/** Pairs of steps and changes of the gradient that approximate the curvature. */
const MEMORY = 10;
const MOST_ITERATIONS = 500;
/** Largest component of the gradient at which a fit ends. scikit-learn ends at 1e-4. */
const TOLERANCE = 1e-6;
/** Share of the decrease that the slope promises which a step must reach (Armijo). */
const SUFFICIENT = 1e-4;
const MOST_HALVINGS = 40;

/**
 * Minimizes C times the sum of the rows' losses plus half the sum of squares of the weights. Biases have no penalty.
 * With two labels the penalty counts one weight vector for both, as in scikit-learn.
 * @param C inverse of the penalty's strength, above 0
 * @param tick awaited after each iteration. An error from it ends the fit
 * @example
 * ```ts
 * const features = Float32Array.of(-1, 1);
 * const targets = Float64Array.of(1, 0, 0, 1);
 * const { weight } = await logisticRegression({ features, width: 1, targets, labels: 2, isMultiLabel: false }, 1);
 * ```
 */
export async function logisticRegression(
  rows: LogisticRows,
  C: number,
  tick: () => Promise<void> = async () => {},
): Promise<LogisticFit> {
  const { labels, width } = rows;
  const penalty = (!rows.isMultiLabel && labels === 2 ? 2 : 1) / C;
  const objective = objectiveOf(rows, penalty);
  let at = new Float64Array(labels * (width + 1));
  let { value, gradient } = objective(at);
  const memory: Curvature[] = [];
  let iterations = 0;
  while (iterations < MOST_ITERATIONS && greatest(gradient) > TOLERANCE) {
    const direction = descent(gradient, memory);
    const next = lineSearch(objective, at, value, gradient, direction, iterations ? 1 : 1 / greatest(gradient));
    if (!next) break; // the value does not get smaller in double precision
    remember(memory, at, gradient, next);
    ({ at, value, gradient } = next);
    iterations++;
    await tick();
  }
  const count = rows.features.length / width;
  return { ...split(at, labels, width), iterations, loss: lossOf(rows, at).loss / Math.max(count, 1) };
}

/** A point with the objective's value and gradient there. */
interface Point {
  at: Float64Array<ArrayBuffer>;
  value: number;
  gradient: Float64Array;
}

type Objective = (at: Float64Array<ArrayBuffer>) => Point;

function objectiveOf(rows: LogisticRows, penalty: number): Objective {
  const { labels, width } = rows;
  return (at) => {
    const { loss, gradient } = lossOf(rows, at);
    let value = loss;
    for (let label = 0; label < labels; label++)
      for (let col = 0; col < width; col++) {
        const n = label * (width + 1) + col;
        value += (penalty / 2) * at[n]! ** 2;
        gradient[n]! += penalty * at[n]!;
      }
    return { at, value, gradient };
  };
}

/** Returns the sum of the rows' losses and its gradient. `at` is [labels, width + 1]; the last column is the bias. */
function lossOf(rows: LogisticRows, at: Float64Array): { loss: number; gradient: Float64Array } {
  const { features, width, labels, weights } = rows;
  const gradient = new Float64Array(at.length);
  const scores = new Float64Array(labels);
  const count = features.length / width;
  let loss = 0;
  for (let row = 0; row < count; row++) {
    const x = features.subarray(row * width, (row + 1) * width);
    for (let label = 0; label < labels; label++) scores[label] = scoreOf(at, label, x);
    const weight = weights?.[row] ?? 1;
    const target = rows.targets.subarray(row * labels, (row + 1) * labels);
    loss += weight * (rows.isMultiLabel ? binary(scores, target) : categorical(scores, target));
    // The scores hold the gradient now.
    for (let label = 0; label < labels; label++) {
      const slope = weight * scores[label]!;
      const from = label * (width + 1);
      for (let col = 0; col < width; col++) gradient[from + col]! += slope * x[col]!;
      gradient[from + width]! += slope;
    }
  }
  return { loss, gradient };
}

function scoreOf(at: Float64Array, label: number, x: Float32Array): number {
  const from = label * (x.length + 1);
  let score = at[from + x.length]!;
  for (let col = 0; col < x.length; col++) score += at[from + col]! * x[col]!;
  return score;
}

/** Returns the cross-entropy of one row, and replaces the scores by its gradient. */
function categorical(scores: Float64Array, target: Float64Array): number {
  const most = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
  const logTotal = most + Math.log(total);
  let loss = 0;
  for (const [label, score] of scores.entries()) {
    loss += target[label]! * (logTotal - score);
    scores[label] = Math.exp(score - logTotal) - target[label]!;
  }
  return loss;
}

/** Returns the sum of the labels' binary cross-entropies, and replaces the scores by its gradient. */
function binary(scores: Float64Array, target: Float64Array): number {
  let loss = 0;
  for (const [label, score] of scores.entries()) {
    loss += Math.max(score, 0) - score * target[label]! + Math.log1p(Math.exp(-Math.abs(score)));
    scores[label] = 1 / (1 + Math.exp(-score)) - target[label]!;
  }
  return loss;
}

/** A step and the change of the gradient along it. */
interface Curvature {
  step: Float64Array;
  change: Float64Array;
  product: number;
}

/** Returns the direction of L-BFGS: minus the gradient times the approximate inverse of the Hessian. */
function descent(gradient: Float64Array, memory: readonly Curvature[]): Float64Array {
  const direction = gradient.map((slope) => -slope);
  const shares: number[] = [];
  for (const { step, change, product } of [...memory].reverse()) {
    const share = dot(step, direction) / product;
    shares.push(share);
    add(direction, change, -share);
  }
  const latest = memory.at(-1);
  if (latest) scale(direction, latest.product / dot(latest.change, latest.change));
  for (const { step, change, product } of memory)
    add(direction, step, shares.pop()! - dot(change, direction) / product);
  return direction;
}

/** Returns the first point along the direction that decreases the value enough. Each try is half as far. */
function lineSearch(
  objective: Objective,
  at: Float64Array,
  value: number,
  gradient: Float64Array,
  direction: Float64Array,
  first: number,
): Point | undefined {
  const slope = dot(gradient, direction);
  let length = first;
  for (let halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
    const next = Float64Array.from(at, (x, n) => x + length * direction[n]!);
    const point = objective(next);
    if (point.value < value && point.value <= value + SUFFICIENT * length * slope) return point;
  }
  return undefined;
}

function remember(memory: Curvature[], at: Float64Array, gradient: Float64Array, next: Point): void {
  const step = next.at.map((x, n) => x - at[n]!);
  const change = next.gradient.map((slope, n) => slope - gradient[n]!);
  const product = dot(step, change);
  if (product <= 0) return; // rounding: the objective is convex
  memory.push({ step, change, product });
  if (memory.length > MEMORY) memory.shift();
}

function split(at: Float64Array, labels: number, width: number): Pick<LogisticFit, "weight" | "bias"> {
  const weight = new Float32Array(labels * width);
  const bias = new Float32Array(labels);
  for (let label = 0; label < labels; label++) {
    const from = label * (width + 1);
    weight.set(at.subarray(from, from + width), label * width);
    bias[label] = at[from + width]!;
  }
  return { weight, bias };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}

function add(to: Float64Array, from: Float64Array, times: number): void {
  for (let n = 0; n < to.length; n++) to[n]! += times * from[n]!;
}

function scale(values: Float64Array, by: number): void {
  for (let n = 0; n < values.length; n++) values[n]! *= by;
}

/** Returns the largest magnitude. */
const greatest = (values: Float64Array): number => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
