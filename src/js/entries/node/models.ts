// The models that ship with the package, read from disk in Node.
import type { OwnModels } from "../../env.js";
import { packageFile } from "./files.js";

const folder = (name: string) => packageFile(`../models/${name}/`).href;

export const OWN_MODELS: OwnModels = {
  "fill-mask": folder("minilm-mlm"),
  "feature-extraction": folder("minilm-embeddings"),
  "text-classification": folder("minilm-sentiment"),
  "token-classification": folder("minilm-entities"),
};
