// The packed package, without configuration, in the environments of tests/everywhere that take seconds. `npm run test:everywhere` runs
// all of them.

import { after, test } from "node:test";
import { environments } from "./everywhere/environments.mjs";
import { close, run } from "./everywhere/run.mjs";

after(close);

for (const [name, { often }] of Object.entries(environments)) {
  if (!often) continue;
  test(name, { timeout: 600_000 }, async () => {
    const { built, answered } = await run(name);
    console.log(`${name}: ${built ? `built in ${built} ms, ` : ""}answered in ${answered} ms`);
  });
}
