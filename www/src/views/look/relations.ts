// Relations between words that a head may have learned, found by rules that need no parser: closed lists of words and the
// punctuation between them. A rule accepts only certain pairs, so that it can count how often a head is right.
import { later } from "../../language.ts";

/** A pair: for the word at `from`, any of the words `to` is right. */
export interface Pair {
  from: number;
  to: number[];
}

export interface Relation {
  id: string;
  /** The title. */
  name: string;
  /** A sentence on what the head does. */
  says: string;
  /** A sentence on how the rule finds pairs in a text. */
  rule: string;
  /** True if the relation is itself a distance, so that no fixed distance can do worse. */
  byDistance?: boolean;
  /** The text shown if a sentence has no such pair. */
  none: string;
  /** A sentence with such pairs. */
  example: string;
  /** The pairs of a sentence that are certain. */
  pairs(words: readonly string[]): Pair[];
  /** The words of a sentence from which the relation starts, also if no rule is certain of their target. */
  sources(words: readonly string[]): number[];
}

const set = (words: string) => new Set(words.split(/\s+/));

const DETERMINERS = set("a an the my your his her its our their this that these those some every each no another");
const PREPOSITIONS = set(
  "in on at of to from with by for into onto under over behind near through across between without about",
);
const PRONOUNS = set("he him his himself she her hers herself");
/** Words that end a run of adjectives and nouns. */
const FUNCTION_WORDS = set(
  `a an the my your his her its our their this that these those some every each no another any all both i you he she it we they me
  him us them who whom which what where when why how and or but nor so yet if because while although though than as not never always
  is are was were am be been being has have had do does did will would shall should can could may might must
  in on at of to from with by for into onto under over behind near through across between without about up down out off again
  after before until since during`,
);
const HE = set(
  `man boy father king uncle grandfather brother son husband grandpa prince peter tom david john paul james jack daniel michael
  robert henry george charles william thomas mark martin max ben sam oliver simon dad bert`,
);
const SHE = set(
  `woman girl mother queen aunt grandmother sister daughter wife grandma princess anna mary lucy sarah emma maria laura julia alice
  jane kate susan lisa helen clara nina eva sophie linda ruth mum mom`,
);
/** Words for people that both pronouns may refer to. */
const EITHER = set(
  `doctor teacher nurse driver farmer baker friend child baby neighbour neighbor student boss waiter captain judge soldier thief
  policeman officer guest visitor customer patient pilot cook player singer writer artist person someone somebody everyone everybody
  nobody stranger colleague manager cousin twin owner tailor hunter fisherman shepherd painter`,
);

const isWord = (word: string | undefined) => word !== undefined && /^[\p{L}\p{N}]/u.test(word);
const low = (words: readonly string[]) => words.map((word) => word.toLowerCase());
const places = (words: readonly string[], fits: (word: string, at: number) => boolean) =>
  [...words.keys()].filter((at) => fits(words[at]!, at));

/** The last word of a run from `at` of words in no closed list, if the run ends at punctuation or a function word. */
function runFrom(words: readonly string[], at: number): number | undefined {
  let end = at;
  while (isWord(words[end]) && !FUNCTION_WORDS.has(words[end]!)) end++;
  return end > at && end - at <= 3 && end < words.length ? end - 1 : undefined;
}

/** The nouns at the end of phrases like "in the old house.": a preposition, a determiner, then one to three words. */
function phrases(words: readonly string[]): { preposition: number; determiner: number; noun: number }[] {
  const found = [];
  for (let at = 0; at + 1 < words.length; at++) {
    if (!PREPOSITIONS.has(words[at]!) || !DETERMINERS.has(words[at + 1]!)) continue;
    const noun = runFrom(words, at + 2);
    if (noun !== undefined) found.push({ preposition: at, determiner: at + 1, noun });
  }
  return found;
}

