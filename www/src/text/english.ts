// Whether a text is English, which the package's models were trained on.

/** Function words of English. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  "a an the and or but nor so if as than then that this these those there here it its is are was were be been being am do does did has have had will would can could shall should may might must not no i you he she we they me him her us them my your his our their mine yours of in into on onto at by for from with without to up down out off over under about after before between through during since until while when where who whom which what why how very too more most much many some any all each every both one two just only also don t s m re ll ve".split(
    " ",
  ),
);

/** Frequent function words of other languages in Latin script that are no English words, without accents. */
export const OTHER_WORDS: ReadonlySet<string> = new Set(
  [
    "der das und ist nicht ein eine einen sie ich wir mit auf fur den dem des zu wenn aber sich bei nach wird haben kein keine auch noch",
    "le la les et est une des du que qui dans pour avec sur pas je nous vous il elle sont mais ou au aux ne se ce cette plus",
    "el los las y es una que por con para del al se su sus pero como mas muy nos",
    "il lo gli che e di un della del con non per sono si e al alla ma piu nel",
    "het een en van niet ik je wij zijn maar ook naar bij uit voor dat wordt als geen",
    "o os as um uma do da dos das em no na nao com por se mas seu sua ao e",
    "i w z na nie sie jest do ze jak ale po od za przed czy to lub oraz",
    "och att det ar inte en ett som pa med av jag vi ni men om eller efter",
    "og ikke det er jeg til af som ved eller fra den har",
    "ja on ei se etta mutta kun tai ovat hanen niin",
    "a az es nem hogy egy van de meg is ez vagy",
    "si nu este la pe cu sau din mai sunt care",
    "ve bir bu ile icin degil da mi ama cok gibi",
    "je se na ze a to do pro ale jako nebo jsou si",
    "dan yang di tidak ini itu untuk dengan saya ada ke",
  ]
    .join(" ")
    .split(" ")
    .filter((word) => !FUNCTION_WORDS.has(word)),
);

/** Function words that several languages share: they tell nothing. */
const SHARED = new Set("a i in an no as do me so us am on he at of to was s t m re all men".split(" "));

/** Number of words from which a text is judged. Fewer may be names or quotations. */
const LEAST = 4;

const plain = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Whether a text may be English: most letters are Latin, and other languages' function words are no more frequent than English ones. If they are equally frequent, accents decide. A text of a few words counts as English unless its script is another.
 */
export function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (2 * latin < letters.length) return false;
  const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).map(plain);
  if (words.length < LEAST) return true;
  const count = (set: ReadonlySet<string>) => words.filter((word) => set.has(word) && !SHARED.has(word)).length;
  const [own, other] = [count(FUNCTION_WORDS), count(OTHER_WORDS)];
  return own === other ? /^\P{M}*$/u.test(text.normalize("NFD")) : own > other;
}
