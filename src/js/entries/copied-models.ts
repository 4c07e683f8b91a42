// The package's models for entries that have no files beside them.
import { env, type OwnModels } from "../env.js";
import { WebertError } from "../errors.js";
import { folderUrl } from "../sources/urls.js";

/**
 * Returns the package's models in a copy of its files under `env.base`. If `env.base` is not set, they fail with an
 * error that begins with `why`.
 */
export function copiedModels(why: string): OwnModels {
  const model = (name: string) => () => {
    if (env.base !== null) return `${folderUrl(env.base, globalThis.location?.href)}models/${name}/`;
    throw new WebertError(
      "not_found",
      `${why}: name one, or copy the package's own by \`npx webert copy FOLDER\` and name its URL in env.base`,
    );
  };
  return {
    "fill-mask": model("minilm-mlm"),
    "feature-extraction": model("minilm-embeddings"),
    "text-classification": model("minilm-sentiment"),
    "token-classification": model("minilm-entities"),
  };
}
