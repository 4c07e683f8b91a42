/** What the page says about how it is done. */
export const HOW =
  "The model was never taught your labels. It is asked what fits the gap in “… This is about [MASK].”, "
  + "and each label counts by how much likelier the text makes it. A label of several words counts by its first piece.";

const CLOZE = " This is about [MASK].";

/**
 * Weighs labels for a text with a masked language model: the probability of each in the cloze after
 * the text, over its probability in the cloze alone (else frequent words would always win).
 * @param {{unmask: Function, tokenizer: Function}} model a fill-mask pipeline and its tokenizer
 * @param {string} text
 * @param {string[]} labels
 * @returns {Promise<{label: string, score: number}[]>} scores add up to 1, the highest first
 */
export async function classify({ unmask, tokenizer }, text, labels, { signal } = {}) {
  // A piece of the text's end is enough to sort it, and leaves room for the cloze.
  const given = text.replaceAll("[MASK]", " ").trim().slice(0, 1500);
  const options = { targets: labels, top_k: labels.length, signal };
  const [prior, posterior] = await unmask([CLOZE.trim(), given + CLOZE], options);
  const of = (answers) => new Map(answers.map(({ token, score }) => [token, score]));
  const [before, after] = [of(prior), of(posterior)];
  const weights = labels.map((label) => {
    const [id] = tokenizer.encode(label, { add_special_tokens: false });
    return (after.get(id) ?? 0) / (before.get(id) ?? 1);
  });
  const sum = weights.reduce((a, b) => a + b, 0) || 1;
  return labels.map((label, i) => ({ label, score: weights[i] / sum })).sort((a, b) => b.score - a.score);
}
