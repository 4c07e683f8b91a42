/** What the page says about how it is done. The figures are those of benches/labels.mjs. */
export const HOW =
  "The model was never taught your labels. It is asked what fits the gap in “… This is about [MASK].” and three sentences like it, "
  + "and each label counts by how much likelier the text makes it there. On forty short examples of ours that found the right label "
  + "31 times, comparing embeddings 39 times. A label of several words counts by its first piece.";

const CLOZES = [" This is about [MASK].", " It was [MASK].", " The subject is [MASK].", " It is a matter of [MASK]."];

/**
 * Weighs labels for a text with a masked language model: the probability of each in a cloze after
 * the text, over its probability in the cloze alone (else frequent words would always win); the
 * geometric mean over the clozes.
 * @param {{unmask: Function, tokenizer: Function}} model a fill-mask pipeline and its tokenizer
 * @param {string} text
 * @param {string[]} labels
 * @returns {Promise<{label: string, score: number}[]>} scores add up to 1, the highest first
 */
export async function classify({ unmask, tokenizer }, text, labels, { signal } = {}) {
  // The beginning of a text is enough to sort it, and leaves room for the cloze.
  const given = text.replaceAll("[MASK]", " ").trim().slice(0, 1500);
  const ids = labels.map((label) => tokenizer.encode(label, { add_special_tokens: false })[0]);
  const texts = CLOZES.flatMap((cloze) => [cloze.trim(), given + cloze]);
  const answers = await unmask(texts, { targets: labels, top_k: labels.length, signal });
  /** The logarithm of a label's probability in the n-th text. */
  const log = (n, id) => Math.log(Math.max(answers[n].find(({ token }) => token === id)?.score ?? 0, 1e-12));
  const evidence = ids.map((id) => {
    const gains = CLOZES.map((_, i) => log(2 * i + 1, id) - log(2 * i, id));
    return gains.reduce((sum, gain) => sum + gain, 0) / CLOZES.length;
  });
  const best = Math.max(...evidence);
  const weights = evidence.map((gain) => Math.exp(gain - best));
  const sum = weights.reduce((a, b) => a + b, 0);
  return labels.map((label, i) => ({ label, score: weights[i] / sum })).sort((a, b) => b.score - a.score);
}
