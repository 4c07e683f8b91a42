// Names and numbers in a text, found by the package's model.
import type { Pipeline } from "webert";

/** A name or number in a text. */
export interface Found {
  start: number;
  end: number;
  label: string;
}

/** Finds the names and numbers of a text, in order. */
export async function findNames(
  ner: Pipeline<"token-classification">,
  text: string,
  signal?: AbortSignal,
): Promise<Found[]> {
  const found = await ner(text, { aggregation_strategy: "first", signal: signal! });
  return (found as { start: number; end: number; entity_group: string }[]).map(({ start, end, entity_group }) => ({
    start,
    end,
    label: entity_group,
  }));
}

/** A text in parts: names and numbers with their labels, and what is between them. */
export function partsOf(text: string, found: readonly Found[]): { text: string; label?: string; start: number }[] {
  let at = 0;
  const parts = found.flatMap(({ start, end, label }) => {
    const before = { text: text.slice(at, start), start: at };
    at = end;
    return [before, { text: text.slice(start, end), label, start }];
  });
  return [...parts, { text: text.slice(at), start: at }].filter((part) => part.text);
}
