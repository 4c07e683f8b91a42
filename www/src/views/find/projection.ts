// Projects vectors on a plane: their two principal components.

/** Where the plane lies. */
export interface Plane {
  mean: Float64Array;
  axes: [Float64Array, Float64Array];
}

/** Rounds of the power method. More rounds move no point visibly. */
const ROUNDS = 40;

/** The plane in which vectors differ most, by the power method; the second axis is orthogonal to the first. Yields often. */
export function* planeOf(vectors: readonly ArrayLike<number>[]): Generator<void, Plane> {
  const [n, d] = [vectors.length, vectors[0]!.length];
  const mean = new Float64Array(d);
  for (const vector of vectors) for (let i = 0; i < d; i++) mean[i]! += vector[i]! / n;
  const axes: Float64Array[] = [];
  for (let place = 0; place < 2; place++) {
    let axis = Float64Array.from({ length: d }, (_, i) => Math.sin(1 + i * (place + 1)));
    for (let round = 0; round < ROUNDS; round++) {
      const next = new Float64Array(d);
      for (const vector of vectors) {
        let along = 0;
        for (let i = 0; i < d; i++) along += (vector[i]! - mean[i]!) * axis[i]!;
        for (let i = 0; i < d; i++) next[i]! += along * (vector[i]! - mean[i]!);
      }
      for (const other of axes) {
        const along = dot(next, other);
        for (let i = 0; i < d; i++) next[i]! -= along * other[i]!;
      }
      const length = Math.sqrt(dot(next, next));
      if (length < 1e-12) break; // the vectors span fewer dimensions
      axis = next.map((value) => value / length);
      yield;
    }
    axes.push(axis);
  }
  return { mean, axes: [axes[0]!, axes[1]!] };
}

/** The place of a vector on the plane. */
export function project({ mean, axes }: Plane, vector: ArrayLike<number>): [number, number] {
  const along = (axis: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < mean.length; i++) sum += (vector[i]! - mean[i]!) * axis[i]!;
    return sum;
  };
  return [along(axes[0]), along(axes[1])];
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};
