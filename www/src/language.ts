// The page's own words in the visitor's language. The key of a message is its English text; catalogues are in languages/.
import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { keepChoice, type Language, visitorLanguage } from "./preferred.ts";

export { LANGUAGES, type Language, preferred } from "./preferred.ts";

/** Translations by English text. `{0}`, `{1}` … stand for what the page puts in. */
type Catalogue = Readonly<Record<string, string>>;

const LOADS: Partial<Record<Language, () => Promise<{ default: Catalogue }>>> = {
  de: () => import("./languages/de.json"),
  fr: () => import("./languages/fr.json"),
  es: () => import("./languages/es.json"),
};

/** The language in use. It changes when its catalogue is loaded. */
export const language: Signal<Language> = signal("en");
const catalogue: Signal<Catalogue | null> = signal(null);

/** The key of a tagged template: `Gap ${1}` is "Gap {0}". */
const keyOf = (parts: readonly string[]) => parts.reduce((key, part, at) => `${key}{${at - 1}}${part}`);

/**
 * A message in the visitor's language. A component that calls it is drawn again in another language.
 * @example t`Gap ${number} of ${count}`
 */
export function t(parts: TemplateStringsArray | string, ...values: readonly (string | number | undefined)[]): string {
  return tx(parts, ...values).join("");
}

/** Like `t`, for values that are elements. Returns the pieces in the order of the language. */
export function tx(parts: TemplateStringsArray | string, ...values: readonly ComponentChildren[]): ComponentChildren[] {
  const key = typeof parts === "string" ? parts : keyOf(parts);
  const text = catalogue.value?.[key] ?? key;
  return text.split(/\{(\d)\}/).map((part, at) => (at % 2 ? values[Number(part)] : part));
}

/** Marks a text that is translated later, by `t(text)`. */
export const later = (text: string): string => text;

/** What follows the name in the title of the document. */
const TITLE = later(": BERT, in this page");

/** The language that was asked for last. An earlier catalogue may arrive later. */
let latest: Language = "en";

/** Uses a language, once its catalogue is loaded. After a failure the page keeps its language. */
export async function speak(wanted: Language): Promise<void> {
  latest = wanted;
  try {
    const found = (await LOADS[wanted]?.())?.default ?? null;
    if (latest !== wanted) return;
    catalogue.value = found;
    language.value = wanted;
    document.documentElement.lang = wanted;
    document.title = `webert${t(TITLE)}`;
  } catch {
    // the catalogue could not be fetched
  }
}

/** Uses the language that the visitor prefers. */
export function speakPreferred(): void {
  const wanted = visitorLanguage();
  if (wanted !== "en") speak(wanted);
}

/** Uses a language, and keeps the choice for later visits. */
export function choose(wanted: Language): void {
  keepChoice(wanted);
  speak(wanted);
}
