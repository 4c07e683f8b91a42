// Names of medicines: by the stems of international names, in the spellings and with the endings of many languages.
import { lazily } from "./match.js";

/** Ends of international names, in lower case without accents. */
const ENDS = [
  "formin|olol|sartan|statin|cil+in|sil+iin|[ms]ycin|micin|prazole?|butamol|xaban|dronat|azepam|[ao]zolam|oxacin|floksacin|oxetine?|tidine?|th?[iy]rox[iy]n|t[iy]roksin|[aeiou]pril|dipin|semid|[ao]xaparin|(?:dalte|nadro|tinza)parin",
  "gliptin|gliflozin|glitazon|purinol|lopram|lafaxin|triptan|triptylin|tiapin|zapin|peridon|nidazole?|[ck]onazole?|triaxon|triakson|[ck]lovir|buvir|tinib|(?:um|im|om|ix|uz|iz)ab|[ao]grel(?:or)?|profen|fena[ck]|cetamol|oxy[ck]odon|hydro[ck]odon|racetam|[ae]zepin|[eo]sonid|ti[ck]ason|m[eo]terol|tropium|lukast|gatran|th?iazid|rizin|dansetron|furantoin|c[iy][ck]lin|sykliin",
  "trozol|denafil|asterid|[iv]a?[ck]ain|prenorphin|glutid|ectom(?:y|ie|ia|i)|ektomi[ae]?|ektomij[aeu]",
];
/** Beginnings of names, in the same form. */
const BEGINNINGS = [
  "predniso|glimepirid|gli[ck]laz|gli[ck]azid|sertralin|furoxim|cefuroxim|kefuroksiim|ce(?:f|ph)ale(?:x|ks)|tenofovir|metamizol|th?iamazol|morphin|morfin|naproxen|nintedanib|dabigatran|gabapentin|pregabalin|lamotrigin|valpro|topiramat|memantin|donepe[zs]il|levodopa|meth?yldopa|metildopa|methotrex|metotre(?:x|ks)|azath?ioprin|tacrolimus|ci[ck]losporin|dexameth|dexametas|amiodaron",
  "digoxin|warfarin|varfarin|nitroglyc|isosorbid|spironola[ck]|codein|kodein|tramadol|fentanyl|loratadin|desloratadin|tamoxif|rifampi[csk]|isoniazid|[ck]olchicin|lido[ck]ain|arti[ck]ain|naloxon|meth?adon|interferon|isotretino|dienogest|heparin|insulin|inzulin|lithium|lizinopril|tamsulosin|doxazosin|alfuzosin|prazosin|betahist|levotiroxin",
];
const STEM = lazily(
  `^(?:\\p{L}{2,}(?:${ENDS.join("|")})(?:e|a|o|u|y|i|as|os|em|om|en|et|t|s|an|al)?|(?:${BEGINNINGS.join("|")})\\p{L}*)$`,
  "u",
);
/** Whole names: of substances, and brands that several countries know. */
const NAMES = new Set(
  "aricept namenda accutane roaccutane latanoprost creon galvus xyzal bactrim trelegy dovobet tacro xarelto eliquis pradaxa marcoumar marevan sintrom ventolin ventoline panadol doliprane kardegic euthyrox eutirox letrox eltroxin levothyrox voltaren nurofen augmentin plavix jardiance forxiga ozempic wegovy mounjaro lantus humalog novorapid clexane spiriva symbicort seretide lyrica prestarium siofor glucophage glukofaj glifor brilique entresto valium xanax ritalin ritalina concerta vyvanse elvanse depakine depakin sinemet humira enbrel tramal tachipirina burana pamol alvedon waran furix coraspin nexium pantorc algopyrin anopyrin polocard acard zyrtec cipralex lexapro prozac zoloft seroquel zyprexa lipitor torvast crestor epipen plaquenil cellcept biktarvy singulair eylea prograf myfortic colcrys fostair coartem brufen maviret xalatan tamiflu hydroxyurea hydroxycarbamide keppra zofran tylenol calpol gaviscon piriton protonix farxiga januvia trulicity victoza toujeo levemir coumadin norvasc diovan synthroid wellbutrin effexor cymbalta celexa paxil abilify risperdal depakote lamictal tegretol topamax neurontin ambien ativan klonopin adderall strattera suboxone flonase advair pulmicort stelara cosentyx keytruda herceptin truvada descovy dovato panadeine endone implanon nexplanon microgynon zovirax valtrex cefepime latarjet copaxone tecfidera ocrevus glivec revlimid actonel fosamax evista zometa".split(
    " ",
  ),
);
/** Returns whether a word, in lower case without accents, names a medicine, or an operation by its international name. */
export const isMedicine = (word: string) =>
  word.length > 4 && word.length < 40 && (NAMES.has(word) || STEM().test(word));
