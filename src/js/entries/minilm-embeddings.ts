// The files of the package's model of sentence embeddings.
import pooling from "../../../models/minilm-embeddings/1_Pooling/config.json";
import config from "../../../models/minilm-embeddings/config.json";
import index from "../../../models/minilm-embeddings/model.safetensors.index.json";
import modules from "../../../models/minilm-embeddings/modules.json";
import sentences from "../../../models/minilm-embeddings/sentence_bert_config.json";
import tokenizerConfig from "../../../models/minilm-embeddings/tokenizer_config.json";
import type { Source } from "../source.js";
import { jsonBlob } from "../sources/source.js";
import { fileUrl } from "../sources/urls.js";

/** Returns the sentence embedding model that ships with the package: an adapter over the masked model's encoder. */
const model = (): Source => ({
  files: {
    "config.json": jsonBlob(config),
    "tokenizer_config.json": jsonBlob(tokenizerConfig),
    "modules.json": jsonBlob(modules),
    "sentence_bert_config.json": jsonBlob(sentences),
    "1_Pooling/config.json": jsonBlob(pooling),
    "model.safetensors.index.json": jsonBlob(index),
    "adapter.safetensors": fileUrl(
      "models/minilm-embeddings/adapter.safetensors",
      () => new URL("../models/minilm-embeddings/adapter.safetensors", import.meta.url),
    ),
    "../minilm-mlm/model.safetensors": fileUrl(
      "models/minilm-mlm/model.safetensors",
      () => new URL("../models/minilm-mlm/model.safetensors", import.meta.url),
    ),
    "vocab.txt": fileUrl("minilm-vocab.txt", () => new URL("./minilm-vocab.txt", import.meta.url)),
  },
});
export default model;
