// Where the binary that searches is; see urls.ts. A page that does not search has no need of its address.
import { fileUrl } from "./urls.js";

/** The URL of the wasm file that searches. */
export const searchWasmUrl = (): string =>
  fileUrl("webert_search.wasm", () => new URL("./webert_search.wasm", import.meta.url)).href;
