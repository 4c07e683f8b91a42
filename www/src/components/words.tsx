import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Stretch } from "../text/stretches.ts";
import { moveFocus } from "./arrow-keys.ts";

/**
 * A sentence as its words and gaps, large: each a button; one tab stop for all of them, arrow keys, Home and End move within. `dress` says what a
 * word looks like and is called: its class, style, label, whether it is pressed, and what stands in its place.
 */
export function Words({
  stretches,
  label,
  dress,
  onPress,
  more,
}: {
  stretches: readonly Stretch[];
  label: string;
  dress: (
    stretch: Stretch,
    index: number,
  ) => {
    class?: string;
    style?: Record<string, string>;
    label?: string;
    pressed?: boolean;
    content?: ComponentChildren;
  };
  onPress: (stretch: Stretch, index: number) => void;
  /** Said after the last word, where not all of the text is shown. */
  more?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const words = stretches.filter(({ kind }) => kind !== "between");
  const active = Math.min(stop, words.length - 1);
  const onKeyDown = (event: KeyboardEvent) => moveFocus(event, [...box.current!.querySelectorAll("button")]);
  const length = stretches.at(-1)?.end ?? 0;
  const size = length > 400 ? " longer" : length > 130 ? " long" : "";
  let number = -1;
  return (
    <div class={`words${size}`} role="group" aria-label={label} dir="auto" ref={box} onKeyDown={onKeyDown}>
      {stretches.map((stretch, index) => {
        if (stretch.kind === "between") return stretch.text;
        const mine = ++number;
        const { class: name = "", style, label, pressed, content } = dress(stretch, index);
        return (
          <button
            key={`${index}`}
            type="button"
            class={`word ${name}`}
            style={style}
            aria-label={label}
            aria-pressed={pressed}
            tabIndex={mine === active ? 0 : -1}
            onFocus={() => setStop(mine)}
            onClick={() => onPress(stretch, index)}
          >
            {content ?? stretch.text}
          </button>
        );
      })}
      {more && <small class="more"> {more}</small>}
    </div>
  );
}
