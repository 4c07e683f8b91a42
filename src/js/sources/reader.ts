// Reading a model's folder in the page's own thread. A page whose models are in Workers reads none, so this comes with the first
// use.
import { onDemand } from "../on-demand.js";

/** Returns what reads folders and the files in them. */
export const reader = () =>
  onDemand(async () => {
    const [folder, open, files] = await Promise.all([import("./folder.js"), import("./open.js"), import("./files.js")]);
    return { ...folder, ...open, ...files };
  });
