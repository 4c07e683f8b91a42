// The views in the order of their tabs. Each is fetched when it first opens.
import type { ComponentType } from "preact";
import type { App } from "../app.ts";
import { later } from "../language.ts";

/** The default export of a view's folder. */
export interface ViewModule {
  id: string;
  View: ComponentType<{ app: App }>;
}

export interface ViewEntry {
  id: string;
  /** The tab's name, in English. */
  title: string;
  load: () => Promise<{ default: ViewModule }>;
  /** True if the view has no tab: a link at the foot of the page opens it. */
  isLinked?: true;
  /** True if the view does not use the sentence in the field. */
  ignoresText?: true;
}

/** The view whose styles are part of the page's. */
const FIRST = "guess";

const sheets = new Map<string, Promise<void>>();

/** Adds the style sheet of a view, once. After a failure the next call tries again. */
export function addStyles(id: string): Promise<void> {
  if (id === FIRST) return Promise.resolve();
  const there = sheets.get(id);
  if (there) return there;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `view-${id}.css` });
  const added = new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      sheets.delete(id);
      reject(new Error(`the styles of ${id} could not be fetched`));
    };
  });
  sheets.set(id, added);
  document.head.append(link);
  return added;
}

/** URLs of the views' modules that could not be fetched, by view. */
const failed = new Map<string, string>();
let tries = 0;

/**
 * Fetches the code of a view. Chromium 148 does not fetch a module again after a failure, so the next call adds a query to the
 * URL that the error names. If it names none, the next call imports the same URL.
 */
export async function loadView({ id, load }: ViewEntry): ReturnType<ViewEntry["load"]> {
  const url = failed.get(id);
  try {
    return await (url ? import(`${url}?try=${++tries}`) : load());
  } catch (error) {
    const [found] = /https?:\S+\.js/.exec(error instanceof Error ? error.message : "") ?? [];
    if (found) failed.set(id, found);
    throw error;
  }
}

/** In the order in which a visitor learns: try, judge, compare, play, look inside, teach, search, grow. */
export const VIEWS: readonly ViewEntry[] = [
  { id: "guess", title: later("Guess"), load: () => import("./guess/index.tsx") },
  { id: "judge", title: later("Judge"), load: () => import("./judge/index.tsx") },
  { id: "compare", title: later("Compare"), load: () => import("./compare/index.tsx") },
  { id: "odd-word", title: later("Odd word out"), load: () => import("./odd-word/index.tsx") },
  { id: "beat", title: later("Beat BERT"), load: () => import("./beat/index.tsx"), ignoresText: true },
  { id: "inside", title: later("Inside"), load: () => import("./inside/index.tsx") },
  { id: "watch", title: later("Watch it think"), load: () => import("./watch/index.tsx") },
  { id: "look", title: later("Look"), load: () => import("./look/index.tsx") },
  { id: "teach", title: later("Teach"), load: () => import("./teach/index.tsx") },
  { id: "find", title: later("Find"), load: () => import("./find/index.tsx") },
  { id: "grow", title: later("Grow"), load: () => import("./grow/index.tsx"), ignoresText: true },
  {
    id: "measure",
    title: later("Measure this device"),
    load: () => import("./measure/index.tsx"),
    isLinked: true,
    ignoresText: true,
  },
];

/** The views with a tab. */
export const TABS: readonly ViewEntry[] = VIEWS.filter(({ isLinked }) => !isLinked);
