// Reading a model's folder in the page's own thread. A page whose models are in Workers reads none, so this comes with the first
// use.
import { onDemand } from "../engine/on-demand.js";

/** Returns what reads folders and the files in them. */
export const reader = () =>
  onDemand(async () => {
    const [folder, files] = await Promise.all([import("./folder.js"), import("./files.js")]);
    return { ...folder, ...files };
  });
