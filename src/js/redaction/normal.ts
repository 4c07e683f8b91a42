// Brings a text to the form that detectors and models read: plain digits, no invisible characters, composed letters.

/** A text in its normal form, with the place of each of its UTF-16 code units in the original. */
export interface Normal {
  readonly text: string;
  /** Returns the range of the original text that became `text.slice(start, end)`. */
  original(start: number, end: number): { start: number; end: number };
}

/** Characters that are not drawn: soft hyphen, zero-width and direction marks, variation selectors. */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]/;
const NAMED: Record<string, string> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", commat: "@", period: ".", colon: ":" },
  ...{ hyphen: "-", lowbar: "_", num: "#", plus: "+", sol: "/", lpar: "(", rpar: ")", comma: ",", shy: "", zwnj: "" },
};
/** HTML's references, the @ of an encoded URL, and one visible character with its combining marks. */
const UNIT = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-z]{2,6});|%40|\P{M}\p{M}*|\p{M}+/gsu;
/** Text that is in its normal form without a closer look. */
const PLAIN = /^(?:[\t\n\r -$'-~]|%(?!40)|&(?!#|[a-z]{2,6};))*$/;

/** How many code units to convert before yielding to the event loop. */
const SLICE = 8_000;

/** Returns the normal form of a text. `tick` is awaited between parts of long texts. */
export async function normal(text: string, tick: () => Promise<void>): Promise<Normal> {
  const out: string[] = [];
  let starts: number[] | undefined;
  let ends: number[] = [];
  for (let from = 0; from < text.length; ) {
    const to = boundary(text, from + SLICE);
    const part = text.slice(from, to);
    if (PLAIN.test(part)) {
      out.push(part);
      if (starts) for (let at = from; at < to; at++) starts.push(at), ends.push(at + 1);
    } else {
      starts ??= Array.from({ length: from }, (_, at) => at);
      if (ends.length < starts.length) ends = starts.map((at) => at + 1);
      out.push(converted(part, from, starts, ends));
    }
    from = to;
    await tick();
  }
  return { text: out.join(""), original: originalOf(starts, ends) };
}

function originalOf(starts: readonly number[] | undefined, ends: readonly number[]): Normal["original"] {
  if (!starts) return (start, end) => ({ start, end });
  return (start, end) => (end > start ? { start: starts[start]!, end: ends[end - 1]! } : { start: 0, end: 0 });
}

/** Returns a place near `at` where a text may be cut: after white space if there is some nearby. */
function boundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  for (let place = at; place > at - 300; place--) if (/\s/.test(text[place - 1]!)) return place;
  return /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at;
}

function converted(part: string, from: number, starts: number[], ends: number[]): string {
  let text = "";
  for (const { 0: unit, index } of part.matchAll(UNIT)) {
    const written = plain(unit);
    text += written;
    for (let n = 0; n < written.length; n++) starts.push(from + index), ends.push(from + index + unit.length);
  }
  return text;
}

/** Returns the normal form of one unit. */
function plain(unit: string): string {
  if (unit.length === 1 && unit < "\u0080") return unit;
  if (unit === "%40") return "@";
  if (unit.startsWith("&") && unit.length > 1) return reference(unit);
  if (INVISIBLE.test(unit)) return unit.length === 1 ? "" : plain(unit.replace(new RegExp(INVISIBLE, "g"), ""));
  if (/^[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]$/.test(unit)) return "-";
  if (/^[\u2018\u2019\u201b\u02bc\uff07]$/.test(unit)) return "'";
  if (/^[\u2028\u2029\u0085]$/.test(unit)) return "\n";
  const digit = /^\p{Nd}$/u.test(unit) ? digitOf(unit.codePointAt(0)!) : undefined;
  return (
    digit ??
    (/^[\u3000\uff01-\uffee\u00a0\u2000-\u200a\u202f\u205f]|\p{M}|^[\u{1d400}-\u{1d7ff}]/u.test(unit)
      ? unit.normalize("NFKC")
      : unit)
  );
}

/** Returns the character of an HTML reference, or the reference if it is unknown. */
function reference(unit: string): string {
  const name = unit.slice(1, -1);
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  if (!name.startsWith("#")) return NAMED[name] ?? unit;
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? plain(String.fromCodePoint(code)) : unit;
}

/**
 * Returns the value of a decimal digit of any script. Unicode encodes the digits of a script in ascending order, so
 * the zero is the first of at most ten neighbours. The mathematical digits are five such sets without a gap.
 */
function digitOf(code: number): string {
  if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10);
  let zero = code;
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}
