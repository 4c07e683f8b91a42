// The entry for Node, from version 20 on: the same exports, with models and wasm read from disk.
import { pathToFileURL } from "node:url";
import { createApi } from "./api.js";
import { diskFolder, diskStore, placePath, readWasm } from "./disk.js";
import { openLocal, type Machine } from "./engine-local.js";
import { env } from "./env.js";

export * from "./common.js";

const machine: Machine = { store: diskStore, disk: diskFolder, readWasm };

export const {
  pipeline,
  AutoTokenizer,
  AutoModel,
  AutoModelForMaskedLM,
  AutoModelForSequenceClassification,
  AutoModelForTokenClassification,
  AutoModelForQuestionAnswering,
  AutoModelForMultipleChoice,
  AutoModelForNextSentencePrediction,
} = createApi({
  machine,
  base: () => pathToFileURL("./").href,
  path: placePath,
  caching: () => env.useFSCache,
  openEngine: (spec, control) => openLocal(spec, control, machine),
});
