import { labelOfKey } from "./keys.js";
import type { Detector, Match } from "./match.js";

const CREDENTIALS =
  /(?<=[a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/@:"'<>]{1,128}(?::[^\s/@"'<>]{0,256})?|:[^\s/@"'<>]{1,256})(?=@[\w.[\]-])/gi;
const QUERY = /[?&;#]([\p{L}_][\p{L}\p{N}_.[\]-]{0,40})=([^&#\s"'<>;]{1,2000})/gu;

const LABELS = [
  "PASSWORD",
  "USERNAME",
  "SECRET",
  "PERSON",
  "EMAIL",
  "PHONE",
  "ID",
  "DATE",
  "ADDRESS",
  "IP",
  "LOCATION",
];

/** Finds user names and passwords in URLs, and the values of parameters whose names say that they are personal. */
export const urlCredentials: Detector = {
  labels: LABELS,
  find(text) {
    const found: Match[] = [];
    if (text.includes("://"))
      for (const { 0: word, index } of text.matchAll(CREDENTIALS))
        found.push({ start: index, end: index + word.length, label: word.includes(":") ? "PASSWORD" : "USERNAME" });
    for (const { 0: whole, 1: name, 2: value, index } of text.matchAll(QUERY)) {
      const label = labelOfKey(name!);
      const isMeant = label && LABELS.includes(label) && value!.length >= 2 && (label !== "ID" || /\d/.test(value!));
      const end = index + whole.length;
      if (isMeant) found.push({ start: end - value!.length, end, label });
    }
    return found;
  },
};
