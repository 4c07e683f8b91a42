// Where the script of Workers that train is; see urls.ts. A page that does not train has no need of its address.
import { fileUrl } from "./urls.js";

/** The URL of the script of Workers that train. */
export const trainWorkerUrl = (): string =>
  fileUrl("train-worker.js", () => new URL("./train-worker.js", import.meta.url)).href;
