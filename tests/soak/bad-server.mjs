// A misbehaving file server: one fault per load, at the request that the round's number selects.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

/** Bytes of the beginning of an incomplete response. */
const BEGINNING = 100_000;

/** The faults by name: `(request, response, body)`, with `body` the file's bytes. */
export const FAULTS = {
  nothing: (_, response, body) => response.writeHead(200, { "content-length": body.length }).end(body),
  "drops the connection": (_, response, body) => {
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, BEGINNING), () => setTimeout(() => response.socket.destroy(), 5));
  },
  "drops it before an answer": (request) => request.socket.destroy(),
  stalls: (_, response, body) => {
    response.writeHead(200, { "content-length": body.length + 1 });
    response.write(body);
  },
  redirects: (request, response) => response.writeHead(302, { location: `${request.url}?again` }).end(),
  "redirects in a circle": (request, response) => response.writeHead(302, { location: request.url }).end(),
  "is busy": (_, response) => response.writeHead(503, { "retry-after": "0" }).end("busy"),
  "says that it is longer": (_, response, body) => {
    response.writeHead(200, { "content-length": body.length + 1000 });
    response.write(body, () => setTimeout(() => response.socket.destroy(), 5));
  },
  "sends half without a length": (_, response, body) => response.writeHead(200).end(body.subarray(0, body.length / 2)),
  "sends a page": (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>Sign in"),
  "sends other bytes": (_, response, body) =>
    response.writeHead(200, { "content-length": body.length }).end(body.map((byte) => byte ^ 0x55)),
};

/**
 * Serves the files below `folder`, a file URL. `next(round)` chooses the fault of the next load and the request at which it happens, and returns
 * its name. If the load has fewer requests, nothing happens.
 * @returns {Promise<{url: string, next: (round: number) => string, close: () => void}>}
 */
export async function badServer(folder) {
  const names = Object.keys(FAULTS);
  let fault = "nothing";
  let countdown = -1;
  const files = new Map();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.slice(1);
    let body;
    try {
      if (!files.has(path)) files.set(path, await readFile(new URL(path, folder)));
      body = files.get(path);
    } catch {
      response.writeHead(404).end();
      return;
    }
    const isNow = countdown-- === 0;
    FAULTS[isNow ? fault : "nothing"](request, response, body);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    next(round) {
      fault = names[round % names.length];
      countdown = Math.floor(round / names.length) % 6;
      return fault;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
