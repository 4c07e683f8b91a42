// Personal data in the passages, shown as placeholders while it is hidden.
import { effect, type Signal, signal } from "@preact/signals";
import { type RedactedEntity, type RedactOptions, redact } from "webert";
import type { App } from "../../app.ts";
import { language, t } from "../../language.ts";
import type { Model } from "../../model.ts";
import { ENTITY_NAMES } from "../../text/entity-names.ts";
import type { Passage } from "./passages.ts";
import type { Collection } from "./state.ts";

type Entities = ReadonlyMap<number, readonly RedactedEntity[]>;

/** The entities found in passages. */
export interface PersonalData {
  passages: readonly Passage[];
  /** By the passages' ids, in order of their places. */
  entities: Entities;
  /** True if a model looked for names as well; false if only the rules were applied. */
  byModel: boolean;
  /** Replaces the placeholders in a text by their entities. */
  restore: (text: string) => string;
}

/** A part of a passage, with a `placeholder` if it is hidden. */
export interface Part {
  start: number;
  end: number;
  placeholder?: string;
}

/** Looks for personal data while it is to be hidden: first by rule, which takes a moment, then by the model, if one exists. */
export class PersonalDataFinder {
  readonly #app: App;
  readonly #collection: Signal<Collection | null>;
  /** "1" while personal data is hidden. */
  readonly hiding: Signal<string>;
  readonly found: Signal<PersonalData | null> = signal(null);
  /** True while the model is working. */
  readonly busy = signal(false);
  /** The model's error. */
  readonly error = signal<unknown>(undefined);

  constructor(app: App, collection: Signal<Collection | null>) {
    this.#app = app;
    this.#collection = collection;
    this.hiding = app.saved("find.hide", "");
  }

  /** Looks again when the passages or the model change. Returns the function that stops this. */
  follow(): () => void {
    return effect(() => {
      const [isHiding, model, collection] = [this.hiding.value, this.#app.model.value, this.#collection.value];
      if (!isHiding || !collection) return;
      const controller = new AbortController();
      this.#look(collection.passages, model, controller.signal);
      return () => controller.abort();
    });
  }

  async #look(passages: readonly Passage[], model: Model | null, abort: AbortSignal): Promise<void> {
    this.busy.value = false;
    this.error.value = undefined;
    try {
      if (this.found.peek()?.passages !== passages) this.found.value = await find(passages, false, abort);
      const loading = this.found.peek()!.byModel ? null : model?.entities();
      if (!loading) return;
      this.busy.value = true;
      this.found.value = await model!.using(async () => find(passages, await loading, abort));
    } catch (error) {
      if (!abort.aborted) this.error.value = error;
    }
    if (!abort.aborted) this.busy.value = false;
  }

  /** The hidden entities of these passages: empty if nothing is to be hidden, undefined until they are found. */
  hidden(passages: readonly Passage[]): Entities | undefined {
    if (!this.hiding.value) return NOTHING;
    const found = this.found.value;
    return found?.passages === passages ? found.entities : undefined;
  }
}

const NOTHING: Entities = new Map();

/** Finds entities in all passages at once, so that a placeholder means the same in each. */
async function find(
  passages: readonly Passage[],
  model: RedactOptions["model"] & (object | false),
  signal: AbortSignal,
): Promise<PersonalData> {
  const redactions = await redact(
    passages.map(({ text }) => text),
    { model, signal },
  );
  signal.throwIfAborted();
  const entities = new Map(redactions.map(({ entities }, at) => [passages[at]!.id, entities]));
  return { passages, entities, byModel: model !== false, restore: (worked) => String(redactions[0]!.restore(worked)) };
}

/** A text in parts, hidden entities among them. */
export function partsOf(text: string, entities: readonly RedactedEntity[]): Part[] {
  let end = 0;
  const parts = entities.flatMap(({ start, end: to, placeholder }) => {
    const before = { start: end, end: start };
    end = to;
    return [before, { start, end: to, placeholder }];
  });
  return [...parts, { start: end, end: text.length }];
}

/** The number of entities of each kind, equal ones counted once: "2 names, 1 place"; "" if none was found. */
export function counted({ entities }: PersonalData): string {
  const kinds = new Map<string, Set<string>>();
  for (const { entity_group, placeholder } of [...entities.values()].flat())
    kinds.set(entity_group, (kinds.get(entity_group) ?? new Set()).add(placeholder));
  return [...kinds]
    .map(([label, { size }]) => {
      const [one, several] = ENTITY_NAMES[label] ?? [`“${label}”`, `“${label}”`];
      return `${size.toLocaleString(language.value)} ${size === 1 ? t(one) : t(several)}`;
    })
    .join(", ");
}
