// Names that are like each other, for messages.

/** The name that is most like `name`, if one is: at most two letters are other ones, or it begins so. */
export function near(name: string, names: readonly string[]): string | undefined {
  const likeness = names.map((other) => ({ other, distance: other.startsWith(name) ? 0 : distance(name, other) }));
  return likeness.filter(({ distance }) => distance <= 2).sort((a, b) => a.distance - b.distance)[0]?.other;
}

/** How many letters have to be put in, left out or changed to make `b` of `a`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
