// `node www/tools/heads.mjs`, after a build: finds the attention heads of the package's model that have a nameable function. Writes
// www/src/views/look/heads.json, which the page's view Look opens with.
//
// Every relation of www/src/views/look/relations.ts finds its pairs in sentences by a rule. A head is right about a pair if the word with most
// attention of `from`, without itself and special tokens, is one of `to` (Clark et al. 2019, "What Does BERT Look At?", section 5).
// One half of the sentences chooses the head, the other half is used for the figures. They stand beside the best fixed distance ("always two
// words ahead"), which a head can reach without knowledge of the relation.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../dist/node.js";
import { main, root } from "../../scripts/lib/run.mjs";
import { importTypeScript } from "../../scripts/lib/typescript.mjs";

/** The number of sentences that are searched for a relation, for the choice and the figures together. */
const MOST = 800;
/** Words of a sentence; longer ones are left out. */
const LONGEST = 24;
const BATCH = 16;
const MODEL = "models/minilm-mlm";
const TO = "www/src/views/look/heads.json";

const lines = (path) =>
  readFileSync(join(root, path), "utf8")
    .split("\n")
    .filter((line) => line.trim());

/** Sentences that the model never saw (models/eval), then sentences that it was trained on (models/train/text). */
function sentences() {
  const columns = (name) => lines(`models/eval/${name}.tsv`).map((line) => line.split("\t"));
  const filled = columns("cloze").map(([text, answers]) => text.replace("[MASK]", answers.split(",")[0]));
  const judged = ["sentiment", "topic"].flatMap((name) => columns(name).map(([, text]) => text));
  const folder = "models/train/text/everyday";
  const trained = readdirSync(join(root, folder)).sort();
  return [...new Set([...filled, ...judged, ...trained.flatMap((file) => lines(join(folder, file)))])];
}

/** Every nth entry of a list, at most `most`, spread over the whole list. */
function spread(list, most) {
  const step = Math.max(1, list.length / most);
  return Array.from({ length: Math.min(list.length, most) }, (_, n) => list[Math.floor(n * step)]);
}

/** Counts of one relation in one half of the sentences. */
class Tally {
  pairs = 0;
  right;
  shares;
  distances = new Map();

  constructor(heads) {
    this.right = new Float64Array(heads);
    this.shares = new Float64Array(heads);
  }

  add({ from, to }, attention, { looks, strongest }) {
    this.pairs++;
    for (const distance of to.map((place) => place - from))
      this.distances.set(distance, (this.distances.get(distance) ?? 0) + 1);
    for (let head = 0; head < this.right.length; head++) {
      const row = looks(attention, head, from);
      if (to.includes(strongest(row, from))) this.right[head]++;
      this.shares[head] += to.reduce((sum, place) => sum + row[place], 0);
    }
  }

  /** The accuracy of a head, the share of its attention on the right word, and the accuracy of the best fixed distance; all from 0 to 1. */
  of(head) {
    return { right: this.right[head] / this.pairs, share: this.shares[head] / this.pairs };
  }

  get fixed() {
    return Math.max(0, ...this.distances.values()) / this.pairs;
  }

  /** The heads, the most accurate first. */
  ranking() {
    return [...this.right.keys()].sort((a, b) => this.right[b] - this.right[a] || this.shares[b] - this.shares[a]);
  }
}

/** The attention between the words of each text, in batches of texts of similar length: [words, attention]. */
async function* attentions(texts, { tokenizer, model }, { wordsOf, betweenWords }) {
  const sorted = [...texts].sort((a, b) => a.length - b.length);
  for (let at = 0; at < sorted.length; at += BATCH) {
    const batch = sorted.slice(at, at + BATCH);
    const encoded = tokenizer(batch, { padding: true, return_offsets_mapping: true, return_special_tokens_mask: true });
    const { attentions } = await model(encoded, { output_attentions: true });
    const [offsets, special] = [encoded.offset_mapping.tolist(), encoded.special_tokens_mask.tolist()];
    for (const [n, text] of batch.entries()) {
      const words = wordsOf(text, {
        offsets: offsets[n].map((pair) => pair.map(Number)),
        special: special[n].map(Number),
      });
      const one = attentions.map(({ dims, data }) => {
        const size = dims[1] * dims[2] * dims[3];
        return { dims: [1, ...dims.slice(1)], data: data.subarray(n * size, (n + 1) * size) };
      });
      yield [text, words, betweenWords(one, words)];
    }
  }
}

/** A head is shown for a relation only if it beats the best fixed distance by this much and its attention is visible. */
const BETTER = 0.05;
const VISIBLE = 0.2;

const rounded = (value) => Number(value.toFixed(3));

/** The figures of a relation's best head; undefined if no head is good enough. */
function shown({ id, byDistance }, [choosing, telling], { num_attention_heads: heads }) {
  const best = choosing.ranking().find((head) => choosing.of(head).share >= VISIBLE);
  if (best === undefined) return undefined;
  const { right, share } = telling.of(best);
  const fixed = rounded(telling.fixed);
  const where = { layer: Math.floor(best / heads), head: best % heads };
  console.log(id, where, { right, share, fixed, pairs: telling.pairs });
  if (!byDistance && right < fixed + BETTER) return undefined;
  return { id, ...where, right: rounded(right), share: rounded(share), fixed, pairs: telling.pairs };
}

await main(async () => {
  const [attention, { RELATIONS }] = await Promise.all(
    ["attention", "relations"].map((name) => importTypeScript(`www/src/views/look/${name}.ts`)),
  );
  const extract = await pipeline("feature-extraction", join(root, MODEL));
  const { config } = extract.model;
  const plain = (text) => text.match(/[\p{L}\p{N}]+(?:['’]\p{L}+)*|[^\s\p{L}\p{N}]/gu) ?? [];
  const all = sentences().filter((text) => plain(text).length <= LONGEST);
  const found = [];
  for (const relation of RELATIONS) {
    const having = all.filter((text) => relation.pairs(plain(text)).length);
    const texts = spread(having, MOST);
    const halves = [1, 2].map(() => new Tally(config.num_hidden_layers * config.num_attention_heads));
    const half = new Map(texts.map((text, n) => [text, halves[n % 2]]));
    for await (const [text, words, each] of attentions(texts, extract, attention))
      for (const pair of relation.pairs(words.map(({ text }) => text))) half.get(text).add(pair, each, attention);
    const one = shown(relation, halves, config);
    if (one) found.push(one);
  }
  await extract.dispose();
  writeFileSync(join(root, TO), `${JSON.stringify({ model: "minilm-mlm", relations: found }, null, 2)}\n`);
});
