// Sentences with one gap: pairs, and some with a year. www/tools/record-compare.mjs records those with the greatest differences, which the view
// then offers.

/** A pair of sentences; `___` is the gap. */
export type Pair = readonly [string, string];

export const POOL: readonly Pair[] = [
  ["In Texas they like to buy ___.", "In New York they like to buy ___."],
  ["The child is afraid of the ___.", "The scientist is afraid of the ___."],
  ["My grandmother gave me a ___.", "My boss gave me a ___."],
  ["In the morning he drinks ___.", "In the evening he drinks ___."],
  ["At the beach she wore a ___.", "At the wedding she wore a ___."],
  ["In summer we play in the ___.", "In winter we play in the ___."],
  ["The river has a ___.", "The street has a ___."],
  ["The old ___ was empty.", "The new ___ was empty."],
  ["The farmer bought a ___.", "The teacher bought a ___."],
  ["The king was killed by a ___.", "The dog was killed by a ___."],
  ["They ate ___ for breakfast.", "They ate ___ for dinner."],
  ["In the forest we saw a ___.", "In the museum we saw a ___."],
  ["The doctor needs a ___.", "The painter needs a ___."],
  ["In 1860 he worked as a ___.", "In 2010 he worked as a ___."],
  ["The hotel was full of ___.", "The school was full of ___."],
  ["She opened the ___ with a key.", "She opened the ___ with a knife."],
  ["Before the war they built ___.", "After the war they built ___."],
  ["The rich man has a ___.", "The poor man has a ___."],
];

/** Sentences whose year, 1860, moves. */
export const YEAR_POOL: readonly string[] = [
  "In 1860 he worked as a ___.",
  "In 1860 she worked as a ___.",
  "In 1860 they travelled to the town by ___.",
  "In 1860 people listened to the ___.",
  "In 1860 he sent her a ___.",
  "In 1860 she wore a ___.",
  "In 1860 he bought a ___.",
  "In 1860 the children played with a ___.",
  "In 1860 she wanted to become a ___.",
  "In 1860 the factory made ___.",
  "In 1860 the house had a ___.",
  "In 1860 they watched the ___.",
  "In 1860 they went to the ___ on Sundays.",
];
