// Written by `WEBERT_WRITE_INTERFACE=1 node --test tests/small-binary.test.mjs` from the binaries.

/** Values of `model_type` of which a small binary reads the model and the tokenizer. */
export const FAMILIES = ["bert", "distilbert", "electra"];

/** Activations of a small binary. */
export const ACTIVATIONS = [
  "gelu",
  "gelu_accurate",
  "gelu_fast",
  "gelu_new",
  "gelu_python",
  "gelu_python_tanh",
  "gelu_pytorch_tanh",
  "linear",
  "relu",
  "silu",
  "swish",
  "tanh",
];

/** Tokenizer classes of a small binary, without the suffixes `Tokenizer` and `Fast`. */
export const CLASSES = ["", "Bert", "DistilBert", "Electra", "PreTrained", "TokenizersBackend"];
