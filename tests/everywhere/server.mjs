// A server of one folder, with the caller's headers. It does not answer requests for missing files.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".css": "text/css",
};

/** Serves `folder`; `headers(path)` returns the headers of a file. Returns `{ url, close() }`. */
export async function serveFolder(folder, headers = () => ({})) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    const path = decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    if (!bytes) return response.writeHead(404, headers(path)).end("not found");
    response
      .writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream", ...headers(path) })
      .end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${server.address().port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