/** A pronoun and the only person before it that it can refer to. */
function antecedents(words: readonly string[]): Pair[] {
  const gendered = [
    { nouns: HE, pronouns: set("he him his himself") },
    { nouns: SHE, pronouns: set("she her hers herself") },
  ];
  if (words.some((word) => EITHER.has(word))) return [];
  return gendered.flatMap(({ nouns, pronouns }) => {
    const people = places(words, (word) => nouns.has(word));
    if (people.length !== 1) return [];
    return places(words, (word, at) => pronouns.has(word) && at > people[0]! + 1).map((from) => ({ from, to: people }));
  });
}

/** Words with letters that occur more than once, except function words. */
function repeated(words: readonly string[]): Pair[] {
  return places(words, (word) => isWord(word) && !FUNCTION_WORDS.has(word)).flatMap((from) => {
    const to = places(words, (word, at) => at !== from && word === words[from]);
    return to.length ? [{ from, to }] : [];
  });
}

const steps = (words: readonly string[], step: number): Pair[] =>
  places(words, (_, at) => at + step >= 0 && at + step < words.length).map((from) => ({ from, to: [from + step] }));

const sourcesOf = (pairs: Relation["pairs"]) => (words: readonly string[]) => pairs(words).map(({ from }) => from);

function relation(
  given: Omit<Relation, "sources" | "pairs"> & Partial<Pick<Relation, "sources">> & Pick<Relation, "pairs">,
): Relation {
  const pairs = (words: readonly string[]) => given.pairs(low(words));
  const sources = given.sources ? (words: readonly string[]) => given.sources!(low(words)) : sourcesOf(pairs);
  return { ...given, pairs, sources };
}

/** The relations in the order in which they are shown. */
export const RELATIONS: readonly Relation[] = [
  relation({
    id: "antecedent",
    name: later("Whom a pronoun means"),
    says: "he, she, his and her look at the person they stand for",
    rule: later(
      "sentences with one person for “he” (or one for “she”) before the pronoun and no other person whom it could mean, by a list of names and nouns",
    ),
    none: later("There is no he, she, his or her in this sentence."),
    example: "Anna was tired, so she went to bed early.",
    pairs: antecedents,
    sources: (words) => places(words, (word) => PRONOUNS.has(word)),
  }),
  relation({
    id: "same",
    name: later("The same word again"),
    says: "a word that comes twice looks at its other place",
    rule: later("words that a sentence has more than once, function words such as “the” aside"),
    none: later("No word comes twice in this sentence."),
    example: "The dog barked at the other dog, and the cat watched.",
    pairs: repeated,
  }),
  relation({
    id: "determiner",
    name: later("From “the” to its noun"),
    says: "a, the, my and the like look at their noun",
    rule: later(
      "phrases of a preposition, a determiner and one to three words up to a mark or function word, the last being the noun",
    ),
    none: later("There is no a, the, my or the like in this sentence."),
    example: "She put the small red box on the old wooden table.",
    pairs: (words) => phrases(words).map(({ determiner, noun }) => ({ from: determiner, to: [noun] })),
    sources: (words) => places(words, (word) => DETERMINERS.has(word)),
  }),
  relation({
    id: "preposition",
    name: later("From “in” to its noun"),
    says: "in, on, with and the like look at the noun they belong to",
    rule: later("the same phrases, from the preposition to the noun"),
    none: later("There is no in, on, with or the like in this sentence."),
    example: "He walked through the dark forest with a heavy bag.",
    pairs: (words) => phrases(words).map(({ preposition, noun }) => ({ from: preposition, to: [noun] })),
    sources: (words) => places(words, (word) => PREPOSITIONS.has(word)),
  }),
  relation({
    id: "previous",
    name: later("The word before"),
    says: "each word looks at the one before it",
    rule: later("every word and mark but the first"),
    none: later("It takes two words."),
    example: "The old man sat by the fire and read his book.",
    byDistance: true,
    pairs: (words) => steps(words, -1),
  }),
  relation({
    id: "next",
    name: later("The word after"),
    says: "each word looks at the one after it",
    rule: later("every word and mark but the last"),
    none: later("It takes two words."),
    example: "The old man sat by the fire and read his book.",
    byDistance: true,
    pairs: (words) => steps(words, 1),
  }),
];
