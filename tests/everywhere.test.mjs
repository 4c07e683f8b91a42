// The packed package, without configuration, where people work: those of tests/everywhere that take seconds. All of them:
// npm run test:everywhere.

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
