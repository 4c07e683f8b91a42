// The files of the package's classifier of sentiment.
import config from "../../../models/minilm-sentiment/config.json";
import index from "../../../models/minilm-sentiment/model.safetensors.index.json";
import tokenizerConfig from "../../../models/minilm-sentiment/tokenizer_config.json";
import type { Source } from "../source.js";
import { jsonBlob } from "../sources/source.js";
import { fileUrl } from "../sources/urls.js";

/** Returns the sentiment classifier that ships with the package, over the masked model's encoder. */
const model = (): Source => ({
  files: {
    "config.json": jsonBlob(config),
    "tokenizer_config.json": jsonBlob(tokenizerConfig),
    "model.safetensors.index.json": jsonBlob(index),
    "classifier.safetensors": fileUrl(
      "models/minilm-sentiment/classifier.safetensors",
      () => new URL("../models/minilm-sentiment/classifier.safetensors", import.meta.url),
    ),
    "../minilm-mlm/model.safetensors": fileUrl(
      "models/minilm-mlm/model.safetensors",
      () => new URL("../models/minilm-mlm/model.safetensors", import.meta.url),
    ),
    "vocab.txt": fileUrl("minilm-vocab.txt", () => new URL("./minilm-vocab.txt", import.meta.url)),
  },
});
export default model;
