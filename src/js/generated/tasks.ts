// Written by `WEBERT_WRITE_INTERFACE=1 cargo test --test interface` from the tables of the crate.

/** Options of each task that the engine reads. */
export const ENGINE_OPTIONS = {
  "fill-mask": {
    top_k: 1,
    targets: 1,
    layer: 1,
  },
  "text-classification": {
    top_k: 1,
    function_to_apply: 1,
  },
  "token-classification": {
    ignore_labels: 1,
    aggregation_strategy: 1,
    stride: 1,
    label_bias: 1,
  },
  "question-answering": {
    top_k: 1,
    max_answer_len: 1,
    doc_stride: 1,
    max_seq_len: 1,
    handle_impossible_answer: 1,
    align_to_words: 1,
  },
  "zero-shot-classification": {
    hypothesis_template: 1,
    multi_label: 1,
  },
  "feature-extraction": {
    pooling: 1,
    normalize: 1,
    layers: 1,
    max_length: 1,
  },
  "next-sentence-prediction": {},
  "multiple-choice": {},
  "replaced-token-detection": {},
  "text-ranking": {
    top_k: 1,
    return_documents: 1,
    function_to_apply: 1,
  },
  "zero-shot-token-classification": {
    threshold: 1,
    flat_ner: 1,
    multi_label: 1,
  },
} as const;
