// The models that ship with the package, for pages and Workers. Their modules make bundlers copy the files; they are
// imported on demand.
import type { OwnModels } from "../env.js";
import { onDemand } from "../on-demand.js";

const mlm = async () => (await onDemand(() => import("./minilm-mlm.js"))).default();
const embeddings = async () => (await onDemand(() => import("./minilm-embeddings.js"))).default();
const entities = async () => (await onDemand(() => import("./minilm-entities.js"))).default();
const sentiment = async () => (await onDemand(() => import("./minilm-sentiment.js"))).default();

export const OWN_MODELS: OwnModels = {
  "fill-mask": mlm,
  "feature-extraction": embeddings,
  "text-classification": sentiment,
  "token-classification": entities,
};
