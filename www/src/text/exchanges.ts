// Other words for the words of a sentence, each hidden alone, by the masked LM.
import { FUNCTION_WORDS } from "./english.ts";
import { closed, replaceRanges } from "./guess.ts";
import { MASK, offered, plain, sidesOf, type Unmask, type Word } from "./offered.ts";
import { GAP, stretchesOf } from "./stretches.ts";
import { likeCase } from "./swaps.ts";

/** A word of a sentence, the likeliest other word at its place, and the sentence with that word. */
export interface Exchange {
  word: string;
  other: string;
  text: string;
}

/** Answers that are asked for per word. */
const ASKED = 32;
/** Maximum number of words that are hidden, each in a pass over the text. */
const PLACES = 8;
/** A word that means something by itself. */
const isContent = (word: string) => /^\p{L}{2,}$/u.test(word) && !FUNCTION_WORDS.has(plain(word));

/** The answers for the gap number `gap` of a text that may have more. */
const answersOf = (list: Word[] | Word[][], gap: number): Word[] =>
  (Array.isArray(list[0]) ? (list as Word[][])[gap] : (list as Word[])) ?? [];

/** Exchanges each content word of a sentence, in their order. Gaps of the text stay. */
export async function exchanges(unmask: Unmask, text: string, signal?: AbortSignal): Promise<Exchange[]> {
  const stretches = stretchesOf(text);
  const places = stretches.filter(({ kind, text }) => kind === "word" && isContent(text)).slice(0, PLACES);
  if (places.length === 0) return [];
  const hidden = places.map((place) => closed(replaceRanges(text, [place], () => MASK).replace(GAP, MASK)));
  const lists = (await unmask(hidden, { top_k: ASKED, signal: signal! })) as unknown as (Word[] | Word[][])[];
  return places.flatMap((place, at) => {
    const gap = stretches.filter(({ kind, start }) => kind === "gap" && start < place.start).length;
    const found = offered(answersOf(lists[at]!, gap), ...sidesOf(hidden[at]!)[gap]!).find(
      ({ token_str }) => isContent(token_str) && plain(token_str) !== plain(place.text),
    );
    if (!found) return [];
    const other = likeCase(found.token_str, place.text);
    return [{ word: place.text, other, text: replaceRanges(text, [place], () => other) }];
  });
}
