import { type Detector, lazily, matches } from "./match.js";

const ONES = "one|two|three|four|five|six|seven|eight|nine";
const WORDS = `(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:${ONES}))?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|${ONES})`;
const AGE = `(?:1[01]\\d|\\d{1,2}|${WORDS})`;
const YEARS =
  "years?[- ]old|y\\.?/?o\\.?|yrs?\\.?[- ]old|year[- ]old|month[- ]old|months? old|weeks? old|jahre alt|jährig(?:e[nrsm]?)?|ans(?! (?:d|de|que|plus)\\b)|años(?: de edad)?|anni|anos(?: de idade)?|jaar(?: oud)?|[- ]?jarige?|år(?: gammal| gammel|ig)?|-årig[ea]?|-vuotias|lat(?:ek|ka)?|letn[iy]|let[áýé]?|éves|de ani|ani|godin[ae]|yaşında(?:ki|yım)?|лет|года|років|роки|годин[аи]|ετών|χρονών|歳|岁|歲|세|살|tahun|tuổi|साल|वर्ष";
const AFTER = lazily(
  `(?<![\\p{L}\\p{N}.,/€$£-])${AGE}(?:[- ]{0,2})(?:${YEARS})(?![\\p{L}])(?!\\s(?:later|ago|of experience|warranty|garantie|d'expérience|de experiencia|nach|vor|später|temu|sedan))`,
  "giu",
);
const BEFORE = lazily(
  `(?<![\\p{L}\\p{N}])(?:aged?(?: of)?|aetat\\.?|im alter von|alter|âgée? de|âge|edad(?: de)?|età(?: di)?|idade(?: de)?|leeftijd|wiek|ålder|alder|ikä|věk|kor|vârstă|yaş|возраст|turn(?:s|ed|ing)|gilt|i am|i'm|she is|he is|she's|he's|age)[:=\\s"]{1,4}(${AGE})(?![\\p{L}\\p{N}%/]|[.,:-]\\d|\\s?(?:%|km|kg|min|hour|day|month|mile|of\\b|o'clock))`,
  "giu",
);
const SEX = /(?<![\p{L}\p{N}])\d{1,2}\s?(?:[MF]|yo[MF]?|y\/o)(?=[,;)\s.])/gu;

/** Finds ages in digits and words: "43-year-old", "aged 43", "43 Jahre alt", "43F". */
export const age: Detector = {
  labels: ["AGE"],
  find: (text) => [
    ...matches(text, AFTER, "AGE"),
    ...matches(
      text,
      BEFORE,
      "AGE",
      (word, [whole]) =>
        !/^(?:i am|i'm|she|he|turn)/i.test(whole!) || /\d{2}|-/.test(word) || !/^(?:one|two)$/i.test(word),
      1,
    ),
    ...matches(text, SEX, "AGE"),
  ],
};
