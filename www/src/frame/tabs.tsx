import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app.ts";
import { t } from "../language.ts";
import { TABS } from "../views/index.ts";

/** The views' tabs: one tab stop, arrow keys move, by the ARIA practices. */
export function Tabs({ app }: { app: App }) {
  const list = useRef<HTMLDivElement>(null);
  const show = (index: number) => {
    app.view.value = TABS[index]!.id;
    const tab = list.current!.children[index] as HTMLElement;
    tab.focus();
  };
  // On a narrow screen the tab of a linked view may be out of sight.
  useEffect(() => {
    list.current!.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [app.view.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = Math.max(
      0,
      TABS.findIndex(({ id }) => id === app.view.value),
    );
    const last = TABS.length - 1;
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
  const stop = Math.max(
    0,
    TABS.findIndex(({ id }) => id === app.view.value),
  ); // the first one if the view has no tab
  return (
    <div class="tabs" role="tablist" aria-label={t`Views`} ref={list} onKeyDown={onKeyDown}>
      {TABS.map(({ id, title }, index) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={app.view.value === id}
          aria-controls="panel"
          tabIndex={index === stop ? 0 : -1}
          onClick={() => show(index)}
        >
          {t(title)}
        </button>
      ))}
    </div>
  );
}
