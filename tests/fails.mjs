import assert from "node:assert/strict";
import { WebertError } from "../dist/node.js";

/** Passes where `promise` is rejected with a WebertError of this code, whose message matches. */
export const fails = (promise, code, pattern) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof WebertError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
