// Every pipeline in a page, on the CPU and on the GPU, in a Worker and in the page's own thread, returns the same results as in Node.
// tasks.test.mjs compares the results in Node with Hugging Face.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { pipeline } from "../dist/node.js";
import { alike } from "./alike.mjs";
import { blank, withPage } from "./browser.mjs";
import { answer, calls } from "./pages/calls.js";

const folder = fileURLToPath(new URL("goldens/models/", import.meta.url));

/** Where each pipeline runs: the driver of the software GPU, then each device and whether a Worker has the model. */
const PLACES = {
  swiftshader: [
    ["wasm", true],
    ["wasm", false],
    ["webgpu", true],
  ],
  lavapipe: [["webgpu", false]],
};

/** Runs in a page: the answer of the pipeline of `call`. */
async function answered([call, options]) {
  const { pipeline } = await import("/dist/index.js");
  const { answer } = await import("/tests/pages/calls.js");
  return answer(pipeline, call, "/tests/goldens/models/", options);
}

for (const call of calls) {
  test(`${call[0]}: a page gives what Node gives`, async () => {
    const want = await answer(pipeline, call, folder);
    for (const [driver, places] of Object.entries(PLACES)) {
      // the browser logs missing optional files
      await withPage({ path: blank, allowErrors: true, driver }, async (page) => {
        for (const [device, worker] of places) {
          const got = await page.evaluate(answered, [call, { device, worker }]);
          assert.equal(got.device, device);
          alike(JSON.parse(got.text), JSON.parse(want.text), `${driver}, ${device}, worker: ${worker}`);
        }
      });
    }
  });
}
