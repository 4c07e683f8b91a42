// State that survives a reload or travels in a link: named texts.
import { effect, type Signal, signal } from "@preact/signals";

const PLACE = "webert";

/** The state that this tab keeps; empty if the browser keeps nothing. */
function stored(): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? "{}");
  } catch {
    return {};
  }
}

/** The view and the settings in a hash: `#guess&text=…`. */
export function readHash(hash: string): { view: string; settings: Record<string, string> } {
  const [view = "", ...rest] = hash.replace(/^#/, "").split("&");
  return { view, settings: Object.fromEntries(new URLSearchParams(rest.join("&"))) };
}

/** Signals by their names. Each starts with the link's value, or else with the value that this tab kept. */
export class Kept {
  readonly #signals = new Map<string, { signal: Signal<string>; initial: string }>();
  readonly #begun = { ...stored(), ...readHash(location.hash).settings };

  signal(name: string, initial: string): Signal<string> {
    const there = this.#signals.get(name);
    if (there) return there.signal;
    const made = signal(this.#begun[name] ?? initial);
    this.#signals.set(name, { signal: made, initial });
    effect(() => {
      made.value;
      this.#store();
    });
    return made;
  }

  /** The entries that differ from their initial values. */
  all(): URLSearchParams {
    const changed = [...this.#signals].filter(([, { signal, initial }]) => signal.peek() !== initial);
    return new URLSearchParams(changed.map(([name, { signal }]) => [name, signal.peek()]));
  }

  #store(): void {
    const values = Object.fromEntries([...this.#signals].map(([name, { signal }]) => [name, signal.peek()]));
    try {
      sessionStorage.setItem(PLACE, JSON.stringify({ ...this.#begun, ...values }));
    } catch {
      // the text is too long, or the browser keeps nothing: it is lost on reload
    }
  }
}
