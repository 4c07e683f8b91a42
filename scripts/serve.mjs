// A static server for the page and its files, for development and tests.

import "./lib/node-version.mjs";
import { createReadStream, existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { Failure, isMain, main, root } from "./lib/run.mjs";
import { PAGE } from "./page.mjs";

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

/** The folders of the project, by the paths they serve; the first match is used. */
const mounts = [
  ["/dist/", "dist"],
  ["/models/", "models"],
  ["/", PAGE],
];

/** A tag for a file's content: it changes with every write. */
const entityTag = ({ size, mtimeMs }) => `"${size.toString(16)}-${Math.trunc(mtimeMs * 1000).toString(16)}"`;

/** Returns whether the client's copy has this tag. If-None-Match has priority over If-Modified-Since. */
function isFresh({ "if-none-match": tags, "if-modified-since": since }, tag, modified) {
  if (tags !== undefined) return tags.split(",").some((one) => ["*", tag].includes(one.trim().replace(/^W\//, "")));
  return Math.trunc(modified / 1000) * 1000 <= Date.parse(since);
}

/** The file for a request's path; null outside the served folders. */
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

async function answer(request, response, folders, instead) {
  const headers = {
    // Cross-origin isolation: shared memory, and therefore threads, require it.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    // Clients revalidate each time, because a file may have been rebuilt. Unchanged files, e.g. shared weights, are not sent again.
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
  };
  const refuse = (status, text) => {
    response.writeHead(status, { ...headers, "Content-Type": types[".txt"] }).end(`${text}\n`);
  };
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "only GET and HEAD");
  // Not new URL(): it would resolve ".." before it can be rejected.
  let file = fileFor(request.url.split(/[?#]/, 1)[0], folders);
  const look = async () => (file === null ? undefined : stat(file).catch(() => undefined));
  let found = await look();
  if (file !== null && !found) {
    const other = instead(relative(root, file).split(sep).join("/"));
    if (other) file = join(root, other);
    found = await look();
  }
  if (!found?.isFile()) return refuse(404, "not found");

  headers.ETag = entityTag(found);
  headers["Last-Modified"] = found.mtime.toUTCString();
  if (isFresh(request.headers, headers.ETag, found.mtimeMs)) return response.writeHead(304, headers).end();
  headers["Content-Type"] = types[extname(file)] ?? "application/octet-stream";
  headers["Content-Length"] = found.size;
  if (existsSync(`${file}.map`)) headers.SourceMap = `${request.url.split("?", 1)[0]}.map`;
  response.writeHead(200, headers);
  if (request.method === "HEAD") return response.end();
  createReadStream(file)
    .on("error", () => response.destroy())
    .pipe(response);
}

/**
 * Serves the project on `port` (0: any free port) of this machine only. `more` adds mounts, as `{ "/prefix/": "folder" }`. Requests wait for
 * `ready`. For a missing file, `instead(file)` may return another file; both are paths in the project.
 * Returns `{ url, close() }`.
 */
export async function serve({ port = 0, more = {}, ready, instead = () => undefined } = {}) {
  const folders = [...Object.entries(more), ...mounts];
  const server = createServer(async (request, response) => {
    try {
      await ready;
      await answer(request, response, folders, instead);
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Failure(`Port ${port} is in use; choose another with --port, or 0 for any.`)
          : error,
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** --port of the command line; default 8080. */
export function portAsked() {
  let given;
  try {
    given = parseArgs({ options: { port: { type: "string", default: "8080" } } }).values.port;
  } catch (error) {
    throw new Failure(
      `${error.message}\nThe one option is --port NUMBER; after npm start it comes behind two dashes: npm start -- --port 8000`,
    );
  }
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65535)
    throw new Failure(`--port ${given} is no port: a number from 0 (any that is free) to 65535.`);
  return port;
}

/** Prints the page's address. */
export const announce = (url) => console.log(`webert is at ${url} (Ctrl+C stops it)`);

if (isMain(import.meta.url)) await main(async () => announce((await serve({ port: portAsked() })).url));
