// Reads model folders in the page's own thread. It is imported on demand, because a page with its models in Workers
// reads no folders.
import { onDemand } from "../on-demand.js";

/** Returns the functions that read folders and their files. */
export const reader = () =>
  onDemand(async () => {
    const [folder, open, files] = await Promise.all([import("./folder.js"), import("./open.js"), import("./files.js")]);
    return { ...folder, ...open, ...files };
  });
