// Requests and answers of the handler: bodies, errors in the form of each interface.
import { WebertError } from "../../errors.js";
import { near } from "../../nearest-name.js";
import { kindOf } from "../../values.js";
import { QueueFull } from "../batches.js";

/** The interface that a route belongs to. It decides the status and the body of errors. */
export type Dialect = "openai" | "tei" | "cohere" | "hub";

/** Why a request fails. */
export type Fault =
  | "syntax"
  | "invalid"
  | "limit"
  | "empty"
  | "wrong_model"
  | "unknown_model"
  | "unauthorized"
  | "overloaded"
  | "body"
  | "media"
  | "method"
  | "path"
  | "aborted"
  | "internal";

/** Status of each fault; the second number is the one of text-embeddings-inference. */
const STATUS: Record<Fault, [number, number?]> = {
  syntax: [400],
  invalid: [400, 422],
  limit: [400, 413],
  empty: [400],
  wrong_model: [400, 424],
  unknown_model: [404],
  unauthorized: [401],
  overloaded: [429],
  body: [413],
  media: [415],
  method: [405],
  path: [404],
  aborted: [499],
  internal: [500],
};

/** `error_type` of text-embeddings-inference; "Validation" for all others. */
const TEI_TYPES: Partial<Record<Fault, string>> = {
  empty: "Empty",
  wrong_model: "Backend",
  internal: "Backend",
  overloaded: "Overloaded",
};

/** `code` of OpenAI's errors. */
const OPENAI_CODES: Partial<Record<Fault, string>> = {
  unauthorized: "invalid_api_key",
  unknown_model: "model_not_found",
  overloaded: "rate_limit_exceeded",
};

/** A failed request. `param` is the field at fault. */
export class HttpError extends Error {
  constructor(
    readonly fault: Fault,
    message: string,
    readonly param: string | null = null,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  static from(error: unknown): HttpError {
    if (error instanceof HttpError) return error;
    if (error instanceof QueueFull) return new HttpError("overloaded", error.message, null, { "retry-after": "1" });
    const { code, message } = WebertError.from(error);
    const faults: Partial<Record<typeof code, Fault>> = {
      bad_input: "invalid",
      unsupported: "wrong_model",
      aborted: "aborted",
    };
    // An exception of another kind is a defect, and its text is not for clients.
    const isOurs = error instanceof Error && "code" in error;
    if (!isOurs) return new HttpError("internal", "internal error");
    return new HttpError(faults[code] ?? "internal", message);
  }

  statusOf(dialect: Dialect): number {
    const [status, tei] = STATUS[this.fault];
    return (dialect === "tei" && tei) || status;
  }

  bodyOf(dialect: Dialect): object {
    const { fault, message, param } = this;
    if (dialect === "tei") return { error: message, error_type: TEI_TYPES[fault] ?? "Validation" };
    if (dialect === "hub") return { error: message };
    if (dialect === "cohere") return { message, detail: message };
    const isServers = this.statusOf(dialect) >= 500 || fault === "overloaded";
    const type = isServers ? "server_error" : "invalid_request_error";
    return { error: { message, type, param, code: OPENAI_CODES[fault] ?? null } };
  }
}

export const invalid = (param: string, what: string) => new HttpError("invalid", `${param}: ${what}`, param);

/** Fields of a JSON object. */
export type Fields = Record<string, unknown>;

/**
 * Reads the JSON object of a request's body.
 * @param most maximum size in bytes
 */
export async function readObject(request: Request, most: number): Promise<Fields> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type))
    throw new HttpError("media", `content-type: expected application/json, got ${type ? `"${type}"` : "none"}`);
  const text = await readText(request, most);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HttpError("syntax", `body: expected JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new HttpError("invalid", `body: expected an object, got ${kindOf(value)}`);
  return value as Fields;
}

async function readText(request: Request, most: number): Promise<string> {
  const tooLarge = () => new HttpError("body", `body: expected at most ${most} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge();
  if (!request.body) return "";
  const reader = request.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > most) throw tooLarge();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    void reader.cancel().catch(() => {});
    if (error instanceof HttpError) throw error;
    if (error instanceof TypeError && /decod|encoded data/i.test(error.message))
      throw new HttpError("syntax", "body: expected UTF-8");
    throw new HttpError("aborted", "the request ended before its body");
  }
}

/** Rejects fields with other names than `known`. */
export function onlyKnown(fields: Fields, known: readonly string[], where = ""): void {
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue;
    const meant = near(name.slice(0, 64), [...known]);
    const way = meant ? `; did you mean "${meant}"?` : `; expected one of ${known.join(", ")}`;
    throw invalid(`${where}${name.slice(0, 64)}`, `unknown field${way}`);
  }
}

/** Returns a string field. */
export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw invalid(name, `expected a string, got ${kindOf(value)}`);
  if (!value) throw new HttpError("empty", `${name}: expected a text that is not empty`, name);
  return value;
}

/** Returns the strings of a field that is a string or an array of strings, and whether it is an array. */
export function texts(fields: Fields, name: string, most: number): { list: string[]; many: boolean } {
  const value = fields[name];
  if (typeof value === "string") return { list: [text(fields, name)], many: false };
  return { list: strings(name, value, most), many: true };
}

/** Returns an array of strings of which none is empty. */
export function strings(name: string, value: unknown, most: number): string[] {
  if (!Array.isArray(value)) throw invalid(name, `expected a string or an array of strings, got ${kindOf(value)}`);
  if (!value.length) throw new HttpError("empty", `${name}: expected at least one text`, name);
  if (value.length > most)
    throw new HttpError("limit", `${name}: expected at most ${most} texts, got ${value.length}`, name);
  for (const [n, one] of value.entries()) {
    if (typeof one === "number" || Array.isArray(one))
      throw invalid(`${name}[${n}]`, "expected a string, got ids of tokens; this route takes texts");
    if (typeof one !== "string") throw invalid(`${name}[${n}]`, `expected a string, got ${kindOf(one)}`);
    if (!one) throw new HttpError("empty", `${name}[${n}]: expected a text that is not empty`, name);
  }
  return value as string[];
}

/** Returns a boolean field. Null and undefined mean the default. */
export function flag(fields: Fields, name: string, fallback: boolean): boolean {
  const value = fields[name] ?? fallback;
  if (typeof value !== "boolean") throw invalid(name, `expected a boolean, got ${kindOf(value)}`);
  return value;
}

/** Returns a whole number of at least 1; undefined if the field is absent. */
export function count(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (value == null) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw invalid(name, `expected a whole number of at least 1, got ${JSON.stringify(value)}`);
  return value as number;
}

/** Returns a string field, one of `values`. The first is the default. */
export function oneOf<V extends string>(fields: Fields, name: string, values: readonly [V, ...V[]]): V {
  const value = fields[name] ?? values[0];
  if (!values.includes(value as V))
    throw invalid(name, `expected one of ${values.join(", ")}, got ${JSON.stringify(value)}`);
  return value as V;
}

/** Returns a string field; undefined if it is absent. */
export function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] == null ? undefined : text(fields, name);
}

/** Returns the object of a field; an empty one if it is absent. */
export function objectOf(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {};
  if (typeof value !== "object" || Array.isArray(value))
    throw invalid(name, `expected an object, got ${kindOf(value)}`);
  return value as Fields;
}
