import { control, type Platform, placeOf } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { checkOptions } from "../options/options.js";
import type { Source } from "../source.js";
import { reader } from "../sources/reader.js";
import type { SourceOptions } from "../sources/source.js";
import type { Files } from "../sources/types.js";
import { optionsOf } from "../values.js";

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
    async from_pretrained(source, given) {
      try {
        const options = optionsOf<SourceOptions>(given);
        await checkOptions("AutoConfig.from_pretrained", options, ["progress_callback", "signal", "revision"]);
        const { needFile, openFolder, withFresh } = await reader();
        const folder = await openFolder(await placeOf(platform, source, options), platform.machine);
        return await withFresh(folder, async () => {
          const fields = fieldsOf(await needFile(folder, "config.json", control(options)));
          if (fields) return new PretrainedConfig(fields);
          throw new WebertError("bad_config", `${folder.address("config.json")}: not a JSON object`);
        });
      } catch (error) {
        throw WebertError.from(error);
      }
    },
  };
}

function fieldsOf(bytes: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
