// Loads config.json for `AutoConfig`. This module is imported by its first call.
import { control, type Platform, placeOf } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { checkOptions } from "../options/options.js";
import type { Source } from "../source.js";
import { reader } from "../sources/reader.js";
import type { SourceOptions } from "../sources/source.js";
import { optionsOf } from "../values.js";

/**
 * Returns the fields of a model's config.json.
 * @throws WebertError `not_found` without the file, `unsupported` with the kind of a folder that has other files
 */
export async function loadConfig(platform: Platform, source: Source, given?: SourceOptions): Promise<object> {
  const options = optionsOf<SourceOptions>(given);
  await checkOptions("AutoConfig.from_pretrained", options, ["progress_callback", "signal", "revision"]);
  const { needFile, openFolder, withFresh } = await reader();
  const place = await placeOf(platform, source, options);
  const folder = await openFolder(place, platform.machine);
  const reading = control(options);
  return withFresh(folder, async () => {
    const bytes = await needFile(folder, "config.json", reading).catch(async (error: unknown) => {
      const { kindError } = await import("../sources/folder-kinds.js");
      throw await kindError(folder, place, reading, error, {
        caller: "AutoConfig",
        machine: platform.machine,
        gliner: "The field `encoder_config` there is its encoder's config.",
      });
    });
    const fields = fieldsOf(bytes);
    if (fields) return fields;
    throw new WebertError("bad_config", `${folder.address("config.json")}: not a JSON object`);
  });
}

function fieldsOf(bytes: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
