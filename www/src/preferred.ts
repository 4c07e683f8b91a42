// The language that a visitor prefers, known before the page's program is loaded.

/** The languages of the page, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;

/** Where the browser keeps the visitor's choice. */
const PLACE = "webert-language";

/** The visitor's choice, or else the first of the browser's languages that the page has. */
export function preferred(languages: readonly string[], chosen: string | null): Language {
  const known = (id: string): id is Language => Object.hasOwn(LANGUAGES, id);
  return [chosen ?? "", ...languages].map((id) => id.slice(0, 2).toLowerCase()).find(known) ?? "en";
}

/** The language that this visitor prefers. */
export function visitorLanguage(): Language {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(PLACE);
  } catch {
    // the browser keeps nothing
  }
  return preferred(navigator.languages, chosen);
}

/** Keeps a choice for later visits. */
export function keepChoice(wanted: Language): void {
  try {
    localStorage.setItem(PLACE, wanted);
  } catch {
    // the choice is lost on reload
  }
}
