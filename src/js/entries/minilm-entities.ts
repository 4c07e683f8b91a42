// The files of the package's token classifier for personal data.
import config from "../../../models/minilm-entities/config.json";
import index from "../../../models/minilm-entities/model.safetensors.index.json";
import tokenizerConfig from "../../../models/minilm-entities/tokenizer_config.json";
import type { Source } from "../source.js";
import { jsonBlob } from "../sources/source.js";
import { fileUrl } from "../sources/urls.js";

/**
 * Returns the token classifier for personal data that ships with the package: an adapter over the masked model's
 * encoder.
 */
const model = (): Source => ({
  files: {
    "config.json": jsonBlob(config),
    "tokenizer_config.json": jsonBlob(tokenizerConfig),
    "model.safetensors.index.json": jsonBlob(index),
    "adapter.safetensors": fileUrl(
      "models/minilm-entities/adapter.safetensors",
      () => new URL("../models/minilm-entities/adapter.safetensors", import.meta.url),
    ),
    "../minilm-mlm/model.safetensors": fileUrl(
      "models/minilm-mlm/model.safetensors",
      () => new URL("../models/minilm-mlm/model.safetensors", import.meta.url),
    ),
    "vocab.txt": fileUrl("minilm-vocab.txt", () => new URL("./minilm-vocab.txt", import.meta.url)),
  },
});
export default model;
