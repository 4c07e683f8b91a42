// `npm start`: whatever is missing is installed and built, then the page is served.

import "./lib/node-version.mjs";
import { main } from "./lib/run.mjs";
import { build } from "./build.mjs";
import { serveForever } from "./serve.mjs";

await main(async () => {
  await build();
  await serveForever();
});
