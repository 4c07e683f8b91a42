import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Stretch } from "../text/stretches.ts";
import { moveFocus } from "./arrow-keys.ts";

/** Milliseconds after which a press counts as holding. */
const HELD = 450;

/**
 * A sentence as its words and gaps, in large type. Each is a button. Together they are one tab stop; arrow keys, Home and End move within.
 * `dress` returns a word's appearance and name: class, style, label, pressed state, and the text in its place. `onHold` is called for a word
 * that is held down, or on which the down arrow is pressed.
 */
export function Words({
  stretches,
  label,
  dress,
  onPress,
  onHold,
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
  onHold?: (stretch: Stretch) => void;
  /** Shown after the last word if the text is longer. */
  more?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const words = stretches.filter(({ kind }) => kind !== "between");
  const active = Math.min(stop, words.length - 1);
  const hold = useHold(onHold);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" && onHold && words[active]) {
      event.preventDefault();
      onHold(words[active]);
    } else moveFocus(event, [...box.current!.querySelectorAll("button")]);
  };
  const length = stretches.at(-1)?.end ?? 0;
  const size = length > 400 ? " longer" : length > 130 ? " long" : "";
  let number = -1;
  return (
    <div class={`words${size}`} role="group" aria-label={label} dir="auto" ref={box} onKeyDown={onKeyDown}>
      <span lang="en">
        {stretches.map((stretch, index) => {
          if (stretch.kind === "between") return stretch.text.slice(endOf(stretches, index).length);
          const mine = ++number;
          const { class: name = "", style, label, pressed, content } = dress(stretch, index);
          const button = (
            <button
              key={`${index}`}
              type="button"
              class={`word ${name}`}
              style={style}
              aria-label={label}
              aria-pressed={pressed}
              tabIndex={mine === active ? 0 : -1}
              onFocus={() => setStop(mine)}
              {...hold.begins(stretch)}
              onClick={() => hold.ends() || onPress(stretch, index)}
            >
              {content ?? stretch.text}
            </button>
          );
          const end = endOf(stretches, index + 1);
          return end ? (
            <span key={`${index}`} class="word-end">
              {button}
              {end}
            </span>
          ) : (
            button
          );
        })}
      </span>
      {more && <small class="more"> {more}</small>}
    </div>
  );
}

/** Longest word, in characters, that its punctuation stays with: together they must fit into a line. */
const SHORT = 12;

/** The punctuation at the start of the stretch at `index` that stays in the line of the word before. A line may break on either side of a button. */
function endOf(stretches: readonly Stretch[], index: number): string {
  const [word, after] = [stretches[index - 1], stretches[index]];
  if (!word || word.text.length > SHORT || after?.kind !== "between") return "";
  return /^[^\s\p{L}\p{N}]{1,3}/u.exec(after.text)?.[0] ?? "";
}

/** The handlers of a word that can be held down. `ends` returns true for the click that ends a hold. */
function useHold(onHold?: (stretch: Stretch) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isHeld = useRef(false);
  const begins = (stretch: Stretch) => {
    if (!onHold) return {};
    const stop = () => clearTimeout(timer.current);
    return {
      onPointerDown: () => {
        stop();
        isHeld.current = false;
        timer.current = setTimeout(() => {
          isHeld.current = true;
          onHold(stretch);
        }, HELD);
      },
      onPointerUp: stop,
      onPointerLeave: stop,
      onPointerCancel: stop,
      // a long press of a finger opens a menu
      onContextMenu: (event: Event) => isHeld.current && event.preventDefault(),
    };
  };
  const ends = () => {
    const was = isHeld.current;
    isHeld.current = false;
    return was;
  };
  return { begins, ends };
}
