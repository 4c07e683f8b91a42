// URL of the script for Workers that train; see urls.ts. A separate file, because most pages do not train.
import { fileUrl } from "./urls.js";

/** Returns the URL of the script for Workers that train. */
export const trainWorkerUrl = (): string =>
  fileUrl("train-worker.js", () => new URL("./train-worker.js", import.meta.url)).href;
