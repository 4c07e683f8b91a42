// `npm run bench -- NAME [ARGS…]`: builds, then runs benches/NAME.mjs. Without a name it lists the benchmarks.

import "./lib/node-version.mjs";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { Failure, main, root, run } from "./lib/run.mjs";

await main(async () => {
  const [name, ...args] = process.argv.slice(2);
  const folder = join(root, "benches");
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(".mjs"))
        .map((file) => file.slice(0, -".mjs".length))
    : [];
  if (!names.includes(name))
    throw new Failure(`usage: npm run bench -- NAME\nbenchmarks: ${names.join(", ") || "none yet"}`);
  await build();
  run(process.execPath, [join(folder, `${name}.mjs`), ...args]);
});
