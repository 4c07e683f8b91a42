/** The element with this id. */
export const $ = (id) => document.getElementById(id);

/** A new element: its properties, then its children. Text is always text, never markup. */
export function el(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** A WordPiece as it is to be spoken: one that continues a word begins with dots in place of "##". */
export const spoken = (piece) => piece.replace(/^##(?=.)/, "…");

/** 0.1234 → "12.3 %"; very small ones keep a digit that says something. */
export function percent(score) {
  const value = 100 * score;
  return `${value >= 0.1 || value === 0 ? value.toFixed(1) : value.toPrecision(1)} %`;
}

/** 1234567 → "1.2 MB" (or another unit than "B"). */
export function amount(count, unit) {
  const [factor, prefix] = count >= 1e9 ? [1e9, "G"] : count >= 1e6 ? [1e6, "M"] : count >= 1e3 ? [1e3, "k"] : [1, ""];
  const value = count / factor;
  return `${factor === 1 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${prefix}${unit}`.trim();
}

/** Milliseconds, as a person reads them. */
const milliseconds = (ms) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/**
 * What an answer took, in milliseconds; where the text was cut, also that only its first `limit` tokens were read (Infinity: a number
 * that is not known).
 */
export function tookSentence(ms, truncated, limit) {
  const read = Number.isFinite(limit) ? `the first ${limit} tokens were` : "the beginning was";
  return `answered in ${milliseconds(ms)}${truncated ? `. Only ${read} read.` : ""}`;
}

/** A sentence with its capital and its full stop. */
export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
