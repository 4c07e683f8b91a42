// `npm start`: installs and builds the first parts of the page, serves it, and builds the faster binaries in the background.

import "./lib/node-version.mjs";
import { buildFirst } from "./build.mjs";
import { buildBehind, standIn } from "./lib/behind.mjs";
import { main } from "./lib/run.mjs";
import { announce, portAsked, serve } from "./serve.mjs";

await main(async () => {
  const port = portAsked();
  let open;
  const ready = new Promise((resolve) => (open = resolve));
  // Listen first: a port in use is reported before minutes of building.
  const { url, close } = await serve({ port, ready, instead: standIn });
  try {
    const later = await buildFirst();
    if (later.length > 0) buildBehind(process.execPath, ["scripts/build.mjs"]);
  } catch (error) {
    await close();
    throw error;
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit()); // and ends the background build
  open();
  announce(url);
});
