// Words for the speakers of calls and interviews.

/** Words for a speaker by role, in lower case: whole words where a longer one may be a family name. */
const ROLES =
  /^(?:(?:agent|asesor|atendent|anruf|asiak|befrag|client|consej|conseill|dotaz|entrevist|enquêt|enfermeir|enfermer|görevli|haastat|hoitaj|informant|intervi[eu]w|intervist|intervju|invité|kérdező|klient|läkar|medarbejder|medewerker|mitarbeiter|moderator|műsorvezető|müşteri|opera[td]or|operatör|pacient|pacjent|patient|pazient|pielęgniar|presentador|présentat|préposé|prowadząc|respondent|rozmówc|sprecher|tazat|téléconseil|usuári|usuari|utente|ügyfél|ügyintéz|vendég|verpleeg|ведущ|ведуч|кліє?нт|клиент|оператор|пациент|пацієнт|абонент|журналист|журналіст|δημοσιογρ|ασθεν|πελάτ)\p{L}{0,5}|beller|berater(?:in)?|call?er|consultant|doctora?|doktor(?:in|ka)?|gast|gäst|gość|gost|host|klant|konuk|kund(?:e|in|en)?|lekarz|lekarka|lékařk?a?|læge|locut(?:eur|or|ora|rice)|infirmi(?:er|ère)|sunucu|врач|гість|гость|гост|лікар|γιατρός)$/u;

/** Returns whether a text is one word for the role of a speaker, in place of a name. */
export const isRole = (word: string) => ROLES.test(word.toLowerCase());
