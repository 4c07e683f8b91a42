// A classic script that loads before the module. It reports a module, or an import of it, that cannot be loaded.
import { type Language, visitorLanguage } from "./preferred.ts";

/** What failed, what to do, and the sentence for a visitor without a network. The catalogues belong to the program that failed. */
const TEXTS: Record<Language, readonly [failed: string, again: string, offline: string]> = {
  en: ["The page's program could not be loaded.", "Load the page again to try once more.", "You seem to be offline."],
  de: [
    "Das Programm der Seite konnte nicht geladen werden.",
    "Laden Sie die Seite neu, um es noch einmal zu versuchen.",
    "Sie scheinen offline zu sein.",
  ],
  fr: [
    "Le programme de la page n’a pas pu être chargé.",
    "Rechargez la page pour réessayer.",
    "Vous semblez être hors ligne.",
  ],
  es: [
    "No se pudo cargar el programa de la página.",
    "Vuelva a cargar la página para intentarlo de nuevo.",
    "Parece que no tiene conexión.",
  ],
};

addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    const language = visitorLanguage();
    const [failed, again, offline] = TEXTS[language];
    document.documentElement.lang = language;
    document.getElementById("failed")!.textContent = [failed, ...(navigator.onLine ? [] : [offline]), again].join(" ");
  },
  true,
);
