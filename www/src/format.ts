// Numbers and pieces of text for people and screen readers.
import { language, t } from "./language.ts";

/** Digits with the decimal separator of the page's language: German, French and Spanish write a comma. */
export const local = (digits: string): string => (language.value === "en" ? digits : digits.replace(".", ","));

/** A WordPiece for speech: a continuing piece begins with dots instead of "##". */
export const spoken = (piece: string): string => piece.replace(/^##(?=.)/, "…");

/** 0.1234 → "12.3 %". Very small values keep one significant digit; smaller ones become "< …". */
export function percent(score: number): string {
  const value = 100 * score;
  if (value > 0 && value < 0.001) return local("< 0.001 %");
  return local(`${value >= 0.1 || value === 0 ? value.toFixed(1) : value.toPrecision(1)} %`);
}

/** 0.1234 → "12 %", for little room; below half a percent "< 1 %". */
export const wholePercent = (score: number): string =>
  score > 0 && score < 0.005 ? "< 1 %" : `${Math.round(100 * score)} %`;

/** 1234567 → "1.2 MB" (or another unit than "B"). */
export function amount(count: number, unit: string): string {
  const [factor, prefix] = count >= 1e9 ? [1e9, "G"] : count >= 1e6 ? [1e6, "M"] : count >= 1e3 ? [1e3, "k"] : [1, ""];
  const value = count / (factor as number);
  return local(`${factor === 1 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${prefix}${unit}`.trim());
}

/** Milliseconds in a readable form. */
export const milliseconds = (ms: number): string =>
  local(ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** A word as the page names it in a sentence; a very long word is cut. */
export const named = (word: string): string => (word.length > 40 ? `${word.slice(0, 39)}…` : word);

/** Remaining seconds in words: "about 2 minutes". */
export function timeLeft(seconds: number): string {
  if (seconds < 1.5) return t`a second`;
  if (seconds < 90) return t`${Math.ceil(seconds / (seconds < 20 ? 1 : 5)) * (seconds < 20 ? 1 : 5)} seconds`;
  return t`about ${Math.round(seconds / 60)} minutes`;
}

/** A sentence with its capital and its full stop. */
export const sentence = (text: string): string =>
  text && `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
