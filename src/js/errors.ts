/** What a program can switch on: every rejection and throw of this package carries one of these. */
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

/** An error as it crosses postMessage, which keeps neither a class nor fields of its own. */
export interface ErrorMessage {
  code: ErrorCode;
  message: string;
  cause?: string;
}

/**
 * The one error of this package. `code` is for programs; `message` is a sentence that names the
 * file, tensor, option or text at fault; `cause` is the error below it, where there is one.
 */
export class WebertError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "WebertError";
    this.code = code;
  }

  /** `error` itself where it is one of ours, else one of ours around it. */
  static from(error: unknown): WebertError {
    if (error instanceof WebertError) return error;
    const { code, name, message } = (error ?? {}) as Partial<Error> & { code?: unknown };
    const text = message || String(error);
    if (typeof code === "string" && CODES.has(code)) {
      return new WebertError(code as ErrorCode, text, { cause: error });
    }
    return new WebertError(codeOf(name, text), text, { cause: error });
  }

  /** The form in which an error travels between a Worker and its page. */
  static pack(error: unknown): ErrorMessage {
    const { code, message, cause } = WebertError.from(error);
    return cause === undefined ? { code, message } : { code, message, cause: String(cause) };
  }

  /** The opposite of `pack`. */
  static unpack({ code, message, cause }: ErrorMessage): WebertError {
    return new WebertError(code, message, { cause });
  }
}

/** The code for an error that the platform threw. */
function codeOf(name: string | undefined, message: string): ErrorCode {
  if (name === "AbortError") return "aborted";
  if (name === "RangeError" && /memory|allocat|array length/i.test(message)) return "out_of_memory";
  // A trap leaves the wasm instance in an unknown state, much as a lost device does.
  if (name === "RuntimeError" || name === "CompileError" || name === "LinkError") return "device_lost";
  return "bad_input";
}
