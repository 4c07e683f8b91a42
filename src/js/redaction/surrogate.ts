// Invents data of the same kind: names by script and language, numbers with valid check digits.
import { luhn, remainder97 } from "./detectors/checksums.js";

/** Returns a reproducible number below `below`; `name` tells the draws for one thing apart. */
export type Draw = (name: string, below: number) => number;

/** First names and surnames by a sign of the language: letters that only its names have, or its script. */
const NAMES: [RegExp, string, string][] = [
  [
    /\p{Script=Cyrillic}/u,
    "Алексей Марина Олег Татьяна Игорь Светлана",
    "Соколов Лебедева Козлов Новикова Морозов Павлова",
  ],
  [
    /\p{Script=Greek}/u,
    "Νίκος Ελένη Κώστας Σοφία Γιάννης Δήμητρα",
    "Παππάς Δημητρίου Νικολάου Γεωργίου Βλάχος Αλεξίου",
  ],
  [/\p{Script=Arabic}/u, "سامي ليلى كريم نور طارق هدى", "حداد منصور خوري سالم نجار عيسى"],
  [/\p{Script=Hebrew}/u, "נועם תמר אורי יעל איתן מיכל", "לוי מזרחי פרץ ביטון דהן אברהם"],
  [/\p{Script=Devanagari}/u, "अमित प्रिया राहुल नेहा विकास पूजा", "शर्मा वर्मा गुप्ता सिंह मेहता जोशी"],
  [
    /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    "さくら はると ゆい れん あおい みお",
    "たなか すずき さとう いとう やまだ もり",
  ],
  [/\p{Script=Hangul}/u, "민준 서연 지훈 하은 도윤 수아", "김 이 박 최 정 강"],
  [/\p{Script=Han}/u, "伟 芳 敏 静 磊 洋", "王 李 张 刘 陈 杨"],
  [/[őűŐŰ]/u, "Péter Eszter Gábor Katalin Balázs Réka", "Szabó Tóth Varga Molnár Horváth Farkas"],
  [/[ąęłńśźżĄĘŁŃŚŹŻ]/u, "Marek Agnieszka Piotr Ewa Krzysztof Magda", "Nowak Wójcik Mazur Zieliński Dudek Pawlak"],
  [/[čďěňřšťůžČĎĚŇŘŠŤŮŽ]/u, "Jan Lucie Martin Tereza Petr Jana", "Novotný Dvořák Kučera Svoboda Horák Marek"],
  [/[äöüßÄÖÜ]/u, "Jonas Lena Felix Miriam Lukas Katrin", "Weber Schäfer Krüger Vogel Lindner Böhm"],
  [/[ñÑáíóú]/u, "Javier Lucía Diego Marta Pablo Elena", "Moreno Navarro Gil Serrano Molina Ortega"],
  [/[çèêëàâîôûœ]/u, "Julien Claire Hugo Manon Antoine Élise", "Lefèvre Moreau Garnier Rousseau Blanc Faure"],
  [/[ãõ]/u, "Tiago Beatriz Rui Inês Bruno Carla", "Almeida Ribeiro Carvalho Teixeira Lopes Moreira"],
  [/[åæøÅÆØ]/u, "Lars Ingrid Erik Astrid Nils Sofie", "Hansen Berg Dahl Lund Solberg Holm"],
  [/[ışğİŞĞ]/u, "Emre Elif Kerem Zeynep Burak Derya", "Yıldız Kaya Demir Şahin Aydın Koç"],
  [/./su, "James Sarah Oliver Emma Daniel Laura", "Carter Hughes Bennett Foster Morgan Ellis"],
];
const LISTS: Record<string, string> = {
  LOCATION: "Ashford Brookhaven Eastmere Fairview Greenport Lakewood Millbrook Northam Riverton Westbury",
  ORGANIZATION:
    "Alder|Birchwood Ltd|Cobalt Works|Delta Partners|Everline Group|Foxglove Services|Granite & Co|Harbour Systems",
  ADDRESS:
    "4 Elm Road|17 Station Street|23 Mill Lane|8 Church Close|51 Park Avenue|12 Hill Rise|6 Orchard Way|30 Bridge Street",
};
const LOCAL = "alex.carter sam.hughes r.bennett j.foster k.morgan l.ellis mail.contact office.desk";

/** Returns invented data like `word`, in its script and form. */
export function surrogate(label: string, word: string, draw: Draw): string | undefined {
  const pick = (name: string, list: readonly string[]) => list[draw(name, list.length)]!;
  if (/^(?:PERSON|PER)$/.test(label)) return person(word, pick);
  if (label === "EMAIL") return `${pick("local", LOCAL.split(" "))}${draw("number", 100)}@example.net`;
  if (label === "IP")
    return word.includes(":") ? `2001:db8::${(1 + draw("ip", 65_000)).toString(16)}` : `192.0.2.${1 + draw("ip", 254)}`;
  if (label === "AGE") return word.replace(/\d+/, (age) => String(Math.max(1, +age + draw("age", 11) - 5)));
  const list = LISTS[label];
  if (list) return pick("name", list.includes("|") ? list.split("|") : list.split(" "));
  return alike(word, draw);
}

function person(word: string, pick: (name: string, list: readonly string[]) => string): string {
  const [, first, last] = NAMES.find(([sign]) => sign.test(word))!;
  const isJoined = /^[\p{Script=Han}\p{Script=Hangul}]+$/u.test(word);
  const [given, family] = [pick("first", first.split(" ")), pick("last", last.split(" "))];
  if (isJoined) return family + given;
  const made = /\s/.test(word) ? `${given} ${family}` : given;
  if (word === word.toUpperCase() && word !== word.toLowerCase()) return made.toUpperCase();
  return word === word.toLowerCase() ? made.toLowerCase() : made;
}

/** Returns other digits and letters in the same places. Cards and IBANs keep valid check digits, phones their start. */
function alike(word: string, draw: Draw): string {
  const digits = word.replace(/\D/g, "");
  const keep = /^\+/.test(word) ? 3 : digits.length > 8 ? 2 : 0;
  let [n, seen] = [0, 0];
  const made = word.replace(/[0-9A-Za-z]/g, (sign) => {
    n++;
    if (/\d/.test(sign)) return ++seen <= keep ? sign : String(draw(`digit ${n}`, 10));
    return /^[A-Z]{2}\d{2}/.test(word) && n <= 2 ? sign : letter(sign, draw(`letter ${n}`, 26));
  });
  if (digits.length >= 13 && luhn(digits) && !/[A-Za-z]/.test(word)) return checkedCard(made);
  const code = word.replace(/[^0-9A-Za-z]/g, "").toUpperCase();
  return /^[A-Z]{2}\d{2}/.test(code) && remainder97(code) === 1 ? checkedIban(made) : made;
}

const letter = (like: string, at: number) => String.fromCharCode((like < "a" ? 65 : 97) + at);

function checkedCard(made: string): string {
  for (let digit = 0; digit < 10; digit++) {
    const card = made.replace(/\d(?=\D*$)/, String(digit));
    if (luhn(card.replace(/\D/g, ""))) return card;
  }
  return made;
}

function checkedIban(made: string): string {
  const zero = made.replace(/^([A-Za-z]{2})\d\d/, "$100");
  const check = 98 - remainder97(zero.replace(/[^0-9A-Za-z]/g, "").toUpperCase());
  return zero.replace(/^([A-Za-z]{2})00/, `$1${String(check).padStart(2, "0")}`);
}
