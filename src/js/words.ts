// Suggests similar names, for messages.

/** Returns the name most similar to `name`, if one differs in at most two letters or begins with it. */
export function near(name: string, names: readonly string[]): string | undefined {
  const likeness = names.map((other) => ({ other, distance: other.startsWith(name) ? 0 : distance(name, other) }));
  return likeness.filter(({ distance }) => distance <= 2).sort((a, b) => a.distance - b.distance)[0]?.other;
}

/** Returns the Levenshtein distance: how many letters to insert, delete or change to turn `a` into `b`. */
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
