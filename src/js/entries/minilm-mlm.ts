// The files of the package's masked language model.
import config from "../../../models/minilm-mlm/config.json";
import tokenizerConfig from "../../../models/minilm-mlm/tokenizer_config.json";
import type { Source } from "../source.js";
import { jsonBlob } from "../sources/source.js";
import { fileUrl } from "../sources/urls.js";

/** Returns the masked language model that ships with the package. */
const model = (): Source => ({
  files: {
    "config.json": jsonBlob(config),
    "tokenizer_config.json": jsonBlob(tokenizerConfig),
    "model.safetensors": fileUrl(
      "models/minilm-mlm/model.safetensors",
      () => new URL("../models/minilm-mlm/model.safetensors", import.meta.url),
    ),
    "vocab.txt": fileUrl("minilm-vocab.txt", () => new URL("./minilm-vocab.txt", import.meta.url)),
  },
});
export default model;
