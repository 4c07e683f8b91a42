// The files of the package's classifier of topics.
import config from "../../../models/minilm-topic/config.json";
import index from "../../../models/minilm-topic/model.safetensors.index.json";
import tokenizerConfig from "../../../models/minilm-topic/tokenizer_config.json";
import type { Source } from "../source.js";
import { jsonBlob } from "../sources/source.js";
import { fileUrl } from "../sources/urls.js";

/** Returns the topic classifier that ships with the package, over the masked model's encoder. */
const model = (): Source => ({
  files: {
    "config.json": jsonBlob(config),
    "tokenizer_config.json": jsonBlob(tokenizerConfig),
    "model.safetensors.index.json": jsonBlob(index),
    "classifier.safetensors": fileUrl(
      "models/minilm-topic/classifier.safetensors",
      () => new URL("../models/minilm-topic/classifier.safetensors", import.meta.url),
    ),
    "../minilm-mlm/model.safetensors": fileUrl(
      "models/minilm-mlm/model.safetensors",
      () => new URL("../models/minilm-mlm/model.safetensors", import.meta.url),
    ),
    "vocab.txt": fileUrl("minilm-vocab.txt", () => new URL("./minilm-vocab.txt", import.meta.url)),
  },
});
export default model;
