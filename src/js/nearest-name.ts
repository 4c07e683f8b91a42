// Suggests similar names, for messages.
import { WebertError } from "./errors.js";

/** Returns a name without differences of style: "topK" and "top_k" become the same. */
const folded = (name: string) => name.toLowerCase().replace(/[_-]/g, "");

/** Returns the name that is most like `name`: it begins with it, or at most two letters, or a third of them, differ. */
export function near(name: string, names: readonly string[]): string | undefined {
  const given = folded(name);
  const most = Math.max(2, given.length / 3);
  const likeness = names.map((other) => {
    const known = folded(other);
    return { other, distance: known.startsWith(given) ? 0 : distance(given, known) };
  });
  return likeness.filter(({ distance }) => distance <= most).sort((a, b) => a.distance - b.distance)[0]?.other;
}

/** Returns how many letters must be inserted, removed or changed to make `b` of `a`. */
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

/**
 * Throws `bad_input` for the first option of a call that is not among `names`. Options that are undefined are ignored.
 * @param what the call, for the message
 */
export function refuseUnknown(what: string, options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (names.includes(name) || (options as Record<string, unknown>)[name] === undefined) continue;
    const meant = near(name, names);
    const known = names.length ? `expected one of ${names.join(", ")}` : "expected no options";
    const hint = meant ? `did you mean \`${meant}\`?` : known;
    throw new WebertError("bad_input", `${what}: unknown option \`${name}\`: ${hint}`);
  }
}
