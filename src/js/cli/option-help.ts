// The description of each command-line option, for `webert COMMAND --help`. Defaults of tasks are compared with Rust's by a test.

/** One line per option. An entry `COMMAND --NAME` replaces the general line for a command. */
const LINES: Record<string, string> = {
  help: "prints this help",
  model: "the model: owner/name, a URL or a folder (default: the task's default model)",
  "check --model": "the model, in place of the word MODEL",
  "convert --model": "the model, in place of the word MODEL",
  "serve --model": "a model, in place of the first word [NAME=]MODEL",
  column: 'label: the column of the texts (default: "text")',
  overwrite: "starts again, although the file exists (default: false)",
  "label --labels": "labels to choose from, by a zero-shot model, as a JSON array (default: the model's own labels)",

  // serve
  host: 'address to listen at (default: "127.0.0.1", i.e. only this machine)',
  port: "port to listen at; 0 chooses a free one (default: 8080)",
  api_key: "key that clients must send (default: WEBERT_API_KEY of the environment, otherwise none)",
  max_body: "maximum size of a request, in bytes (default: 2000000)",
  max_inputs: "maximum number of texts per request (default: 2048)",
  max_queue: "maximum number of texts that wait; further requests get status 429 (default: 8192)",
  batch_size: "number of texts that are computed together (default: 32)",
  truncate: "cuts texts that are too long in the routes of OpenAI (default: false)",
  cors: 'origins whose pages may call, as a JSON array or one origin; "*" for all (default: none)',
  "serve --task": "task of all models (default: what each model does)",

  // mcp
  "mcp --model": "model of the index (default: the one that the index names)",
  redactor: "token-classification model that finds personal data (default: the package's)",
  classifier: "text-classification model (default: the package's sentiment model)",
  zero_shot: "zero-shot-classification model for labels that the agent chooses (default: none)",

  // load a model
  device: 'where to compute: "auto", "wasm" or "webgpu" (default: "auto"; Node has only "wasm")',
  dtype: 'precision of the weights in memory: "auto", "fp32", "fp16" or "q8" (default: "auto", i.e. q8 on the CPU)',
  threads: "number of threads; 0 chooses a useful number (default: 0)",
  revision: 'branch, tag or commit of the repository (default: "main")',
  subfolder: "folder of the repository that holds the model",
  local_files_only: "uses no network (default: false)",
  cache_dir: "folder for downloaded files",
  token: "access token for the Hub",

  // tasks
  top_k: "maximum number of answers",
  "fill-mask --top_k": "maximum number of answers per mask (default: 5)",
  "text-classification --top_k": "maximum number of labels; null returns all (default: 1)",
  "question-answering --top_k": "maximum number of answers (default: 1)",
  "text-ranking --top_k": "maximum number of documents (default: all)",
  "search --top_k": "maximum number of passages (default: 10)",
  targets: "the only words that may fill the mask, as a JSON array or one word",
  layer: "layer whose state is decoded (default: the last)",
  strategy:
    'how several masks are filled: "independent", "left-to-right", "confidence-first", "mask-predict" or "gibbs" (default: "independent")',
  num_steps: "number of passes of mask-predict, or of draws per mask of gibbs (default: 10)",
  temperature: "gibbs: below 1, likely tokens are drawn more often (default: 1)",
  seed: "number that repeats the draws of gibbs",
  "train --seed": "seed of the order of rows, masks and dropout (default: 42)",
  function_to_apply: 'function over the scores: "softmax", "sigmoid" or "none" (default: by the model\'s config)',
  "text-ranking --function_to_apply":
    'function over the scores: "sigmoid" or "none" (default: by the folder, otherwise "sigmoid")',
  aggregation_strategy: 'how tokens become entities: "none", "simple", "first", "average" or "max" (default: "none")',
  "redact --aggregation_strategy":
    'how tokens become entities: "simple", "first", "average" or "max" (default: "first")',
  ignore_labels: 'labels to leave out (default: ["O"])',
  stride: "tokens that neighbouring windows over a long text share (default: the text is cut)",
  max_answer_len: "maximum number of tokens of an answer (default: 15)",
  doc_stride: "tokens that neighbouring windows of the context share (default: 128, or half a short window)",
  max_seq_len: "maximum number of tokens of a window with its question (default: 384, or the limit of the model)",
  handle_impossible_answer: "allows the empty answer (default: false)",
  align_to_words: "extends answers to whole words (default: true)",
  hypothesis_template: 'sentence for a label; {} is the label (default: "This example is {}.")',
  multi_label: "scores each label independently (default: false)",
  "zero-shot-token-classification --threshold": "minimum probability of an entity (default: 0.5)",
  flat_ner: "no entity overlaps another one (default: true)",
  pooling:
    'how token states become one vector: "none", "mean", "cls", "last_token", "model", "sparse" or "colbert" (default: "none")',
  normalize: "scales vectors to length 1 (default: false)",
  layers: "layers whose states are returned, as a JSON array (default: the last)",
  max_length: "maximum number of tokens of a text (default: by the model)",
  "train --max_length": "maximum number of tokens of a text (default: 128)",
  prompt: "text to put before each text",
  prompt_name: "name of the folder's prompt to put before each text",
  truncate_dim: "number of leading dimensions to keep (default: all, or by the folder)",
  return_documents: "returns the texts of the documents as well (default: false)",

  // explain
  target: "label, token or answer to explain (default: the best)",
  method: '"integrated_gradients" or "gradient_x_input" (default: "integrated_gradients")',
  n_steps: "number of gradients of integrated_gradients (default: 32)",
  index: "token-classification: index of the token to explain",
  mask: "fill-mask: number of the mask to explain, from 0 (default: 0)",

  // redact
  labels: 'labels to replace, without "B-" and "I-" (default: all except "O")',
  threshold: "minimum score of an entity that the model finds, or an object of scores by label (default: 0)",
  detectors: "detectors to apply beside the model (default: all)",
  patterns: "detectors to apply, under their former option (default: all)",
  allow: "words that are never replaced",
  deny: "words that are always replaced",
  replace:
    'what takes the place of an entity: "placeholder", "mask", "hash", "last4", "surrogate" or "date-shift" (default: "placeholder")',
  salt: 'secret of "hash", "surrogate" and "date-shift"',

  // index and search
  to: "file or folder to write",
  "index --to": "file to write",
  "convert --to": "folder to write",
  "train --to": "folder to write",
  "index --dtype": 'precision of the model: "auto", "fp32" or "q8" (default: "auto")',
  dimensions: "number of leading dimensions to keep (default: all, or by the folder)",
  similarity: '"cosine" or "dot" (default: "cosine")',
  words: "true makes the index searchable by words as well (default: true)",
  "index --sparse": "sparse encoder, e.g. SPLADE, whose vectors of the passages are kept as well (default: none)",
  passage_length: "maximum number of tokens of a passage (default: 128, or fewer by the model)",
  passage_overlap: "tokens that neighbouring passages share (default: a quarter of passage_length)",
  "search --model": "model of the index (default: the one that the index names)",
  hybrid: "share of words in the score, from 0 to 1, true for 0.15 or false for 0 (default: true)",
  "search --sparse": "share of the sparse vectors, from 0 to 1, true for 0.5 (default: true if the index has them)",
  rerank: "cross-encoder that sorts the best passages again",
  rerank_candidates: "number of passages for the cross-encoder (default: 30)",
  per_document: "maximum number of passages per document (default: any)",
  k1: "BM25: weight of repetitions (default: 1.2)",
  b: "BM25: weight of a passage's length, from 0 to 1 (default: 0.75)",

  // check
  task: "task that the model must do (default: any)",
  json: "prints the result as JSON (default: false)",

  // convert
  "convert --dtype": 'precision of the written weights: "q8" or "fp16"',

  // train
  "train --dtype": 'precision of the saved weights: "fp32", "fp16" or "q8" (default: "fp32")',
  "train --labels": "names of a new head's labels, as a JSON array or separated by commas",
  eval: "file of rows to evaluate on",
  resume: "folder of an interrupted run to continue",
  save_steps: "steps between two saved states; 0 saves none (default: 0)",
  problem_type:
    '"single_label_classification", "multi_label_classification" or "regression" (default: by config.json or the rows)',
  freeze: 'weights that stay fixed: "none", "embeddings", "encoder", or the number of lowest layers (default: "none")',
  num_train_epochs: "number of passes over the rows (default: 3)",
  max_steps: "number of steps, replaces num_train_epochs; -1 for no limit (default: -1)",
  per_device_train_batch_size: "rows per micro-batch (default: 8)",
  per_device_eval_batch_size: "rows per batch of an evaluation (default: 8)",
  gradient_accumulation_steps: "micro-batches per step (default: 1)",
  learning_rate: "maximum learning rate (default: 5e-5)",
  lr_scheduler_type: '"linear", "cosine", "constant" or "constant_with_warmup" (default: "linear")',
  warmup_ratio: "share of the steps in which the rate rises (default: 0)",
  warmup_steps: "number of steps in which the rate rises, replaces warmup_ratio",
  weight_decay: "AdamW's weight decay, except biases and norms (default: 0)",
  adam_beta1: "AdamW's beta1 (default: 0.9)",
  adam_beta2: "AdamW's beta2 (default: 0.999)",
  adam_epsilon: "AdamW's epsilon (default: 1e-8)",
  max_grad_norm: "maximum norm of all gradients; 0 for no limit (default: 1)",
  optim: '"adamw_torch" or "sgd" (default: "adamw_torch")',
  layer_lr_decay: "learning rate of a layer as a share of the rate of the layer above (default: 1)",
  label_smoothing_factor: "share of a target that is spread over all classes (default: 0)",
  class_weights: "weight of each class in the loss, as a JSON array",
  group_by_length: "puts rows of similar lengths into one batch (default: true)",
  gradient_checkpointing:
    "computes states again instead of keeping them: less memory, a third more time (default: false)",
  mlm_probability: "masked LM: share of the tokens to mask (default: 0.15)",
  whole_word_mask: "masked LM: masks whole words (default: false)",
  ngram: "masked LM: masks spans of words (default: false)",
  objective: 'pre-training: "nsp" (next sentences) or "sop" (their order) (default: "nsp")',
  eval_steps: "steps between two evaluations (default: one epoch)",
  load_best_model_at_end: "keeps the weights of the best evaluation (default: false)",
  metric_for_best_model: 'metric that defines the best evaluation (default: "loss")',
  early_stopping_patience: "evaluations without an improvement after which the run ends",
};

/** Returns the description of an option of a command; undefined for an unknown option. */
export const optionHelp = (command: string, option: string): string | undefined =>
  LINES[`${command} --${option}`] ?? LINES[option];
