// Names of precisions, and the precision that a call asks for.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";

/** Precisions of weights in memory, and names that transformers.js uses for ONNX files. */
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

/** The precision to use, and the reason if it differs from the requested one. */
export interface DtypeChoice {
  dtype: "auto" | "fp32" | "fp16" | "q8";
  reason?: string;
  /** The dtype of an ONNX file to read. */
  file: Dtype;
}

const same = (dtype: DtypeChoice["dtype"]): DtypeChoice => ({ dtype, file: dtype });

const THERE: readonly string[] = ["auto", "fp32", "fp16", "q8"];
/**
 * Names that become q8. 8-bit integers become q8 whatever their zero point. For fewer bits, q8 is the smallest
 * precision here.
 */
const NEAREST: readonly string[] = ["int8", "uint8", "q4", "bnb4", "q4f16", "q2", "q2f16", "q1", "q1f16"];

/**
 * Returns the precision for a call's options, and the dtype of a file to read. `dtype` is a name, or an object by file
 * as in transformers.js. Without it, `quantized` decides, which transformers.js used before it had `dtype`. `compute`
 * replaces the precision.
 * @throws WebertError `unsupported` for an unknown name
 */
export function chosenDtype(given: { dtype?: unknown; quantized?: unknown; compute?: unknown }): DtypeChoice {
  const { compute } = given;
  const chosen = ofDtype(given);
  if (compute == null) return chosen;
  if (THERE.includes(compute as string)) return { dtype: compute as DtypeChoice["dtype"], file: chosen.file };
  throw new WebertError("unsupported", `compute: expected one of ${THERE.join(", ")}, got ${shown(compute)}`);
}

function ofDtype({ dtype, quantized }: { dtype?: unknown; quantized?: unknown }): DtypeChoice {
  const asked =
    typeof dtype === "object" && dtype !== null ? ((dtype as Record<string, unknown>).model ?? "auto") : dtype;
  if (asked == null) return same(quantized == null ? "auto" : quantized ? "q8" : "fp32");
  if (THERE.includes(asked as string)) return same(asked as DtypeChoice["dtype"]);
  if (NEAREST.includes(asked as string))
    return {
      dtype: "q8",
      file: asked as Dtype,
      reason: `"${asked as string}" was asked for, and q8 is the nearest to it`,
    };
  const name = typeof asked === "string" ? `"${asked}"` : shown(asked);
  throw new WebertError(
    "unsupported",
    `dtype: expected one of ${THERE.join(", ")}, or of transformers.js ${NEAREST.join(", ")}, got ${name}`,
  );
}
