// Converts batches of ids and labels into the form that the engine takes.

import { type ModelInputs, nested, rawInputs } from "../api/model.js";
import type { RawInputs } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { isNumber, optionsOf, shown } from "../values.js";
import type { RawLabels } from "./engine.js";

const LABELS = ["labels", "next_sentence_label", "start_positions", "end_positions"];

/** Returns one batch, or several that belong together. */
export function batchesOf(inputs: unknown): RawInputs[] {
  const batches = (Array.isArray(inputs) ? inputs : [inputs]) as ModelInputs[];
  if (!batches.length) throw new WebertError("bad_input", "inputs: expected at least one batch, got an empty array");
  return batches.map(rawInputs);
}

/** Returns checked labels by name. */
export function labelsOf(given: unknown): RawLabels {
  const labels: RawLabels = {};
  for (const [name, value] of Object.entries(optionsOf<Record<string, unknown>>(given))) {
    if (!LABELS.includes(name))
      throw new WebertError("bad_input", `there are no labels ${name}; there are ${LABELS.join(", ")}`);
    if (value == null) continue;
    const { dims, values } = nested(name, value);
    labels[name] = { dims, data: Float32Array.from(values as ArrayLike<number>, (value) => numberOf(name, value)) };
  }
  return labels;
}

function numberOf(name: string, value: unknown): number {
  if (isNumber(value) && Number.isFinite(Number(value))) return Number(value);
  throw new WebertError("bad_input", `${name}: expected finite numbers, got ${shown(value)}`);
}
