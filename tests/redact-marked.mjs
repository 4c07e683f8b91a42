// Texts with marks for the tests of the rules of `redact`.
import assert from "node:assert/strict";
import { redact } from "../dist/node.js";

/**
 * Checks that each text loses exactly the words between "[" and "]", in this order, without a model. `options` are those of
 * `redact`; with `label` only entities of this label count.
 */
export async function exactly(texts, { label, ...options } = {}) {
  for (const marked of texts) {
    const wanted = Array.from(marked.matchAll(/\[([^\]]+)\]/g), ([, word]) => word);
    const { entities } = await redact(marked.replace(/[[\]]/g, ""), { model: false, ...options });
    const found = entities.filter(({ entity_group }) => !label || entity_group === label).map(({ word }) => word);
    assert.deepEqual(found, wanted, marked);
  }
}
