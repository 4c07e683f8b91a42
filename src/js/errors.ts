/** Codes of errors. Every rejection and throw of this package carries one of them. */
export type ErrorCode =
  | "not_found"
  | "network"
  | "aborted"
  | "bad_config"
  | "bad_tokenizer"
  | "bad_weights"
  | "unsupported"
  | "bad_input"
  | "out_of_memory"
  | "device_lost"
  | "disposed";

const CODES: ReadonlySet<string> = new Set<ErrorCode>([
  "not_found",
  "network",
  "aborted",
  "bad_config",
  "bad_tokenizer",
  "bad_weights",
  "unsupported",
  "bad_input",
  "out_of_memory",
  "device_lost",
  "disposed",
]);

/** The parts of an error's sentence, for programs. Each is absent where it does not apply. */
export interface ErrorDetails {
  /** Name of the file at fault, e.g. `"model.safetensors"`. */
  readonly file?: string;
  /** The thing at fault, in the file or in the call: a tensor, a field, an option. */
  readonly item?: string;
  /** What was expected. */
  readonly expected?: string;
  /** What was found instead. */
  readonly found?: string;
}

/** An error in a form that survives postMessage, which keeps neither the class nor extra fields. */
export interface ErrorMessage extends ErrorDetails {
  code: ErrorCode;
  message: string;
  cause?: string;
}

/** Returns the parts that `error` has. */
const detailsOf = (error: ErrorDetails) =>
  Object.fromEntries(
    (["file", "item", "expected", "found"] as const).flatMap((name) => (error[name] ? [[name, error[name]]] : [])),
  ) as ErrorDetails;

/**
 * The only error class of this package. `code` is for programs. `message` is a sentence that names the file, tensor,
 * option or text at fault; `file`, `item`, `expected` and `found` are parts of it. `cause` is the underlying error, if
 * any.
 */
export class WebertError extends Error implements ErrorDetails {
  readonly code: ErrorCode;
  /** Name of the file at fault. */
  declare readonly file?: string;
  /** The tensor, field or option at fault. */
  declare readonly item?: string;
  /** What was expected. */
  declare readonly expected?: string;
  /** What was found instead. */
  declare readonly found?: string;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown } & ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "WebertError";
    this.code = code;
    Object.assign(this, detailsOf(options));
  }

  /** Returns `error` itself if it is a WebertError, otherwise a WebertError that wraps it. */
  static from(error: unknown): WebertError {
    if (isOwn(error)) return error;
    const { code, name, message, cause } = (error ?? {}) as Partial<Error> & { code?: unknown };
    const text = message || String(error);
    if (typeof code === "string" && CODES.has(code)) {
      // An error of another script's copy of this class is as good as one of this class.
      return made(code as ErrorCode, text, {
        ...(error as ErrorDetails),
        cause: name === "WebertError" ? cause : error,
      });
    }
    return made(codeOf(name, text), text, { cause: error });
  }

  /** Returns the error in the form in which it is posted between a Worker and its page. */
  static pack(error: unknown): ErrorMessage {
    const known = errorFrom(error);
    const { code, message, cause } = known;
    return { code, message, ...detailsOf(known), ...(cause === undefined ? {} : { cause: String(cause) }) };
  }

  /** Restores an error from the form returned by `pack`. */
  static unpack(packed: ErrorMessage): WebertError {
    return made(packed.code, packed.message, packed);
  }
}

// Outside of the class: a bundler renames a class that names itself, and Node prints that name above each stack.
const isOwn = (error: unknown): error is WebertError => error instanceof WebertError;
const made = (...given: ConstructorParameters<typeof WebertError>) => new WebertError(...given);
const errorFrom = (error: unknown) => WebertError.from(error);

/** Returns the code for an error that the platform threw. */
function codeOf(name: string | undefined, message: string): ErrorCode {
  if (name === "AbortError") return "aborted";
  if (name === "RangeError" && /memory|allocat|array length/i.test(message)) return "out_of_memory";
  // A trap leaves the wasm instance in an unknown state, as a lost device does.
  if (name === "RuntimeError" || name === "CompileError" || name === "LinkError") return "device_lost";
  return "bad_input";
}
