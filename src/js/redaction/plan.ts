// Checks the options of a call.
import { signalOf } from "../abort.js";
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import { check } from "../options/option-names.js";
import type { CallProgress } from "../tasks.js";
import { kindOf, optionsOf, shown } from "../values.js";
import { DETECTORS } from "./detectors/detectors.js";
import { DETECTOR_NAMES } from "./detectors/names.js";
import { WAYS } from "./replace.js";
import type { SpanSource } from "./sources.js";
import type { DetectorName, LabelBias, OwnPattern, RedactOptions, ReplaceWay } from "./types.js";

/** Options of `redact` itself; all other options belong to loading a model. */
export const OWN: readonly string[] = [
  ...["model", "labels", "threshold", "detectors", "patterns", "sources", "allow", "deny", "replace", "salt"],
  ...["label_bias", "capitals", "placeholder", "aggregation_strategy", "onProgress", "signal"],
];

/** The checked options of a call. */
export interface Plan {
  labels: readonly string[] | undefined;
  threshold: (label: string) => number;
  /** Labels that the option `threshold` names. */
  thresholds: readonly string[];
  detectors: readonly DetectorName[];
  own: readonly OwnPattern[];
  sources: readonly SpanSource[];
  allow: readonly (string | RegExp)[];
  deny: readonly { word: string; label: string }[];
  way: (label: string) => ReplaceWay;
  salt: string | undefined;
  labelBias: LabelBias | undefined;
  capitals: boolean | undefined;
  strategy: NonNullable<RedactOptions["aggregation_strategy"]>;
  placeholder: NonNullable<RedactOptions["placeholder"]> | undefined;
  onProgress: ((progress: CallProgress) => unknown) | undefined;
  signal: AbortSignal | undefined;
}

export const refuse = (message: string) => new WebertError("bad_input", message);

/** Returns the options of a call without null and undefined. */
export function givenOptions(asked: unknown): RedactOptions {
  const given = Object.entries(optionsOf<RedactOptions>(asked as RedactOptions)).filter(([, value]) => value != null);
  const options: RedactOptions = Object.fromEntries(given);
  check("redact", options);
  return options;
}

/** Returns the plan of a call with these options. */
export function planOf(options: RedactOptions): Plan {
  const { labels, placeholder, salt, capitals, onProgress } = options;
  if (capitals != null && typeof capitals !== "boolean")
    throw refuse(`capitals: expected true or false, got ${shown(capitals)}`);
  if (placeholder != null && typeof placeholder !== "function")
    throw refuse(`placeholder: expected a function (label, number, word) => string, got ${kindOf(placeholder)}`);
  if (onProgress != null && typeof onProgress !== "function")
    throw refuse(`onProgress: expected a function, got ${kindOf(onProgress)}`);
  if (salt != null && (typeof salt !== "string" || !salt))
    throw refuse(`salt: expected a string that is not empty, got ${kindOf(salt)}`);
  const strategies = ["simple", "first", "average", "max"];
  const strategy = options.aggregation_strategy ?? "first";
  if (!strategies.includes(strategy))
    throw refuse(`aggregation_strategy: expected one of ${strategies.join(", ")}, got ${shown(strategy)}`);
  const asked = labels == null ? undefined : strings("labels", labels);
  if (asked?.length === 0) throw refuse("labels: expected at least one label, got none; nothing would be replaced");
  return {
    labels: asked,
    ...thresholdsOf(options.threshold ?? 0),
    ...patternsOf(options),
    sources: sourcesOf(options.sources ?? []),
    allow: allowOf(options.allow ?? []),
    deny: denyOf(options.deny ?? []),
    way: wayOf(options),
    salt: salt ?? undefined,
    labelBias: labelBiasOf(options.label_bias),
    capitals: capitals ?? undefined,
    strategy,
    placeholder: placeholder ?? undefined,
    onProgress: onProgress ?? undefined,
    signal: signalOf(options),
  };
}

function thresholdsOf(threshold: unknown): Pick<Plan, "threshold" | "thresholds"> {
  const isShare = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;
  if (typeof threshold !== "object" || threshold === null) {
    if (!isShare(threshold)) throw refuse(`threshold: expected a number from 0 to 1, got ${shown(threshold)}`);
    return { threshold: () => threshold as number, thresholds: [] };
  }
  for (const [label, value] of Object.entries(threshold))
    if (!isShare(value)) throw refuse(`threshold: expected a number from 0 to 1 for "${label}", got ${shown(value)}`);
  const by = new Map(Object.entries(threshold as Record<string, number>));
  return { threshold: (label) => by.get(label) ?? 0, thresholds: [...by.keys()] };
}

function labelBiasOf(given: unknown): LabelBias | undefined {
  if (given == null) return undefined;
  const isObject = kindOf(given) === "object";
  if (!isObject || !Object.values(given).every(Number.isFinite))
    throw refuse(`label_bias: expected an object of numbers by label, got ${shown(given)}`);
  return given as LabelBias;
}

function patternsOf({ detectors, patterns }: RedactOptions): Pick<Plan, "detectors" | "own"> {
  const given = patterns ?? undefined;
  if (given !== undefined && !Array.isArray(given)) throw refuse(`patterns: expected an array, got ${kindOf(given)}`);
  const named = given?.filter((pattern) => typeof pattern === "string") ?? [];
  const own = (given?.filter((pattern) => typeof pattern !== "string") ?? []) as OwnPattern[];
  for (const pattern of own) checkPattern(pattern);
  const isChosen = given !== undefined && (named.length > 0 || given.length === 0);
  if (isChosen && detectors != null && given.length)
    throw refuse("patterns: expected own patterns only beside `detectors`, got names of detectors");
  const chosen = detectors ?? (isChosen ? named : DETECTOR_NAMES);
  const what = detectors == null ? "patterns" : "detectors";
  return { detectors: strings(what, chosen, DETECTOR_NAMES) as DetectorName[], own };
}

