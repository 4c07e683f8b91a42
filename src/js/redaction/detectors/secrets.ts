import { type Detector, lazily, type Match, matches } from "./match.js";

const PEM = /-----BEGIN [A-Z0-9 ]{3,40}-----[\s\S]{0,12000}?(?:-----END [A-Z0-9 ]{3,40}-----|$)/g;
const SSH = /\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3})\s+AAAA[\w+/]{20,4000}={0,3}/g;

/** Finds keys and certificates in PEM blocks (RFC 7468) and public keys of SSH. */
export const pem: Detector = {
  labels: ["SECRET"],
  find(text) {
    const blocks = text.includes("-----BEGIN ") ? matches(text, PEM, "SECRET") : [];
    return [...blocks, ...matches(text, SSH, "SECRET")];
  },
};

/** Finds JSON Web Tokens (RFC 7519): base64url of `{"`, then one or two further parts. */
export const jwt: Detector = {
  labels: ["SECRET"],
  find: (text) => matches(text, /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]{0,4000}){0,3}/g, "SECRET"),
};

/** Forms of the keys of common providers, by their documentation. */
const KEYS = [
  "sk-(?:ant-|proj-|live-|test-|or-v1-)?[\\w-]{3,}",
  "(?:sk|pk|rk|whsec)_(?:live_|test_)?[\\w]{8,}",
  "gh[pousr]_\\w{20,}",
  "github_pat_\\w{20,}",
  "gl(?:pat|dt|rt|ptt|soat)-[\\w-]{10,}",
  "xox[abeprs]-[\\w-]{8,}",
  "xapp-[\\w-]{10,}",
  "(?:AKIA|ASIA|AGPA|AROA|AIDA|ANPA)[A-Z0-9]{12,}",
  "AIza[\\w-]{30,}",
  "ya29\\.[\\w-]{20,}",
  "GOCSPX-[\\w-]{20,}",
  "SG\\.[\\w-]{10,}\\.[\\w-]{10,}",
  "npm_\\w{20,}",
  "hf_[A-Za-z]{20,}",
  "pypi-[\\w-]{20,}",
  "do[opr]_v1_[a-f\\d]{20,}",
  "shp(?:at|ca|pa|ss)_[a-fA-F\\d]{16,}",
  "sq0[a-z]{3}-[\\w-]{20,}",
  "EAA[A-Za-z0-9]{30,}",
  "dckr_pat_[\\w-]{20,}",
  "(?:r8|nvapi|gsk|pplx|xai|tvly|fc|lin_api|figd|ntn|secret|rnd|sntrys|dp\\.pt|hvs|atlasv1|PMAK|ATATT3|NRAK|rubygems|key|pat)[_-][\\w-]{20,}",
  "\\d{8,10}:AA[\\w-]{30,}",
  "age1[a-z\\d]{40,}",
  "AGE-SECRET-KEY-1[A-Z\\d]{40,}",
  "0x[a-fA-F\\d]{40,64}",
  "bc1[a-z\\d]{25,60}",
  "[MNO][\\w-]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,}",
  "https://hooks\\.slack\\.com/services/[\\w/]{20,}",
].join("|");
const KEY = lazily(`(?<![\\w-])(?:${KEYS})(?![\\w])`, "g");
const BEARER = /\b(?:Bearer|Basic|Token|Digest)\s+([\w.~+/=-]{8,4000})/g;

/** Finds keys of common providers by their prefix, and the credentials of an Authorization header. */
export const apiKey: Detector = {
  labels: ["SECRET"],
  find: (text) => [
    ...matches(text, KEY, "SECRET"),
    ...matches(text, BEARER, "SECRET", (word) => /[\d_.=]/.test(word), 1),
  ],
};

/** A run of letters and digits, with the padding of base64. What stands before "=" is a name. */
const RUN = /[A-Za-z\d](?:[A-Za-z\d+/_.~-]{14,}[A-Za-z\d+/]|[A-Za-z\d]{11,})={0,2}/g;

/** Finds random letters and digits of any length, e.g. hashes, keys and base64. */
export const highEntropy: Detector = {
  labels: ["SECRET"],
  find: (text) => matches(text, RUN, "SECRET", isRandom).flatMap((match) => withoutPath(text, match)),
};

/** Returns whether a word has the statistics of random letters and digits, not of words. */
function isRandom(word: string): boolean {
  if (/^[a-f\d]{24,}$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word)) return true;
  if (/^\d+$/.test(word)) return word.length >= 24;
  const longest = Math.max(...word.split(/[-_./=+~]/).map(({ length }) => length));
  if (longest >= 100) return true;
  if (!/\d/.test(word) && (longest < 20 || !/[a-z][A-Z]/.test(word) || isOfWords(word))) return false;
  // Words, numbers and dates with separators are no secret: "release-notes-2024-05-03", "user_profile_2".
  const parts = word.split(/[-_./=+~]+/);
  if (parts.every((part) => /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d+|[A-Za-z]{1,6}\d{1,6}|\d{1,4}[a-z]{0,3})$/.test(part)))
    return false;
  if (longest < 12) return false;
  const kinds = word.match(/[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  return kinds >= 5 && entropy(word) >= 3.2;
}

/** Returns whether letters are the name of a class or function: "java.lang.NullPointerException". */
const isOfWords = (word: string) => (word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).every((part) => part.length >= 3);

/** Returns the entropy of the characters of a word, in bits per character. */
function entropy(word: string): number {
  const counts = new Map<string, number>();
  for (const sign of word) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / word.length) * Math.log2(count / word.length), 0);
}

/** A run with slashes may be a path: only its random parts are secret, unless it is base64. */
function withoutPath(text: string, match: Match): Match[] {
  const word = text.slice(match.start, match.end);
  const parts = word.split("/");
  if (parts.length < 2 || !parts.some((part) => /^[a-z]{3,}$/.test(part))) return [match];
  let start = match.start;
  return parts.flatMap((part) => {
    const own = { ...match, start, end: start + part.length };
    start += part.length + 1;
    return isRandom(part) ? [own] : [];
  });
}
