// Folders of GLiNER models: gliner_config.json in place of config.json. Imported after a load has failed.
import { WebertError } from "../errors.js";
import { readFile } from "./folder.js";
import { openFolder } from "./open.js";
import type { Place } from "./source.js";
import type { Control, Files, Folder, Reading } from "./types.js";

const NAME = "gliner_config.json";
const TASK = "zero-shot-token-classification";

/** The config files of a GLiNER model, and where the tokenizer is, if its files are not in the folder. */
export interface GlinerFolder {
  configs: Files;
  tokenizerPlace?: Place;
}

/** What a folder may name outside itself. */
export interface Around {
  /** Fields that replace fields of the encoder's config. */
  config: object | null | undefined;
  /** The task of the load, if it has one. */
  task: string | undefined;
  /** Returns the place of a model with this name. */
  named(name: string): Promise<Place>;
  machine: Reading;
}

/**
 * Returns the configs of a folder with gliner_config.json; undefined without that file. As in the gliner library,
 * `model_name` names the encoder if the folder has no `encoder_config`, and its tokenizer if the folder has no
 * tokenizer_config.json.
 * @throws `bad_config` for a malformed file; the error of reading the named encoder, with the way out
 */
export async function glinerFolder(
  folder: Folder,
  control: Control,
  around: Around,
): Promise<GlinerFolder | undefined> {
  const bytes = await readFile(folder, NAME, control).catch(() => undefined);
  if (!bytes) return undefined;
  if (around.task && around.task !== TASK)
    throw new WebertError(
      "unsupported",
      `${folder.name}: ${around.task}: expected another model, got a GLiNER model (${NAME}): use the task "${TASK}"`,
    );
  const { encoder_config, model_name } = fieldsOf(bytes, folder);
  const encoder =
    (around.config ?? encoder_config) ? { model_type: "deberta-v2", ...(encoder_config as object) } : null;
  const place = typeof model_name === "string" && model_name ? await around.named(model_name) : undefined;
  const fields = encoder ?? (await namedConfig(place, model_name, folder, control, around));
  const config = new TextEncoder().encode(JSON.stringify({ ...fields, ...around.config }));
  let hasOwn = false;
  // The library looks for the first of these files; a tokenizer.json is complete without it.
  for (const name of ["tokenizer_config.json", "tokenizer.json"])
    hasOwn ||= !!(await readFile(folder, name, control).catch(() => undefined));
  return { configs: { "config.json": config, [NAME]: bytes }, ...(!hasOwn && place && { tokenizerPlace: place }) };
}

function fieldsOf(bytes: Uint8Array, folder: Folder): Record<string, unknown> {
  try {
    const fields = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    if (typeof fields === "object" && fields && !Array.isArray(fields)) return fields as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new WebertError("bad_config", `${folder.address(NAME)}: expected a JSON object`);
}

/** Reads config.json of the encoder that `model_name` names. */
async function namedConfig(
  place: Place | undefined,
  name: unknown,
  folder: Folder,
  control: Control,
  { machine }: Around,
): Promise<object> {
  const what = `${folder.address(NAME)}: the GLiNER model has no encoder_config, and model_name is ${JSON.stringify(name)}`;
  const out = "Pass the fields of the encoder's config.json by the option `config`.";
  try {
    const bytes = place && (await readFile(await openFolder(place, machine), "config.json", control));
    if (bytes) return JSON.parse(new TextDecoder().decode(bytes)) as object;
  } catch (cause) {
    const { code, message } = WebertError.from(cause);
    if (code === "aborted") throw cause;
    throw new WebertError(code, `${what}, whose config.json could not be read: ${message}. ${out}`, { cause });
  }
  throw new WebertError("unsupported", `${what}, which has no config.json. ${out}`);
}
