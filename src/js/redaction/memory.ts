// What a call or a session knows: things, their placeholders, and the texts in which they stand.
import type { Tick } from "../abort.js";
import { WebertError } from "../errors.js";
import { kindOf } from "../values.js";
import { loosely, type Names, occurrences, placeholdersIn } from "./placeholders.js";
import { type Thing, Things } from "./things.js";
import type { Restored, SavedRedactor } from "./types.js";

/** A redacted text: its hash, and for each placeholder its place, the thing and the spelling it stands for. */
export interface RedactedText {
  hash: string;
  length: number;
  /** Triples of place, index of the thing, index of the spelling. */
  places: number[];
}

/** Maximum number of texts whose places a session keeps. */
const MAX_TEXTS = 1000;

/** The knowledge of a call or session. */
export class Memory {
  readonly things = new Things();
  readonly names: Names = { given: new Map(), taken: new Set(), numbers: new Map() };
  /** Redacted texts, the last one at the end. */
  readonly texts: RedactedText[] = [];
  readonly #index = new Map<Thing, number>();
  /** Labels that placeholders may have. */
  readonly labels = new Set<string>();
  seed: string;

  constructor(seed: string) {
    this.seed = seed;
  }

  /** Remembers a redacted text: `found` holds the start of each placeholder, the thing and the spelling. */
  keep(text: string, found: readonly [number, Thing, string][]): RedactedText {
    for (let n = this.#index.size; n < this.things.all.length; n++) this.#index.set(this.things.all[n]!, n);
    const places = found.flatMap(([start, thing, form]) => [start, this.#index.get(thing)!, formOf(thing, form)]);
    const kept = { hash: hashOf(text), length: text.length, places };
    this.texts.push(kept);
    if (this.texts.length > MAX_TEXTS) this.texts.shift();
    return kept;
  }

  /**
   * Replaces placeholders by what they stand for, and reports missing and unknown ones. `own` is the redacted text
   * whose `restore` is called: another text may have become the same one.
   */
  restore(text: unknown, own?: RedactedText): Restored {
    if (typeof text !== "string") throw new WebertError("bad_input", `restore: expected a string, got ${kindOf(text)}`);
    const hash = hashOf(text);
    const isSame = (kept: RedactedText) => kept.hash === hash && kept.length === text.length;
    const same = own && isSame(own) ? own : [...this.texts].reverse().find(isSame);
    if (same) return { text: this.#exactly(text, same), missing: [], unknown: [] };
    const { found, unknown } = this.#placeholders(text);
    const forms = this.#formsOf(found);
    const parts: string[] = [];
    let end = 0;
    for (const [n, { start, end: to, thing }] of found.entries()) {
      parts.push(text.slice(end, start), forms?.[n] ?? thing.forms[thing.main]!);
      end = to;
    }
    return { text: parts.join("") + text.slice(end), missing: this.#missing(found), unknown };
  }

  /** Restores a part of a text. */
  restorePart(text: string): string {
    const { found } = this.#placeholders(text);
    const parts: string[] = [];
    let end = 0;
    for (const { start, end: to, thing } of found) {
      parts.push(text.slice(end, start), thing.forms[thing.main]!);
      end = to;
    }
    return parts.join("") + text.slice(end);
  }

  /** Restores a text that was returned by `redact`. */
  #exactly(text: string, { places }: RedactedText): string {
    const parts: string[] = [];
    let end = 0;
    for (let n = 0; n < places.length; n += 3) {
      const thing = this.things.all[places[n + 1]!]!;
      const form = thing.forms[places[n + 2]!]!;
      parts.push(text.slice(end, places[n]!), form);
      end = places[n]! + replacementOf(thing, form).length;
    }
    return parts.join("") + text.slice(end);
  }

  /** Returns the placeholders in a text: as they were given, and in other forms if they are default ones. */
  #placeholders(text: string): { found: { start: number; end: number; thing: Thing }[]; unknown: string[] } {
    const { given, taken } = this.names;
    const found: { start: number; end: number; thing: Thing }[] = [];
    for (const at of occurrences(text, given))
      if (at) found.push({ start: at.start, end: at.start + at.word.length, thing: given.get(at.word)! });
    const unknown: string[] = [];
    const exact = new Map(found.map((at) => [at.start, at]));
    let last = 0;
    for (const { start, end, placeholder } of placeholdersIn(text, loosely([...this.labels]))) {
      const thing = given.get(placeholder);
      const isKnown = exact.has(start) || start < last || [1, 2, 3].some((ahead) => exact.has(start + ahead) && !thing);
      last = Math.max(last, end);
      if (isKnown) continue;
      if (thing) found.push({ start, end, thing });
      else if (!taken.has(placeholder)) unknown.push(text.slice(start, end));
    }
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    let before = 0;
    const apart = found.filter(({ start, end }) => start >= before && ((before = end), true));
    return { found: apart, unknown: [...new Set(unknown)] };
  }

  /** Returns the spellings if the text has the placeholders of a redacted text in the same order. */
  #formsOf(found: readonly { thing: Thing }[]): string[] | undefined {
    const alike = [...this.texts]
      .reverse()
      .find(
        ({ places }) =>
          places.length === 3 * found.length &&
          found.every(({ thing }, n) => this.things.all[places[3 * n + 1]!] === thing),
      );
    return alike && found.map(({ thing }, n) => thing.forms[alike.places[3 * n + 2]!]!);
  }

  #missing(found: readonly { thing: Thing }[]): string[] {
    const there = new Set(found.map(({ thing }) => thing));
    const places = this.texts.at(-1)?.places ?? [];
    const wanted = new Set(places.filter((_, n) => n % 3 === 1).map((n) => this.things.all[n]!));
    return [...wanted].filter((thing) => !there.has(thing)).map(({ placeholder }) => placeholder);
  }

  /** Throws unless the placeholders of a redacted text can be told from the text around them. */
  async check(text: string, starts: readonly number[], given: ReadonlyMap<string, Thing>, tick: Tick): Promise<void> {
    let n = 0;
    for (const found of occurrences(text, given)) {
      if (!found) await tick();
      else if (found.start === starts[n]) n++;
      else if (starts[n] !== undefined && found.start + found.word.length > starts[n]!) break;
    }
    if (n !== starts.length)
      throw new WebertError(
        "bad_input",
        "placeholder: got names that merge with the text around them, so the text could not be restored",
      );
  }

  toJSON(): SavedRedactor {
    return {
      version: 1,
      things: this.things.all.map((thing) => ({ ...thing, forms: [...thing.forms] })),
      texts: this.texts.map(({ hash, length, places }) => ({ hash, length, places: [...places] })),
      taken: [...this.names.taken],
      seed: this.seed,
    };
  }

  /** Returns the knowledge of a saved session. */
  static from(saved: SavedRedactor): Memory {
    if (saved?.version !== 1 || !Array.isArray(saved.things) || !Array.isArray(saved.texts))
      throw new WebertError("bad_input", "createRedactor.from: expected the value of a session's toJSON");
    const memory = new Memory(saved.seed);
    for (const one of saved.things) {
      const thing = { ...one, forms: [...one.forms] };
      const { label, placeholder } = thing;
      memory.things.load(thing);
      if (!thing.byForm) memory.names.given.set(placeholder, thing);
      memory.labels.add(label);
      const number = Number(/_(\d+)\]$/.exec(placeholder)?.[1] ?? 0);
      memory.names.numbers.set(label, Math.max(memory.names.numbers.get(label) ?? 0, number));
    }
    for (const word of saved.taken) memory.names.taken.add(word);
    memory.texts.push(...saved.texts.map((text) => ({ ...text, places: [...text.places] })));
    return memory;
  }
}

function formOf(thing: Thing, form: string): number {
  const known = thing.forms.indexOf(form);
  return known >= 0 ? known : thing.forms.push(form) - 1;
}

/** What stands for a spelling of a thing. Ways that depend on the spelling keep it beside the placeholder. */
export function replacementOf(thing: Thing, form: string): string {
  return thing.byForm?.[form] ?? thing.placeholder;
}

/** Returns a 53-bit hash of a text in hexadecimal (cyrb53). It tells texts apart and protects nothing. */
export function hashOf(text: string, seed = 0): string {
  let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16);
}
