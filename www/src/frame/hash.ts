import { effect } from "@preact/signals";
import type { App } from "../app.ts";
import { readHash } from "../kept.ts";

/** Keeps the view and the address in step. Other parts of a link have been read by then and are removed, because one may be a text. */
export function followHash(app: App, ids: readonly string[]): void {
  const read = () => {
    const { view } = readHash(location.hash);
    if (ids.includes(view)) app.view.value = view;
  };
  read();
  addEventListener("hashchange", read);
  let first = true;
  effect(() => {
    const hash = `#${app.view.value}`;
    if (first) history.replaceState(null, "", hash);
    else if (location.hash !== hash) history.pushState(null, "", hash);
    first = false;
  });
}

/** The address that shows others the same view, text and settings. */
export function linkTo(app: App): string {
  const settings = app.settings().toString();
  return new URL(`#${app.view.value}${settings && `&${settings}`}`, location.href).href;
}
