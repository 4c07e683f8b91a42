import assert from "node:assert/strict";
import { WebertError } from "../dist/node.js";

/** Passes if `promise` rejects with a WebertError of this code and a matching message. */
export const fails = (promise, code, pattern) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof WebertError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
