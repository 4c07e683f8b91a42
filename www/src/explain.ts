// Error messages in the visitor's words.
import { t } from "./language.ts";

/** A mistake of the visitor, in the page's own words. */
export class Mistake extends Error {}

/** Facts about a failure beside its error. */
export interface About {
  /** The thing that was fetched or used, capitalised; default "The model". */
  thing?: string;
  /** True for a visitor's model. */
  own?: boolean;
  /** The requested device. */
  device?: string;
  /** True if a text with gaps was to be filled in. */
  gaps?: boolean;
  /** Maximum number of tokens that the model reads. */
  limit?: number;
  /** True if the browser is offline. */
  offline?: boolean;
}

/** The error as the sentences receive it. `fetched`: it failed during a download. */
type Facts = Required<Omit<About, "device" | "limit">> & Pick<About, "device" | "limit"> & { fetched: boolean };

const reload = () => t`Load the page again.`;
const hubFolder = () => t`Use the whole folder from the Hub.`;

/** Sentences by the code of a WebertError. */
const SENTENCES: Record<string, (facts: Facts) => string> = {
  network: ({ thing, offline }) =>
    t`${thing} could not be fetched${offline ? t`: you seem to be offline. Try again when there is a connection.` : t`. Try again in a moment.`}`,
  not_found: (facts) =>
    facts.fetched || facts.offline
      ? SENTENCES.network!(facts)
      : facts.own
        ? t`The folder lacks a file that the model needs. ${hubFolder()}`
        : t`${facts.thing} could not be found where this page comes from. Try again later, or contact the owner of the page.`,
  bad_config: (facts) => damaged(facts, t`its config.json is damaged or describes another kind of model`),
  bad_tokenizer: (facts) =>
    damaged(facts, t`the file with its vocabulary is damaged or of a kind that this page cannot read`),
  bad_weights: (facts) => damaged(facts, t`its weights are damaged or belong to another model`),
  unsupported: ({ own, device }) =>
    device === "webgpu"
      ? t`${own ? t`This model` : t`The page`} cannot use the graphics card here. Choose Auto or CPU.`
      : own
        ? t`This kind of model cannot be used here: the page needs a BERT that fills masks.`
        : t`This browser lacks a feature that the page needs. Current versions of Chrome, Edge, Firefox and Safari have it.`,
  bad_input: ({ gaps, limit }) =>
    gaps && limit !== undefined && Number.isFinite(limit)
      ? t`The model reads the first ${limit} pieces of a text, and a gap comes after them. Shorten what is before it.`
      : t`The model cannot use this text. Try another one.`,
  out_of_memory: ({ own }) =>
    t`There is not enough memory for this. Close other tabs and programs, or take ${own ? t`a smaller model` : t`a shorter text`}.`,
  device_lost: ({ device }) =>
    device === "webgpu"
      ? t`The graphics card stopped computing. Ask again; if it stops once more, choose CPU.`
      : t`The model's program stopped. ${reload()}`,
  disposed: () => t`The model has been replaced by another one. Ask again.`,
  aborted: () => t`This was stopped. Ask again.`,
};

const damaged = ({ own, thing }: Facts, what: string) =>
  own
    ? t`This model cannot be read: ${what}. ${hubFolder()}`
    : t`The download is incomplete or damaged: ${thing[0]!.toLowerCase()}${thing.slice(1)}. Try again, or contact the owner of the page.`;

/** Errors of browsers for files that they cannot read: moved or changed since they were chosen, or not permitted. */
const UNREADABLE = ["NotReadableError", "NotFoundError", "SecurityError", "EncodingError"];

/** Returns the sentence that explains an error to a visitor. */
export function explain(
  error: unknown,
  { thing = t`The model`, own = false, device, gaps = false, limit, offline = !navigator.onLine }: About = {},
): string {
  if (error instanceof Mistake) return error.message;
  const { code, cause, name } = (error ?? {}) as { code?: string; cause?: unknown; name?: string };
  if (code !== undefined && Object.hasOwn(SENTENCES, code)) {
    // a file that is missing in a folder has no cause, because nothing failed
    return SENTENCES[code]!({ thing, own, device, gaps, limit, offline, fetched: cause !== undefined });
  }
  if (name !== undefined && UNREADABLE.includes(name))
    return t`The browser could not read what was chosen. Choose the folder again.`;
  return t`An unexpected error occurred. ${reload()}`;
}
