// Checks the arguments of an index's methods (documents, ids, search options) and fills in defaults.
import { signalOf } from "../abort.js";
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import { check } from "../options/option-names.js";
import type { Source } from "../source.js";
import { kindOf, optionsOf, shown } from "../values.js";
import type { DocumentId, IndexDocument, IndexSearchOptions } from "./search.js";

export const refuse = (what: string) => new WebertError("bad_input", what);

/** Returns a checked id; `what` names it in errors. */
export function idOf(id: unknown, what: string): DocumentId {
  if (typeof id === "string" || (typeof id === "number" && Number.isFinite(id))) return id;
  throw refuse(`${what}: expected a string or a number, got ${shown(id)}`);
}

/** Returns checked copies of documents with the fields that JSON can represent. */
export function documentsOf(given: unknown): IndexDocument[] {
  const list = Array.isArray(given) ? (given as unknown[]) : [given];
  const ids = new Set<DocumentId>();
  return list.map((value, n) => {
    const what = `document ${n + 1}`;
    if (typeof value !== "object" || value === null)
      throw refuse(`${what}: expected an object { id, text }, got ${kindOf(value)}`);
    const { text } = value as Partial<IndexDocument>;
    const id = idOf((value as Partial<IndexDocument>).id, `${what}: id`);
    if (typeof text !== "string") throw refuse(`${what}: text: expected a string, got ${kindOf(text)}`);
    if (ids.has(id)) throw refuse(`${what}: duplicate id ${JSON.stringify(id)}`);
    ids.add(id);
    try {
      return JSON.parse(JSON.stringify(value)) as IndexDocument;
    } catch (cause) {
      throw new WebertError(
        "bad_input",
        `${what}: expected fields that JSON can represent: ${(cause as Error).message}`,
        {
          cause,
        },
      );
    }
  });
}

/** Checked options of a search with defaults filled in. */
export interface AskedSearch {
  /** Share of words in a score: 0 is vectors alone, 1 is words alone. */
  share: number;
  /** Share of the sparse vectors: 1 is sparse vectors alone. */
  sparse: number;
  top_k: number;
  /** How many of the best passages to leave out. */
  offset: number;
  /** Returns whether a document may be found. */
  where: ((document: IndexDocument) => boolean) | undefined;
  rerank: Source | Pipeline<"text-ranking"> | undefined;
  candidates: number;
  /** At most this many passages of one document; 0 means no limit. */
  per_document: number;
  prompt_name: string | undefined;
  k1: number;
  b: number;
  signal: AbortSignal | undefined;
}

/** Returns the options of a search. `has`: whether the index can find texts by words and by sparse vectors. */
export function searchOptionsOf(given: unknown, has: { words: boolean; sparse: boolean }): AskedSearch {
  const options = optionsOf<IndexSearchOptions>(given);
  check("index.search", options);
  const { rerank, prompt_name } = options;
  const count = (name: "top_k" | "rerank_candidates" | "per_document", otherwise: number) => {
    const value = options[name] ?? otherwise;
    if (Number.isSafeInteger(value) && value > 0) return Math.min(value, 1 << 22);
    if (options[name] == null) return otherwise;
    throw refuse(`${name}: expected a whole number of at least 1, got ${shown(value)}`);
  };
  const constant = (name: "k1" | "b", otherwise: number, most: number) => {
    const value = options[name] ?? otherwise;
    if (typeof value === "number" && value >= 0 && value <= most) return value;
    throw refuse(`${name}: expected a number from 0 to ${most}, got ${shown(value)}`);
  };
  if (prompt_name != null && typeof prompt_name !== "string")
    throw refuse(`prompt_name: expected a string, got ${kindOf(prompt_name)}`);
  const share = shareOf("hybrid", options.hybrid ?? has.words, SHARE_OF_WORDS);
  if (share && !has.words) throw refuse("hybrid: expected an index with words, got one made with words: false");
  const sparse = shareOf("sparse", options.sparse ?? has.sparse, SHARE_OF_SPARSE);
  if (sparse && !has.sparse) throw refuse("sparse: expected an index with a sparse encoder, got one made without");
  return {
    share,
    sparse,
    top_k: count("top_k", 10),
    offset: offsetOf(options.offset),
    where: filterOf(options.where),
    rerank: rerank ?? undefined,
    candidates: count("rerank_candidates", 30),
    per_document: count("per_document", 0),
    prompt_name: prompt_name ?? undefined,
    k1: constant("k1", 1.2, 1000),
    b: constant("b", 0.75, 1),
    signal: signalOf(options),
  };
}

function offsetOf(offset: unknown): number {
  if (offset == null) return 0;
  if (Number.isSafeInteger(offset) && (offset as number) >= 0) return Math.min(offset as number, 1 << 20);
  throw refuse(`offset: expected a whole number of at least 0, got ${shown(offset)}`);
}

/** Returns the filter of a function, or of an object of fields and their values. */
function filterOf(where: unknown): AskedSearch["where"] {
  if (where == null) return undefined;
  if (typeof where === "function") return (document) => !!(where as (document: IndexDocument) => unknown)(document);
  if (typeof where !== "object" || Array.isArray(where))
    throw refuse(`where: expected a function or an object of fields, got ${kindOf(where)}`);
  const fields = Object.entries(where);
  const isOneOf = (given: unknown, value: unknown) => (Array.isArray(given) ? given.includes(value) : given === value);
  return (document) => fields.every(([name, given]) => isOneOf(given, document[name]));
}

/** Default share of words in a score. It is the best on our questions (`npm run bench -- search`). */
const SHARE_OF_WORDS = 0.15;

/** Default share of the sparse vectors in a score. */
const SHARE_OF_SPARSE = 0.5;

function shareOf(name: string, given: unknown, otherwise: number): number {
  if (typeof given === "boolean") return given ? otherwise : 0;
  if (typeof given === "number" && given >= 0 && given <= 1) return given;
  throw refuse(`${name}: expected true, false or a number from 0 to 1, got ${shown(given)}`);
}