function checkPattern(pattern: OwnPattern | null): void {
  if (typeof pattern?.label !== "string" || !pattern.label || pattern.label === "O")
    throw refuse('patterns: expected { label, pattern } with a label other than "O"');
  if (!(pattern.pattern instanceof RegExp) && typeof pattern.pattern !== "function")
    throw refuse(`patterns: expected a RegExp or a function for "${pattern.label}", got ${kindOf(pattern.pattern)}`);
}

function sourcesOf(given: readonly SpanSource[]): readonly SpanSource[] {
  if (!Array.isArray(given)) throw refuse(`sources: expected an array, got ${kindOf(given)}`);
  for (const source of given)
    if (typeof source?.find !== "function" || !Array.isArray(source.labels))
      throw refuse("sources: expected { name, labels, find }");
  return given;
}

function allowOf(given: readonly (string | RegExp)[]): readonly (string | RegExp)[] {
  if (!Array.isArray(given) || given.some((word) => typeof word !== "string" && !(word instanceof RegExp)))
    throw refuse("allow: expected an array of strings and regular expressions");
  return given.map((word) =>
    typeof word === "string" ? word.toLowerCase() : new RegExp(word.source, word.flags.replace(/[gy]/g, "")),
  );
}

function denyOf(given: readonly unknown[]): Plan["deny"] {
  if (!Array.isArray(given)) throw refuse(`deny: expected an array, got ${kindOf(given)}`);
  return given.map((entry) => {
    const { word, label } = typeof entry === "string" ? { word: entry, label: "CUSTOM" } : (entry ?? {});
    if (typeof word !== "string" || !word.trim() || typeof label !== "string" || !label || label === "O")
      throw refuse("deny: expected words, or { word, label } with strings that are not empty");
    return { word, label };
  });
}

function wayOf({ replace, salt }: RedactOptions): Plan["way"] {
  const given = replace ?? "placeholder";
  const ways = typeof given === "string" ? [given] : Object.values(given as object);
  if (typeof given !== "string" && (typeof given !== "object" || Array.isArray(given)))
    throw refuse(`replace: expected one of ${WAYS.join(", ")}, or one for each label, got ${kindOf(given)}`);
  const unknown = ways.find((way) => !WAYS.includes(way));
  if (unknown !== undefined) throw refuse(`replace: expected one of ${WAYS.join(", ")}, got "${String(unknown)}"`);
  if (ways.includes("hash") && !salt)
    throw refuse(
      'salt: expected a secret string for replace "hash", got none. Without it, guessed words can be checked.',
    );
  if (typeof given === "string") return () => given as ReplaceWay;
  const by = new Map(Object.entries(given as Record<string, ReplaceWay>));
  return (label) => by.get(label) ?? "placeholder";
}

/** Returns an array of strings. If `known` is given, all of them must be in it. */
function strings(what: string, given: unknown, known?: readonly string[]): string[] {
  if (!Array.isArray(given) || given.some((name) => typeof name !== "string"))
    throw refuse(`${what}: expected an array of strings, got ${Array.isArray(given) ? "other values" : kindOf(given)}`);
  const unknown = known && given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw refuse(`${what}: expected one of ${known!.join(", ")}, got "${unknown}"`);
  return given;
}

/** Labels of detectors, and the names that models of the CoNLL 2003 labels have for them. */
const SHORT: Readonly<Record<string, string>> = { PERSON: "PER", LOCATION: "LOC", ORGANIZATION: "ORG" };

/** Returns the labels of a model without `B-`, `I-` and "O"; undefined if the model does not name them. */
function labelsOf(pipe: Pipeline<"token-classification"> | undefined): string[] | undefined {
  const id2label = pipe ? pipe.model.config.id2label : {};
  if (!id2label) return undefined;
  return Object.values(id2label)
    .map((label) => label.replace(/^[BIES]-/, ""))
    .filter((label) => label !== "O");
}

/** Returns the function that maps a detector's label to the model's label for the same kind. */
export function renaming(pipe: Pipeline<"token-classification"> | undefined): (label: string) => string {
  const known = new Set(labelsOf(pipe) ?? []);
  return (label) => (!known.has(label) && known.has(SHORT[label] ?? "") ? SHORT[label]! : label);
}

/** Rejects labels that nothing can find. A misspelt label would leave all its entities in the text. */
export function checkLabels(pipe: Pipeline<"token-classification"> | undefined, plan: Plan): Set<string> {
  const groups = labelsOf(pipe);
  const rename = renaming(pipe);
  const known = new Set([
    ...(groups ?? []),
    ...plan.detectors.flatMap((name) => DETECTORS[name].labels).map(rename),
    ...[...plan.own, ...plan.deny].map(({ label }) => label),
    ...plan.sources.flatMap(({ labels }) => labels),
  ]);
  if (!groups) return known;
  for (const [what, labels] of [
    ["labels", plan.labels ?? []],
    ["threshold", plan.thresholds],
  ] as const) {
    const unknown = labels.find((label) => !known.has(label));
    if (unknown !== undefined) throw refuse(`${what}: expected some of ${[...known].join(", ")}, got "${unknown}"`);
  }
  return known;
}
