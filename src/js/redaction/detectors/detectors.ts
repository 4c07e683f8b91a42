// The detectors by name. docs/redaction.md lists what each finds.
import { address } from "./address.js";
import { age } from "./age.js";
import { card } from "./card.js";
import { date } from "./date.js";
import { email } from "./email.js";
import { field } from "./field.js";
import { health } from "./health.js";
import { iban } from "./iban.js";
import type { Detector } from "./match.js";
import { money } from "./money.js";
import type { DetectorName } from "./names.js";
import { nationalId } from "./national-id.js";
import { coordinates, ip, mac, uuid } from "./network.js";
import { organization } from "./organization.js";
import { phone } from "./phone.js";
import { place } from "./place.js";
import { secret } from "./secret-words.js";
import { apiKey, highEntropy, jwt, pem } from "./secrets.js";
import { spoken } from "./spoken.js";
import { title } from "./title.js";
import { urlCredentials } from "./url.js";
import { username } from "./username.js";

export type { Detector, Match } from "./match.js";

export const DETECTORS: Readonly<Record<DetectorName, Detector>> = {
  pem,
  jwt,
  "api-key": apiKey,
  "url-credentials": urlCredentials,
  email,
  iban,
  card,
  uuid,
  mac,
  ip,
  "national-id": nationalId,
  secret,
  coordinates,
  money,
  phone,
  date,
  age,
  address,
  field,
  table: { labels: field.labels }, // reads whole texts: see table.ts
  spoken,
  title,
  username,
  health,
  organization,
  place,
  "high-entropy": highEntropy,
  "given-name": { labels: ["PERSON"] }, // reads whole texts after the others: see given-name.ts
  "repeated-name": { labels: ["PERSON"] }, // reads whole texts after the others: see repeated-name.ts
};
