// What the decision and extraction models of the AI SDK share: the parts of a state, warnings.
import type { AnyPipeline } from "./pipelines.js";

/** A part of a state. Other kinds, e.g. files, are not supported. */
export type StatePart = { type: string; text?: unknown; value?: unknown };

/** A warning of the AI SDK. */
export type Warning =
  | { type: "unsupported"; feature: string; details?: string }
  | { type: "compatibility"; feature: string; details?: string }
  | { type: "other"; message: string };

/** A text or JSON as the AI SDK passes instructions and criteria. */
export type Input = string | object;

/** Returns a text of instructions or of a criterion; undefined if there is none. */
export function inputText(input: Input | null | undefined): string | undefined {
  if (input == null) return undefined;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return text.trim() || undefined;
}

/** Returns the text of each part of a state, in their order, and warnings about parts without text. */
export function partTexts(state: readonly StatePart[]): { texts: string[]; warnings: Warning[] } {
  const warnings: Warning[] = [];
  const texts = state.map((part, n) => {
    if (part.type === "text" && typeof part.text === "string") return part.text;
    if (part.type === "json") return JSON.stringify(part.value);
    warnings.push({
      type: "unsupported",
      feature: `state part ${n} of type "${part.type}"`,
      details: "only text is read",
    });
    return "";
  });
  return { texts, warnings };
}

/** Returns the names of a model's labels. */
export function labelsOf(pipe: AnyPipeline): string[] {
  const { id2label } = (pipe.model?.config ?? {}) as { id2label?: Record<string, unknown> };
  return Object.values(id2label ?? {}).map(String);
}
