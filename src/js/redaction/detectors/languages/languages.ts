// Rules for languages with words or scripts of their own, by what they find. The detectors of the labels call them.

import type { Match } from "../match.js";
import {
  addressesInArabicHebrew,
  agesInArabicHebrew,
  amountsInArabicHebrew,
  datesInArabicHebrew,
  illnessesInArabicHebrew,
  namesInArabicHebrew,
  organizationsInArabicHebrew,
  placesInArabicHebrew,
  secretsInArabicHebrew,
} from "./arabic-hebrew.js";
import {
  asianAddresses,
  asianAges,
  asianAmounts,
  asianDates,
  asianIdentifiers,
  asianNames,
  asianOrganizations,
  asianPlaces,
  asianSpokenPlaces,
} from "./asian-latin.js";
import { chineseNames } from "./chinese.js";
import { chineseIllnesses } from "./chinese-health.js";
import {
  chineseAges,
  chineseDates,
  chineseIds,
  chineseMoney,
  chinesePasswords,
  chinesePayments,
  chinesePhones,
  chineseUsers,
} from "./chinese-numbers.js";
import { chineseAddresses, chineseLocations, chineseOrganizations } from "./chinese-places.js";
import {
  cyrillicGreekAddresses,
  cyrillicGreekAges,
  cyrillicGreekDates,
  cyrillicGreekIdentifiers,
  cyrillicGreekNames,
  cyrillicGreekOrganizations,
  cyrillicGreekPhones,
  cyrillicGreekPlaces,
} from "./cyrillic-greek.js";
import {
  japaneseAddresses,
  japaneseAges,
  japaneseAmounts,
  japaneseDates,
  japaneseIllnesses,
  japaneseNumbers,
  japaneseOrganizations,
  japanesePeople,
  japanesePlaces,
  japaneseSecrets,
  japaneseUsernames,
} from "./japanese.js";
import {
  koreanAddresses,
  koreanAges,
  koreanDates,
  koreanIds,
  koreanIllnesses,
  koreanMoney,
  koreanNames,
  koreanOrganizations,
  koreanPasswords,
  koreanPhones,
  koreanPlaces,
  koreanUsernames,
} from "./korean.js";
import {
  indicAddresses,
  indicAges,
  indicAmounts,
  indicDates,
  indicIdentifiers,
  indicNames,
  indicOrganizations,
  indicPhones,
  indicPlaces,
} from "./south-asian.js";

type Find = (text: string) => Match[];

/** Functions that find values in texts of one language or script, and nothing in other texts. */
export const IN_LANGUAGES = {
  addresses: [
    koreanAddresses,
    chineseAddresses,
    japaneseAddresses,
    asianAddresses,
    indicAddresses,
    addressesInArabicHebrew,
    cyrillicGreekAddresses,
  ],
  ages: [koreanAges, chineseAges, japaneseAges, asianAges, indicAges, agesInArabicHebrew, cyrillicGreekAges],
  amounts: [
    koreanMoney,
    chineseMoney,
    chinesePayments,
    japaneseAmounts,
    asianAmounts,
    indicAmounts,
    amountsInArabicHebrew,
  ],
  dates: [koreanDates, chineseDates, japaneseDates, asianDates, indicDates, datesInArabicHebrew, cyrillicGreekDates],
  identifiers: [koreanIds, chineseIds, japaneseNumbers, asianIdentifiers, indicIdentifiers, cyrillicGreekIdentifiers],
  illnesses: [koreanIllnesses, chineseIllnesses, japaneseIllnesses, illnessesInArabicHebrew],
  names: [
    ...koreanNames,
    chineseNames,
    japanesePeople,
    asianNames,
    ...indicNames,
    namesInArabicHebrew,
    cyrillicGreekNames,
  ],
  organizations: [
    koreanOrganizations,
    chineseOrganizations,
    japaneseOrganizations,
    asianOrganizations,
    indicOrganizations,
    organizationsInArabicHebrew,
    cyrillicGreekOrganizations,
  ],
  passwords: [koreanPasswords, chinesePasswords, japaneseSecrets, secretsInArabicHebrew],
  phones: [koreanPhones, chinesePhones, indicPhones, cyrillicGreekPhones],
  places: [
    koreanPlaces,
    ...chineseLocations,
    japanesePlaces,
    asianPlaces,
    asianSpokenPlaces,
    indicPlaces,
    placesInArabicHebrew,
    cyrillicGreekPlaces,
  ],
  usernames: [koreanUsernames, chineseUsers, japaneseUsernames],
} satisfies Record<string, readonly Find[]>;

/** Returns what the rules of all languages find. */
export const inLanguages = (kind: keyof typeof IN_LANGUAGES, text: string): Match[] =>
  IN_LANGUAGES[kind].flatMap((find: Find) => find(text));
