// Rows of the data files of the proofs, and masked batches on which both webert and PyTorch train.

import { readFileSync } from "node:fs";

/** Returns the lines of a file in data/, split at tabs. */
export const lines = (name) =>
  readFileSync(new URL(`data/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t"));

/** Returns a generator of uniform numbers, 0 ≤ x < 1, from a seed: mulberry32. */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a copy in random order. */
export function shuffled(items, draw) {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const at = Math.floor(draw() * (last + 1));
    [order[last], order[at]] = [order[at], order[last]];
  }
  return order;
}

/** Returns what replaces a chosen token (Devlin et al. 2019): in 80 % the mask, in 10 % a random token, in 10 % itself. */
function seen(id, tokenizer, vocabSize, draw) {
  const kind = draw();
  if (kind < 0.8) return tokenizer.mask_token_id;
  return kind < 0.9 ? Math.floor(draw() * vocabSize) : id;
}

/**
 * Makes batches for a masked LM: `{inputs, labels}` under Hugging Face's names, padded arrays [texts, tokens]. In each
 * text, 15 % of the tokens are chosen, but at least one. The labels are their ids, and -100 elsewhere.
 */
export function maskedBatches(texts, { tokenizer, vocabSize, size, maxLength, draw }) {
  const batches = [];
  for (let first = 0; first < texts.length; first += size) {
    const encoded = texts
      .slice(first, first + size)
      .map((text) => tokenizer(text, { truncation: true, max_length: maxLength, return_tensor: false }).input_ids);
    const width = Math.max(...encoded.map((ids) => ids.length));
    const batch = { inputs: { input_ids: [], attention_mask: [], token_type_ids: [] }, labels: { labels: [] } };
    for (const ids of encoded) {
      const places = shuffled([...ids.keys()].slice(1, -1), draw);
      const chosen = new Set(places.slice(0, Math.max(1, Math.round(0.15 * places.length))));
      const padded = (value, of) =>
        Array.from({ length: width }, (_, at) => (at < ids.length ? of(ids[at], at) : value));
      batch.inputs.input_ids.push(
        padded(tokenizer.pad_token_id, (id, at) => (chosen.has(at) ? seen(id, tokenizer, vocabSize, draw) : id)),
      );
      batch.inputs.attention_mask.push(padded(0, () => 1));
      batch.inputs.token_type_ids.push(padded(0, () => 0));
      batch.labels.labels.push(padded(-100, (id, at) => (chosen.has(at) ? id : -100)));
    }
    batches.push(batch);
  }
  return batches;
}

/** Returns the number of tokens of a batch that have a label. */
export const maskedCount = ({ labels }) => labels.labels.flat().filter((label) => label >= 0).length;

export const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
