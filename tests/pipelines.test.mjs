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

for (const call of calls) {
  test(`${call[0]}: a page gives what Node gives`, async () => {
    const want = await answer(pipeline, call, folder);
    // the browser logs missing optional files
    await withPage({ path: blank, allowErrors: true }, async (page) => {
      for (const [device, worker] of [
        ["wasm", true],
        ["wasm", false],
        ["webgpu", true],
        ["webgpu", false],
      ]) {
        const got = await page.evaluate(
          async ([call, options]) => {
            const { pipeline } = await import("/dist/index.js");
            const { answer } = await import("/tests/pages/calls.js");
            return answer(pipeline, call, "/tests/goldens/models/", options);
          },
          [call, { device, worker }],
        );
        assert.equal(got.device, device);
        alike(JSON.parse(got.text), JSON.parse(want.text), `${device}, worker: ${worker}`);
      }
    });
  });
}
