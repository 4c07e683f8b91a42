// Restores a stream of text in which a placeholder may be split over several chunks.
import type { Memory } from "./memory.js";

/** What a placeholder may be longer than its label and number: brackets and escapes. */
const AROUND = 40;

/** Returns a stream that restores the placeholders of a session. */
export function restoring(memory: Memory): TransformStream<string, string> {
  let held = "";
  return new TransformStream<string, string>({
    transform(chunk, controller) {
      held += chunk;
      const safe = safeEnd(held, memory);
      if (safe === 0) return;
      controller.enqueue(memory.restorePart(held.slice(0, safe)));
      held = held.slice(safe);
    },
    flush(controller) {
      if (held) controller.enqueue(memory.restorePart(held));
    },
  });
}

/** Returns the length of the beginning of a text in which no placeholder can end later. */
function safeEnd(text: string, memory: Memory): number {
  const longest = Math.max(0, ...Array.from(memory.names.given.keys(), ({ length }) => length)) + AROUND;
  const words = [...memory.names.given.keys()];
  for (let at = Math.max(0, text.length - longest); at < text.length; at++)
    if (mayBegin(text.slice(at), words)) return at;
  return text.length;
}

const SIGNS = /[\\[\]【】〔〕［］<>«»‹›「」_\s\u2010-\u2015*`-]|&(?:#?\w{0,6};?)?|%(?:[\dA-F]{0,2})/giu;
const letters = (text: string) => text.replace(SIGNS, "").toUpperCase();

/** Returns whether a placeholder may begin with all of `tail`. */
function mayBegin(tail: string, words: readonly string[]): boolean {
  if (!/^[\\[【〔［<«‹「&%\p{L}]/u.test(tail)) return words.some((word) => word.startsWith(tail));
  const plain = letters(tail);
  return words.some((word) => {
    if (word.startsWith(tail)) return true;
    const whole = letters(word);
    const label = whole.replace(/\d+$/, "");
    return (
      whole.startsWith(plain) ||
      (plain.startsWith(label) &&
        /^\d*$/.test(plain.slice(label.length)) &&
        !/[\]】〕］>»›」]\s?$/.test(tail) &&
        /[\d\s_\\-]$|[\p{L}]$/u.test(tail) &&
        tail.length <= word.length + AROUND)
    );
  });
}
