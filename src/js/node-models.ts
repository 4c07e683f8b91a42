// The models that ship with the package, as Node reads them from disk.
import type { OwnModels } from "./env.js";

const folder = (name: string) => new URL(`../models/${name}/`, import.meta.url).href;

export const OWN_MODELS: OwnModels = {
  "fill-mask": folder("minilm-mlm"),
  "feature-extraction": folder("minilm-mlm"),
  "text-classification": folder("minilm-sentiment"),
};
