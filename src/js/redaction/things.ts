// Knows which spellings name the same person, number or place.

/** What a placeholder stands for. */
export interface Thing {
  label: string;
  /** Its placeholder or other replacement; "" until it is chosen. */
  placeholder: string;
  /** Its spellings, in the order in which they were found. */
  forms: string[];
  /** Index of the spelling that a moved placeholder is restored to. */
  main: number;
  /** What stands for each spelling, if not the placeholder. */
  byForm?: Record<string, string>;
}

const PEOPLE = /^(?:PERSON|PER|NAME|PERSON_NAME|PEOPLE)$/i;
/** Words before or after a name that are no part of it. */
const TITLES =
  /^(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|lord|lady|rev|fr|sr|sra|srta|señor|señora|don|doña|herr|frau|fräulein|hr|fru|monsieur|madame|mademoiselle|m|mme|mlle|maître|signor|signora|sig|dott|dottssa|ing|pan|pani|pán|paní|mag|dipl|de heer|mevrouw|mw|dhr|senhor|senhora|jr|jnr|snr|ii|iii|phd|md|esq|úr|господин|госпожа|г-н|г-жа|κύριος|κυρία)$/u;

/** Returns the words of a name in lower case, without marks, titles and the possessive. */
function nameWords(word: string): string[] {
  const plain = word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]s\b/gu, "")
    .replace(/[\u00ad\u200b-\u200f]/g, "");
  const words = plain.match(/[\p{L}\p{M}\p{N}]+(?:[-'’][\p{L}\p{M}\p{N}]+)*/gu) ?? [plain];
  const kept = words.filter((part) => !TITLES.test(part));
  return kept.length ? kept : words;
}

/** Returns the form in which spellings of one value are equal. */
export function keyOf(label: string, word: string): string {
  const plain = word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\ufeff]/g, "");
  const digits = plain.replace(/\D/g, "");
  if (label === "PHONE" && digits.length >= 9) return digits.slice(-9);
  if (label === "PHONE" && digits.length >= 5) return digits;
  if (label === "ID" || label === "IP") return plain.replace(/[^\p{L}\p{N}.:]+/gu, "") || plain;
  if (label === "PASSWORD" || label === "SECRET") return word;
  return plain.replace(/%40/g, "@").replace(/\s+/g, " ").trim();
}

/** How many people with the same first name or surname are compared. */
const MOST_NAMESAKES = 64;

interface Person {
  thing: Thing;
  words: Set<string>;
}

/** The things of a call or session, by their spellings. */
export class Things {
  readonly all: Thing[] = [];
  readonly #byKey = new Map<string, Thing>();
  readonly #people = new Map<Thing, Person>();
  /** People by each word of their names. */
  readonly #byWord = new Map<string, Person[]>();

  /** Returns the thing that `word` names, as a new one if no spelling is known. `piece` is its part on one line. */
  of(label: string, word: string, piece = word): Thing {
    const isPerson = PEOPLE.test(label);
    const words = isPerson ? nameWords(word) : [];
    const key = `${label}\n${isPerson ? words.join(" ") : keyOf(label, word)}`;
    const thing =
      this.#byKey.get(key) ?? (isPerson ? this.#person(label, words)?.thing : undefined) ?? this.#new(label);
    this.#byKey.set(key, thing);
    if (isPerson) this.#learn(thing, words);
    if (!thing.forms.includes(word)) add(thing, word, isPerson);
    if (!thing.forms.includes(piece)) thing.forms.push(piece);
    return thing;
  }

  /** Adds a saved thing. */
  load(thing: Thing): void {
    this.all.push(thing);
    for (const form of thing.forms) {
      const words = PEOPLE.test(thing.label) ? nameWords(form) : [];
      const key = `${thing.label}\n${words.length ? words.join(" ") : keyOf(thing.label, form)}`;
      if (!this.#byKey.has(key)) this.#byKey.set(key, thing);
      if (words.length) this.#learn(thing, words);
    }
  }

  /** Forgets the things after the first `count`, whose placeholders could not be chosen. */
  forget(count: number, given: Map<string, Thing>): void {
    const gone = new Set(this.all.splice(count));
    for (const [key, thing] of this.#byKey) if (gone.has(thing)) this.#byKey.delete(key);
    for (const [word, people] of this.#byWord)
      this.#byWord.set(
        word,
        people.filter(({ thing }) => !gone.has(thing)),
      );
    for (const thing of gone) this.#people.delete(thing);
    for (const [word, thing] of given) if (gone.has(thing)) given.delete(word);
  }

  #new(label: string): Thing {
    const thing: Thing = { label, placeholder: "", forms: [], main: 0 };
    this.all.push(thing);
    return thing;
  }

  /** Returns the only known person whose name has all of these words, or whose words are all among these. */
  #person(label: string, words: readonly string[]): Person | undefined {
    const near = new Set(words.flatMap((word) => this.#byWord.get(word)?.slice(-MOST_NAMESAKES) ?? []));
    const alike = [...near].filter(
      ({ thing, words: known }) =>
        thing.label === label && (isWithin(words, known) || isWithin([...known], new Set(words))),
    );
    return alike.length === 1 ? alike[0] : undefined;
  }

  #learn(thing: Thing, words: readonly string[]): void {
    const person = this.#people.get(thing) ?? { thing, words: new Set() };
    this.#people.set(thing, person);
    for (const word of words) {
      if (person.words.has(word)) continue;
      person.words.add(word);
      const others = this.#byWord.get(word) ?? [];
      others.push(person);
      this.#byWord.set(word, others);
    }
  }
}

/** Returns whether all `words` are in `known`; an initial stands for a word that begins with it. */
function isWithin(words: readonly string[], known: ReadonlySet<string>): boolean {
  if (!words.some((word) => word.length > 1 && known.has(word))) return false;
  return words.every(
    (word) => known.has(word) || (word.length === 1 && [...known].some((other) => other.startsWith(word))),
  );
}

/** Adds a spelling. A fuller name becomes the preferred one, unless it is all in capitals. */
function add(thing: Thing, word: string, isPerson: boolean): void {
  const size = (form: string) => nameWords(form).join("").length - (form === form.toUpperCase() ? 0.5 : 0);
  if (isPerson && thing.forms.length && size(word) > size(thing.forms[thing.main]!)) thing.main = thing.forms.length;
  thing.forms.push(word);
}
