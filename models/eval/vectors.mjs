// Compares the cosines of sentence vectors with another model's.

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

/** The cosines of each vector with all earlier vectors: row n has n numbers. */
export const cosines = (vectors) => vectors.map((a, n) => vectors.slice(0, n).map((b) => cosine(a, b)));

/** The rank of each number. */
function ranks(values) {
  const ranked = new Float64Array(values.length);
  for (const [rank, n] of Array.from(values.keys()).sort((a, b) => values[a] - values[b]).entries()) ranked[n] = rank;
  return ranked;
}

/** The rank correlation of two lists. */
function spearman(a, b) {
  const centred = [ranks(a), ranks(b)].map((row) => row.map((rank) => rank - (row.length - 1) / 2));
  return cosine(...centred);
}

/** The nearest other vector of each vector. */
const nearest = (rows) =>
  rows.map((_, n) => {
    const to = rows.map((_, other) => (other === n ? -Infinity : other < n ? rows[n][other] : rows[other][n]));
    return to.indexOf(Math.max(...to));
  });

/** Compares two models' `cosines` of the same texts: Spearman's correlation of all pairs, and the share of texts with the same nearest text. */
export function agreement(own, others) {
  const theirs = nearest(others);
  const same = nearest(own).filter((other, n) => other === theirs[n]).length / own.length;
  return { correlation: spearman(own.flat(), others.flat()), same };
}
