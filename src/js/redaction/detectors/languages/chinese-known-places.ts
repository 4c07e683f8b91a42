import type { Tick } from "../../../abort.js";
import type { Span } from "../../span-types.js";
import { endingFrom, parts } from "../../spans.js";
import { lazily, type Match, matches } from "../match.js";
import { IN_PLACE, INITIALS, NO_ROAD, PLACE } from "./chinese-places.js";
import { isChinese } from "./chinese-words.js";

/** Places that are known, or whose last character says so. */
const ANYWHERE = [
  `(?=[${INITIALS}])(?<![A-Za-z])((?:${PLACE})(?:省|市|[县縣]|[区區])?(?:${IN_PLACE}{1,3}(?:[县縣]|[区區](?!别|分)|[镇鎮]|村|[乡鄉]))?(?:${IN_PLACE}{0,2}[东西南北中](?:大街|大道|路|街))?)`,
  `(?<=[县縣区區市镇鎮])(${IN_PLACE}{2,3}(?:街道|[镇鎮]|[乡鄉]|村))`,
  `(?<=^|[^\\p{Script=Han}]|[在从從到去回住于於的是和与])(${IN_PLACE}{2,3}?(?:[县縣]|[镇鎮]|村(?!民)|[乡鄉]|自治州|[区區](?![别分间])|街道|小[区區]|社[区區]|花[园園]|新村|大[厦廈]|路|街|巷|胡同|[车車]站|地铁站|机场|码头|镇上|岛|湾))`,
].map((source) => lazily(source, "gmu"));
/** Places that are other words as well. */
const NO_KNOWN =
  /^(?:尚志|光明|大同|长治|通化|四平|三明|南平|中山|清远|来宾|海口|内江|安顺|大理|白银|天水|安康|日照|泰安|开封|信阳|安阳|新余|吉安|北海|自贡|巴中|广元|元朗|北角|新界|保定|伊春|松原|定西|白山|海门|象山|平阳|安吉|天台|天长|明光|界首|安国|海城|五常|新乐|武安|平度|即墨|安丘|东台|海林|高安|乐平|德兴|河间|三河|安宁|当阳|高要|四会|北流|万源|兴平|古交|孝义|平远|五原|新民|安陆|信宜|开平|阳春|连州)$/;
/** Labels beside which a place is a person's. */
const PERSONAL = /^(?:PERSON|PER|ID|AGE|PHONE|EMAIL|USERNAME)$/;
/** How far the other data may be, in UTF-16 code units. */
const NEAR = 300;

/** Finds known places, and those whose last character says so, near other data of a person. `spans` are ordered. */
export async function chinesePlaces(text: string, spans: readonly Span[], tick: Tick): Promise<Match[]> {
  const personal = spans.filter(({ label }) => PERSONAL.test(label));
  if (!personal.length || !isChinese(text)) return [];
  const found: Match[] = [];
  for (const { start, end, from, to } of parts(text)) {
    await tick();
    for (const pattern of ANYWHERE)
      for (const match of matches(
        text.slice(start, end),
        pattern,
        "LOCATION",
        (word) => !NO_KNOWN.test(word) && !NO_ROAD.test(word),
        1,
      ))
        if (start + match.start >= from && start + match.start < to)
          found.push({ ...match, start: start + match.start, end: start + match.end });
  }
  return found.filter((match) => {
    const next = endingFrom(personal, match.start - NEAR);
    return next !== undefined && next.start < match.end + NEAR;
  });
}
