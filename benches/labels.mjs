// How often the vector of a text is nearest to the vector of its label, without any training on the labels:
// `npm run bench -- labels` after `npm run build`.

import { env, pipeline } from "../dist/node.js";

/** Divides the cosines before the softmax. Cosines of short texts lie close together, and this spreads them. */
const TEMPERATURE = 0.03;

/**
 * Scores labels for a text by the cosine between their vectors and the vector of the text.
 * @param {Function} extract a feature-extraction pipeline
 * @param {string} text
 * @param {string[]} labels
 * @returns {Promise<{label: string, score: number}[]>} the highest score first; the scores sum to 1
 */
async function classify(extract, text, labels) {
  const texts = [text, ...labels.map((label) => `A text about ${label}.`)];
  const vectors = await extract(texts, { pooling: "mean", normalize: true });
  const [own, ...others] = vectors.tolist();
  const cosines = others.map((other) => other.reduce((sum, x, i) => sum + x * own[i], 0));
  const best = Math.max(...cosines);
  const weights = cosines.map((cosine) => Math.exp((cosine - best) / TEMPERATURE));
  const sum = weights.reduce((a, b) => a + b, 0);
  return labels.map((label, i) => ({ label, score: weights[i] / sum })).sort((a, b) => b.score - a.score);
}

/** Sets of labels, each with the texts of every label. The short sentences were written for this comparison. */
const sets = [
  [
    ["sport", "music", "money", "weather", "medicine"],
    [
      ["sport", "The goalkeeper saved two penalties in the last minutes."],
      ["sport", "She ran the marathon in under three hours."],
      ["sport", "Our team lost the final by one goal."],
      ["music", "The violinist played a slow sonata."],
      ["music", "Their new album has twelve songs."],
      ["music", "The choir sang in the cathedral."],
      ["money", "The bank raised its interest rates again."],
      ["money", "He could not pay his debts or his rent."],
      ["money", "Shares fell sharply on the stock exchange."],
      ["weather", "Heavy rain and strong winds are expected tonight."],
      ["weather", "It was cold, with snow on the hills."],
      ["weather", "The sky cleared and the sun came out."],
      ["medicine", "The doctor prescribed pills for the fever."],
      ["medicine", "The patient needs an operation on his heart."],
      ["medicine", "A new vaccine protects against the virus."],
    ],
  ],
  [
    ["food", "war", "science", "travel", "religion"],
    [
      ["food", "She baked fresh bread and made a hot soup for dinner."],
      ["food", "This restaurant serves fish with rice."],
      ["food", "Add salt, butter and two eggs."],
      ["war", "The soldiers attacked the town at dawn."],
      ["war", "The army surrendered after a long siege."],
      ["science", "Physicists measured the mass of the particle."],
      ["science", "The experiment confirmed the theory."],
      ["science", "Chemists mixed the acid with a metal."],
      ["travel", "We took the night train to Rome and stayed in a hotel."],
      ["travel", "Their flight to Japan was delayed."],
      ["travel", "The tourists visited the island by boat."],
      ["religion", "The priest prayed in the church."],
      ["religion", "Monks read the holy book every morning."],
    ],
  ],
  [
    ["good", "bad"],
    [
      ["good", "I loved every minute of this film."],
      ["bad", "The service was slow and the room was dirty."],
      ["good", "What a wonderful evening with friends."],
      ["bad", "This is the worst book I have ever read."],
      ["good", "The staff were kind and the food delicious."],
      ["bad", "It broke after one day, a waste of money."],
    ],
  ],
  [
    ["joy", "anger", "fear", "sadness"],
    [
      ["joy", "We laughed and danced all night."],
      ["anger", "He shouted and slammed the door."],
      ["fear", "She trembled when she heard steps behind her."],
      ["sadness", "He wept at the grave of his mother."],
      ["joy", "They won, and everyone was cheering."],
      ["fear", "The child was terrified of the dark."],
    ],
  ],
];

const extract = await pipeline("feature-extraction", env.defaultModels["fill-mask"]);
let [all, right, surprise] = [0, 0, 0];
for (const [labels, examples] of sets) {
  for (const [wanted, text] of examples) {
    const found = await classify(extract, text, labels);
    all++;
    right += Number(found[0].label === wanted);
    surprise -= Math.log(found.find(({ label }) => label === wanted).score);
  }
}
console.log(`right of ${all}: ${right}; mean cross-entropy of the scores ${(surprise / all).toFixed(2)}`);
await extract.dispose();
