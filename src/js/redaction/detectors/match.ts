/** What a detector found in a text, in UTF-16 code units. */
export interface Match {
  start: number;
  end: number;
  label: string;
  /** 1 by default. */
  score?: number;
}

/** A detector. It runs in time linear in the length of the text. */
export interface Detector {
  /** Labels that it can find. */
  labels: readonly string[];
  /** Finds matches in a text of at most some ten thousand code units; absent if it reads whole texts. */
  find?(text: string): Match[];
  /** The parts of `find`, if it takes long: a page yields to its event loop between them. */
  steps?: readonly ((text: string) => Match[])[];
}

/** Returns a detector of several steps. */
export const stepped = (labels: readonly string[], steps: readonly ((text: string) => Match[])[]): Detector => ({
  labels,
  steps,
  find: (text) => steps.flatMap((step) => step(text)),
});

/** A regular expression that is compiled when it is first needed, because some hundred at once would block a page. */
export type Lazy = () => RegExp;

/** Returns the expression as a function that compiles it once. */
export function lazily(source: string, flags: string): Lazy {
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(source, flags));
}

/** Returns a match for the group `group` of each match of a global expression, if `isMeant` accepts its text. */
export function matches(
  text: string,
  pattern: RegExp | Lazy,
  label: string,
  isMeant: (word: string, groups: RegExpMatchArray) => boolean = () => true,
  group = 0,
): Match[] {
  const found: Match[] = [];
  for (const match of text.matchAll(typeof pattern === "function" ? pattern() : pattern)) {
    const word = match[group];
    if (!word || !isMeant(word, match)) continue;
    const start = match.index! + (group ? match[0].lastIndexOf(word) : 0);
    found.push({ start, end: start + word.length, label });
  }
  return found;
}

/** A match of two expressions, one right after the other. */
export interface Continued {
  start: number;
  /** Where the first ends. */
  middle: number;
  /** The match of the second, if there is one. */
  more: RegExpExecArray | undefined;
}

/**
 * Returns the matches of `first`, a global expression, each with the match of `rest`, a sticky one, right after it. V8
 * compiles two expressions sooner than one, in which the second follows several alternatives of the first.
 */
export function continued(text: string, first: Lazy, rest: Lazy): Continued[] {
  const [head, tail] = [first(), rest()];
  const found: Continued[] = [];
  head.lastIndex = 0;
  for (let match = head.exec(text); match; match = head.exec(text)) {
    const middle = (tail.lastIndex = head.lastIndex);
    const more = tail.exec(text) ?? undefined;
    if (more) head.lastIndex = tail.lastIndex;
    found.push({ start: match.index, middle, more });
  }
  return found;
}

/** Returns the text right before a place, for words that say what follows. */
export const before = (text: string, at: number, length = 40) => text.slice(Math.max(0, at - length), at);
