/** Names of the detectors, in the order of their precedence: where two find the same, the first one's label counts. */
export const DETECTOR_NAMES = [
  ...(["pem", "jwt", "api-key", "url-credentials", "email", "iban", "card", "uuid", "mac", "ip"] as const),
  ...([
    "national-id",
    "secret",
    "coordinates",
    "money",
    "phone",
    "date",
    "age",
    "address",
    "field",
    "table",
    "spoken",
  ] as const),
  ...(["title", "username", "health", "organization", "place", "high-entropy", "given-name", "repeated-name"] as const),
] as const;

/** Name of a detector. */
export type DetectorName = (typeof DETECTOR_NAMES)[number];
