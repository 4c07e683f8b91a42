// `AutoConfig`: reads the config.json of a model.
import type { Platform } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import type { Source } from "../source.js";
import type { SourceOptions } from "../sources/source.js";
import type { Files } from "../sources/types.js";

/** The fields of a model's config.json, unchanged. */
export class PretrainedConfig {
  declare readonly model_type?: string;
  /** Label of each class. */
  declare id2label?: Record<string, string>;
  declare label2id?: Record<string, number>;
  declare problem_type?: string | null;
  [field: string]: unknown;

  constructor(fields: object) {
    Object.assign(this, fields);
  }
}

/** Loads config.json files. */
export interface ConfigClass {
  /**
   * Loads the config.json of a model.
   * @example
   * ```ts
   * const { hidden_size } = await AutoConfig.from_pretrained("google-bert/bert-base-uncased");
   * ```
   */
  from_pretrained(source: Source, options?: SourceOptions): Promise<PretrainedConfig>;
}

/** Returns the config among a model's files. The wasm side has already checked that it is a JSON object. */
export function configOf(files: Files): PretrainedConfig {
  return new PretrainedConfig(JSON.parse(new TextDecoder().decode(files["config.json"])) as object);
}

/** Creates `AutoConfig` for a platform. */
export function createConfigClass(platform: Platform): ConfigClass {
  return {
    async from_pretrained(source, options) {
      try {
        const { loadConfig } = await onDemand(() => import("./load-config.js"));
        return new PretrainedConfig(await loadConfig(platform, source, options));
      } catch (error) {
        throw WebertError.from(error);
      }
    },
  };
}
