// A call of every task, for Node and for pages: the task, a checkpoint of goldens/models, the arguments.

const context = "yesterday alice walked to the river with her child . bob found the old bridge and wrote a letter .";

export const calls = [
  ["fill-mask", "bert-mlm", ["the [MASK] is near the river .", { top_k: 2 }]],
  ["text-classification", "bert-seqcls-3", [{ text: "the man reads", text_pair: "a man is reading" }, { top_k: null }]],
  [
    "token-classification",
    "bert-tokencls-bio",
    ["𝛼 alice walked to paris with bob .", { aggregation_strategy: "simple" }],
  ],
  ["question-answering", "bert-qa", ["who walked to the river ?", context, { top_k: 2 }]],
  ["zero-shot-classification", "bert-seqcls-nli", ["the train was very slow today .", ["science", "music", "history"]]],
  ["feature-extraction", "bert-base-gelu", ["the quiet garden", { pooling: "mean", normalize: true }]],
  ["next-sentence-prediction", "bert-nsp", ["the man reads", "a man is reading a letter"]],
  ["multiple-choice", "bert-multiplechoice", ["the man reads", ["a letter", "the river"]]],
  ["replaced-token-detection", "electra-discriminator", ["the quiet garden is dark"]],
];

/** A result as text, typed arrays as arrays, as a page returns it. */
export const plain = (result) => JSON.stringify(result, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));

/** The result of a pipeline's call, as text. */
export async function answer(pipeline, [task, model, args], folder, options) {
  const run = await pipeline(task, folder + model, { dtype: "fp32", ...options });
  const { device } = run.info;
  const text = plain(await run(...args));
  await run.dispose();
  return { device, text };
}
