// A static server for the page and what it loads, to look at and to test with.

import "./lib/node-version.mjs";
import { createReadStream, existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { parseArgs } from "node:util";
import { Failure, isMain, main, root } from "./lib/run.mjs";

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** Which folder of the project answers which paths; the first that fits. */
const mounts = [["/dist/", "dist"], ["/models/", "models"], ["/", "www"]];

/** Stands for a file's content: it changes with every write. */
const entityTag = ({ size, mtimeMs }) => `"${size.toString(16)}-${Math.trunc(mtimeMs * 1000).toString(16)}"`;

/** Whether the client's copy is the file of this tag. If-None-Match goes before If-Modified-Since. */
function isFresh({ "if-none-match": tags, "if-modified-since": since }, tag, modified) {
  if (tags !== undefined) return tags.split(",").some((one) => ["*", tag].includes(one.trim().replace(/^W\//, "")));
  return Math.trunc(modified / 1000) * 1000 <= Date.parse(since);
}

/** The file a request's path stands for; null for what is outside the served folders. */
function fileFor(path, folders) {
  let decoded;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (decoded.includes("\0") || decoded.includes("\\")) return null;
  const [prefix, folder] = folders.find(([prefix]) => decoded.startsWith(prefix)) ?? [];
  if (folder === undefined) return null;
  const base = join(root, folder);
  const file = join(base, decoded.slice(prefix.length), decoded.endsWith("/") ? "index.html" : "");
  return file.startsWith(base + sep) ? file : null;
}

async function answer(request, response, folders) {
  const headers = {
    // Cross-origin isolation: shared memory, and so threads, exist only with it.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    // Asked for again each time, as it may have been rebuilt, but not sent again: weights that models share come once.
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
  };
  const refuse = (status, text) => {
    response.writeHead(status, { ...headers, "Content-Type": types[".txt"] }).end(`${text}\n`);
  };
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "only GET and HEAD");
  // Not new URL(): it would resolve ".." before it could be refused.
  const file = fileFor(request.url.split(/[?#]/, 1)[0], folders);
  const found = file === null ? undefined : await stat(file).catch(() => undefined);
  if (!found?.isFile()) return refuse(404, "not found");

  headers.ETag = entityTag(found);
  headers["Last-Modified"] = found.mtime.toUTCString();
  if (isFresh(request.headers, headers.ETag, found.mtimeMs)) return response.writeHead(304, headers).end();
  headers["Content-Type"] = types[extname(file)] ?? "application/octet-stream";
  headers["Content-Length"] = found.size;
  if (existsSync(`${file}.map`)) headers.SourceMap = `${request.url.split("?", 1)[0]}.map`;
  response.writeHead(200, headers);
  if (request.method === "HEAD") return response.end();
  createReadStream(file).on("error", () => response.destroy()).pipe(response);
}

/**
 * Serves the project on `port` (0: any that is free) of this machine only. `more` adds mounts, as
 * `{ "/prefix/": "folder" }`. Gives `{ url, close() }`.
 */
export async function serve({ port = 0, more = {} } = {}) {
  const folders = [...Object.entries(more), ...mounts];
  const server = createServer((request, response) => {
    answer(request, response, folders).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once("error", (error) => reject(error.code === "EADDRINUSE"
      ? new Failure(`Port ${port} is in use; choose another with --port, or 0 for any.`) : error));
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

/** Serves until it is stopped, on --port of the command line. */
export async function serveForever() {
  const { values } = parseArgs({ options: { port: { type: "string", default: "8080" } } });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Failure(`--port ${values.port} is no port.`);
  const { url } = await serve({ port });
  console.log(`webert is at ${url}`);
}

if (isMain(import.meta.url)) await main(serveForever);
