import { before, type Detector, lazily, type Match, matches } from "./match.js";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const V4 = lazily(`(?<![\\w.])${OCTET}(?:\\.${OCTET}){3}(?![\\w]|\\.\\d)`, "g");
const V6 =
  /(?<![\w:.])(?=[\da-f:.]*:[\da-f:.]*:)[\da-f:]{2,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?:%[\w.]{1,16})?(?![\w:])/gi;
/** Words before four numbers that are no address. */
const VERSION = /(?:\bv|version|release|build|section|§|chapter|clause|firmware)\s*$/i;

/** Finds addresses of IPv4 and IPv6. */
export const ip: Detector = {
  labels: ["IP"],
  find(text) {
    const found: Match[] = matches(text, V4, "IP").filter(({ start }) => !VERSION.test(before(text, start, 12)));
    return text.includes(":") ? [...found, ...matches(text, V6, "IP", isV6)] : found;
  },
};

/** Returns whether a text is an IPv6 address (RFC 4291): eight groups, or fewer with one "::". */
function isV6(word: string): boolean {
  const [address] = word.split("%") as [string];
  const dotted = /\d{1,3}(?:\.\d{1,3}){3}$/.exec(address);
  const groups = (dotted ? `${address.slice(0, dotted.index)}0:0` : address).split("::");
  if (groups.length > 2) return false;
  const parts = groups.flatMap((half) => (half ? half.split(":") : []));
  if (!parts.every((part) => /^[\da-f]{1,4}$/i.test(part))) return false;
  return groups.length === 2 ? parts.length <= 7 && (parts.length >= 2 || /^::1$/.test(address)) : parts.length === 8;
}

const MAC =
  /(?<![\w:-])(?:[\da-f]{2}(?:[:-][\da-f]{2}){5}|[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4})(?![\w]|[:-][\da-f]{2}(?![\w]))/gi;

/** Finds hardware addresses (IEEE 802): six pairs with one separator, or three groups with dots. */
export const mac: Detector = {
  labels: ["ID"],
  find: (text) => matches(text, MAC, "ID", (word) => !(word.includes(":") && word.includes("-"))),
};

const UUID = /(?<![\da-z])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\da-z])/gi;

/** Finds universally unique identifiers (RFC 9562). */
export const uuid: Detector = { labels: ["ID"], find: (text) => matches(text, UUID, "ID") };

const DECIMAL =
  /(?<![\d.])[-+]?(?:[1-8]?\d|90)\.\d{3,15}°?\s?[NSns]?\s{0,2}[,;/\s]\s{0,2}[-+]?(?:1[0-7]\d|[1-9]?\d|180)\.\d{3,15}°?(?:\s?[EWOewo](?![\w]))?(?![\d]|\.\d)/g;
const DEGREES =
  /\d{1,3}\s?°\s?\d{1,2}\s?['′]\s?(?:\d{1,2}(?:[.,]\d+)?\s?(?:"|″|''))?\s?[NS][,;\s]{0,3}\d{1,3}\s?°\s?\d{1,2}\s?['′]\s?(?:\d{1,2}(?:[.,]\d+)?\s?(?:"|″|''))?\s?[EWO]/g;
const SINGLE = /(?:\b(?:lat|latitude|lon|lng|long|longitude)\b["']?\s*[:=]\s*["']?)([-+]?\d{1,3}\.\d{2,15})/gi;

/** Finds pairs of latitude and longitude, in decimal degrees or in degrees, minutes and seconds. */
export const coordinates: Detector = {
  labels: ["LOCATION"],
  find: (text) => [
    ...matches(text, DECIMAL, "LOCATION"),
    ...matches(text, DEGREES, "LOCATION"),
    ...matches(text, SINGLE, "LOCATION", undefined, 1),
  ],
};
