import { WebertError } from "../errors.js";
import { shown } from "../values.js";

/** Precisions of weights in memory, and the names that transformers.js has for those of ONNX files. */
export type Dtype =
  | "auto"
  | "fp32"
  | "fp16"
  | "q8"
  | "int8"
  | "uint8"
  | "q4"
  | "bnb4"
  | "q4f16"
  | "q2"
  | "q2f16"
  | "q1"
  | "q1f16";

/** What there is of a dtype: the nearest of the precisions there are, and why where it is another. */
export interface Chosen {
  dtype: "auto" | "fp32" | "fp16" | "q8";
  reason?: string;
}

const THERE: readonly string[] = ["auto", "fp32", "fp16", "q8"];
/** Integers of eight bits, by whatever zero point, are q8; and of fewer bits than eight there are none. */
const NEAREST: readonly string[] = ["int8", "uint8", "q4", "bnb4", "q4f16", "q2", "q2f16", "q1", "q1f16"];

/**
 * The precision for a call's options: `dtype`, by name or by file as transformers.js also takes it, or else what
 * `quantized` meant before there was a dtype. Throws `unsupported` for a name that is none.
 */
export function chosenDtype({ dtype, quantized }: { dtype?: unknown; quantized?: unknown }): Chosen {
  const asked =
    typeof dtype === "object" && dtype !== null ? ((dtype as Record<string, unknown>).model ?? "auto") : dtype;
  if (asked == null) return { dtype: quantized == null ? "auto" : quantized ? "q8" : "fp32" };
  if (THERE.includes(asked as string)) return { dtype: asked as Chosen["dtype"] };
  if (NEAREST.includes(asked as string))
    return { dtype: "q8", reason: `"${asked as string}" was asked for, and q8 is the nearest to it` };
  const name = typeof asked === "string" ? `"${asked}"` : shown(asked);
  throw new WebertError(
    "unsupported",
    `there is no dtype ${name}; there are ${THERE.join(", ")}, and of transformers.js ${NEAREST.join(", ")}`,
  );
}
