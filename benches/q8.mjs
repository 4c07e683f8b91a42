// `npm run bench -- q8 FOLDER…`: how near the token states of q8 and fp32 are: their mean and least cosine, over
// sentences and over texts of random words. Without a FOLDER, of the package's masked LM, whose weights have 8 bits.

import { AutoModel, AutoTokenizer } from "../dist/node.js";

const SENTENCES = [
  "The bank of the river was covered with wild flowers.",
  "She deposited the money at the bank before it closed for the weekend.",
  "How long does it take to learn a new language if you practise every day?",
  "In 1969 two astronauts walked on the moon while a third one circled above them, alone.",
  "Terrible service: we waited an hour, the food was cold, and nobody apologised or even looked at us.",
  "Photosynthesis converts light into chemical energy, which is stored in sugars that plants build from carbon dioxide and water.",
];
/** Words of each random text. */
const WORDS = 100;

/** Pseudo-random whole numbers below `most`, the same in each run. */
function random(most) {
  random.state = (Math.imul(random.state ?? 1, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((random.state / 2 ** 32) * most);
}

/** The states of each text's tokens at a precision: a list of rows per text. */
async function statesOf(folder, dtype, texts) {
  const [model, tokenizer] = [
    await AutoModel.from_pretrained(folder, { dtype, device: "wasm" }),
    await AutoTokenizer.from_pretrained(folder),
  ];
  const found = [];
  for (const text of texts) {
    const { hidden_states } = await model(await tokenizer(text), { output_hidden_states: true });
    found.push(hidden_states.at(-1).tolist()[0]);
  }
  await model.dispose();
  return found;
}

const dot = (a, b) => a.reduce((sum, x, n) => sum + x * b[n], 0);
const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

const folders = process.argv.slice(2);
for (const folder of folders.length > 0 ? folders : ["models/minilm-mlm"]) {
  const tokenizer = await AutoTokenizer.from_pretrained(folder);
  const words = [...tokenizer.get_vocab().keys()].filter((word) => /^[a-z]{3,}$/.test(word));
  const text = () => Array.from({ length: WORDS }, () => words[random(words.length)]).join(" ");
  const kinds = { sentences: SENTENCES, "random words": [text(), text()] };
  console.log(`\n${folder}: cosine between the token states of q8 and fp32`);
  for (const [kind, texts] of Object.entries(kinds)) {
    const [exact, rounded] = [await statesOf(folder, "fp32", texts), await statesOf(folder, "q8", texts)];
    const all = exact.flatMap((rows, text) => rows.map((row, n) => cosine(row, rounded[text][n])));
    const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
    console.log(
      `${kind.padEnd(14)} ${all.length} tokens: mean ${mean.toFixed(4)}, least ${Math.min(...all).toFixed(4)}`,
    );
  }
}
