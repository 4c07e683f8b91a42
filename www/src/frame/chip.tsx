import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app.ts";
import { amount, milliseconds, timeLeft } from "../format.ts";
import { t } from "../language.ts";
import { ModelPanel } from "./model-panel.tsx";

/** The device and model in one line; it opens to the choices of device and model. */
export function Chip({ app }: { app: App }) {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const away = (event: Event) => {
      if (!box.current!.contains(event.target as Node)) open.value = false;
    };
    const closeByEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !open.value) return;
      open.value = false;
      box.current!.querySelector("button")!.focus();
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("keydown", closeByEscape);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("keydown", closeByEscape);
    };
  }, [open]);
  const status = app.status.value;
  const done = status.kind === "loading" && status.total ? status.loaded / status.total : 1;
  return (
    <div class="chip-box" ref={box}>
      <button
        type="button"
        class="model-chip"
        aria-expanded={open.value}
        aria-controls="model-panel"
        style={{ "--done": `${100 * done}%` }}
        onClick={() => (open.value = !open.value)}
      >
        <span class="visually-hidden">{t`The model: `}</span>
        {stateOf(app)}
        {left(app) && <span class="left"> · {left(app)}</span>}
      </button>
      <div id="model-panel" class="model-panel" hidden={!open.value}>
        {open.value && <ModelPanel app={app} />}
      </div>
    </div>
  );
}

/** The device, speed and size of the model, or the progress of its load. */
function stateOf(app: App): string {
  const status = app.status.value;
  const info = app.info.value;
  if (status.kind === "loading" && !info) {
    return status.total
      ? t`${Math.floor(status.loaded / 1e6)} of ${amount(status.total, "B")}`
      : t`Fetching the model …`;
  }
  if (status.kind === "loading") return t`Another model …`;
  if (!info) return t`No model`;
  const took = app.took.value;
  return [
    info.device === "webgpu" ? "GPU" : "CPU",
    ...(took === undefined ? [] : [milliseconds(took)]),
    amount(info.bytes, "B"),
  ].join(" · ");
}

/** The time until the first model is loaded, if it can be estimated. */
function left(app: App): string | undefined {
  const status = app.status.value;
  const isFirst = status.kind === "loading" && !app.info.value;
  return isFirst && status.seconds !== undefined ? t`${timeLeft(status.seconds)} left` : undefined;
}
