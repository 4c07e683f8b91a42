import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app.ts";
import { t } from "../language.ts";
import { VIEWS } from "../views/index.ts";

/** The views' tabs: one tab stop, arrow keys move, by the ARIA practices. */
export function Tabs({ app }: { app: App }) {
  const list = useRef<HTMLDivElement>(null);
  const show = (index: number) => {
    app.view.value = VIEWS[index]!.id;
    const tab = list.current!.children[index] as HTMLElement;
    tab.focus();
  };
  // On a narrow screen the tab of a linked view may be out of sight.
  useEffect(() => {
    list.current!.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [app.view.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = VIEWS.findIndex(({ id }) => id === app.view.value);
    const last = VIEWS.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  };
  return (
    <div class="tabs" role="tablist" aria-label={t`Views`} ref={list} onKeyDown={onKeyDown}>
      {VIEWS.map(({ id, title }, index) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={app.view.value === id}
          aria-controls="panel"
          tabIndex={app.view.value === id ? 0 : -1}
          onClick={() => show(index)}
        >
          {t(title)}
        </button>
      ))}
    </div>
  );
}
