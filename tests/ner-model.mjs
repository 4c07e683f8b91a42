// A token-classification model that labels given words, for tests of code that uses its answers. Also runs in pages.

const HIDDEN = 16;
const LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"];
const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/**
 * The files of a model that labels each word of `words`, in lower case, with its label, and all other words "O". Its one layer adds nothing
 * to the embeddings, and each embedding points along its label's axis. `sure` is its length: 4 makes scores above 0.99. `bias` has the
 * biases of labels other than 0, `fields` further fields of config.json.
 */
export function nerModel(words, { sure = 4, positions = 64, bias = {}, fields = {} } = {}) {
  const vocabulary = [...SPECIAL, ...Object.keys(words)];
  const config = {
    model_type: "bert",
    architectures: ["BertForTokenClassification"],
    vocab_size: vocabulary.length,
    hidden_size: HIDDEN,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 16,
    max_position_embeddings: positions,
    type_vocab_size: 2,
    id2label: Object.fromEntries(LABELS.map((label, n) => [n, label])),
    label2id: Object.fromEntries(LABELS.map((label, n) => [label, n])),
    ...fields,
  };
  const axis = (word) => Math.max(0, LABELS.indexOf(words[word]));
  const tensors = {
    "bert.embeddings.word_embeddings.weight": [
      vocabulary.length,
      HIDDEN,
      (n) => +(n % HIDDEN === axis(vocabulary[Math.floor(n / HIDDEN)])),
    ],
    "bert.embeddings.position_embeddings.weight": [positions, HIDDEN],
    "bert.embeddings.token_type_embeddings.weight": [2, HIDDEN],
    ...norm("bert.embeddings.LayerNorm"),
    ...Object.assign({}, ...["query", "key", "value"].map((part) => linear(`${LAYER}.attention.self.${part}`, HIDDEN))),
    ...linear(`${LAYER}.attention.output.dense`, HIDDEN),
    ...norm(`${LAYER}.attention.output.LayerNorm`),
    ...linear(`${LAYER}.intermediate.dense`, 16),
    ...linear(`${LAYER}.output.dense`, HIDDEN),
    ...norm(`${LAYER}.output.LayerNorm`),
    "classifier.weight": [LABELS.length, HIDDEN, (n) => sure * (n % HIDDEN === Math.floor(n / HIDDEN))],
    "classifier.bias": [LABELS.length, (n) => bias[LABELS[n]] ?? 0],
  };
  const json = (value) => new TextEncoder().encode(JSON.stringify(value));
  return {
    "config.json": json(config),
    "tokenizer_config.json": json({
      tokenizer_class: "BertTokenizer",
      do_lower_case: true,
      model_max_length: positions,
    }),
    "vocab.txt": new TextEncoder().encode(`${vocabulary.join("\n")}\n`),
    "model.safetensors": safetensors(tensors),
  };
}

const LAYER = "bert.encoder.layer.0";
const linear = (name, outputs) => ({ [`${name}.weight`]: [outputs, HIDDEN], [`${name}.bias`]: [outputs] });
const norm = (name) => ({ [`${name}.weight`]: [HIDDEN, () => 1], [`${name}.bias`]: [HIDDEN] });

/** A file of f32 tensors: for each its shape and an optional function from an index to the number there; default zeros. */
function safetensors(tensors) {
  const header = {};
  const numbers = [];
  for (const [name, dims] of Object.entries(tensors)) {
    const shape = dims.filter((size) => typeof size === "number");
    const fill = dims.find((size) => typeof size === "function") ?? (() => 0);
    const from = 4 * numbers.length;
    const count = shape.reduce((a, b) => a * b);
    for (let n = 0; n < count; n++) numbers.push(fill(n));
    header[name] = { dtype: "F32", shape, data_offsets: [from, 4 * numbers.length] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + 4 * numbers.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(new Uint8Array(Float32Array.from(numbers).buffer), 8 + json.length);
  return bytes;
}
