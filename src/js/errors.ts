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

/** An error in a form that survives postMessage, which keeps neither the class nor extra fields. */
export interface ErrorMessage {
  code: ErrorCode;
  message: string;
  cause?: string;
}

/**
 * The only error class of this package. `code` is for programs. `message` is a sentence that names the file, tensor,
 * option or text at fault. `cause` is the underlying error, if any.
 */
export class WebertError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "WebertError";
    this.code = code;
  }

  /** Returns `error` itself if it is a WebertError, otherwise a WebertError that wraps it. */
  static from(error: unknown): WebertError {
    if (error instanceof WebertError) return error;
    const { code, name, message, cause } = (error ?? {}) as Partial<Error> & { code?: unknown };
    const text = message || String(error);
    if (typeof code === "string" && CODES.has(code)) {
      // An error of another script's copy of this class is as good as one of this class.
      return new WebertError(code as ErrorCode, text, { cause: name === "WebertError" ? cause : error });
    }
    return new WebertError(codeOf(name, text), text, { cause: error });
  }

  /** Returns the error in the form in which it is posted between a Worker and its page. */
  static pack(error: unknown): ErrorMessage {
    const { code, message, cause } = WebertError.from(error);
    return cause === undefined ? { code, message } : { code, message, cause: String(cause) };
  }

  /** Restores an error from the form returned by `pack`. */
  static unpack({ code, message, cause }: ErrorMessage): WebertError {
    return new WebertError(code, message, { cause });
  }
}

/** Returns the code for an error that the platform threw. */
function codeOf(name: string | undefined, message: string): ErrorCode {
  if (name === "AbortError") return "aborted";
  if (name === "RangeError" && /memory|allocat|array length/i.test(message)) return "out_of_memory";
  // A trap leaves the wasm instance in an unknown state, as a lost device does.
  if (name === "RuntimeError" || name === "CompileError" || name === "LinkError") return "device_lost";
  return "bad_input";
}
