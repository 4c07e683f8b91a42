// URL of the binary for search; see urls.ts. A separate file, because most pages do not search.
import { fileUrl } from "./urls.js";

/** Returns the URL of the wasm file for search. */
export const searchWasmUrl = (): string =>
  fileUrl("webert_search.wasm", () => new URL("./webert_search.wasm", import.meta.url)).href;
