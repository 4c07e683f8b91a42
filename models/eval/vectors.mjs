// How sentence vectors lie to each other, beside those of another model.

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

/** The cosines of each vector to those before it: row n has n numbers. */
export const cosines = (vectors) => vectors.map((a, n) => vectors.slice(0, n).map((b) => cosine(a, b)));

/** The places of numbers in their order. */
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

/** The nearest other vector of each. */
const nearest = (rows) =>
  rows.map((_, n) => {
    const to = rows.map((_, other) => (other === n ? -Infinity : other < n ? rows[n][other] : rows[other][n]));
    return to.indexOf(Math.max(...to));
  });

/** Of two models' `cosines` of the same texts: Spearman's correlation of all pairs, and the share of texts whose nearest other text is the same. */
export function agreement(own, others) {
  const theirs = nearest(others);
  const same = nearest(own).filter((other, n) => other === theirs[n]).length / own.length;
  return { correlation: spearman(own.flat(), others.flat()), same };
}
