// The command `webert serve`: the handler of webert/fetch behind an HTTP server.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { control, type ModelOptions, placeOf } from "../engine/open.js";
import { platform } from "../entries/node/platform.js";
import { env, type Pipeline, pipeline, type Source, type Task, WebertError } from "../index.js";
import { createHandler, type Handler, type HandlerOptions, type ServedModel } from "../integrations/fetch.js";
import { readModules } from "../sources/files.js";
import { openFolder } from "../sources/open.js";
import { ENCODER_CONFIG, isRetrieval, MODULES } from "../sources/sentence-folder.js";
import { canonical } from "../task-names.js";
import { check } from "./check.js";
import { HANDLER, MODEL, type Options, picked, UsageError } from "./command-line.js";

/** Milliseconds that running requests have after the first signal to stop. */
const GRACE = 10_000;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]", "::1"];

/** Serves models until the process receives SIGINT or SIGTERM. `print` receives one line when the server is ready. */
export async function serve(words: string[], options: Options, print: (line: string) => void): Promise<void> {
  const { host = "127.0.0.1", port = 8080, task, api_key = process.env.WEBERT_API_KEY } = options;
  if (!Number.isSafeInteger(port) || (port as number) < 0 || (port as number) > 65535)
    throw new UsageError(`--port: expected a number from 0 to 65535, got ${port}`);
  const stopping = stopSignals();
  const models: Record<string, ServedModel> = {};
  const loaded: Pipeline[] = [];
  try {
    const given = options.model === undefined ? words : [String(options.model), ...words];
    for (const word of given.length ? given : [""]) {
      const { id, source } = named(word);
      if (Object.hasOwn(models, id)) throw new UsageError(`serve: expected different names, got "${id}" twice`);
      const { pipelines, max_length } = await load(source, picked(options, MODEL), task as string | undefined);
      models[id] = { pipelines, max_length };
      loaded.push(...pipelines);
      print(`${id}: ${pipelines.map((pipe) => pipe.task).join(", ")}`);
    }
    const handling = { ...picked(options, HANDLER), ...(api_key !== undefined && { api_key }) };
    const handler = createHandler(models, handling as HandlerOptions);
    const server = await listening(handler, String(host), port as number);
    print(`http://${String(host).includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`);
    await stopping;
    await closed(server);
  } finally {
    await Promise.all(loaded.map((pipe) => pipe.dispose()));
  }
}

/** Returns the name of a model and its source: NAME=MODEL or MODEL. An empty word is the default model of vectors. */
function named(word: string): { id: string; source: Source } {
  const source = word || env.defaultModels["feature-extraction"]!;
  const [, name, model] = /^([\w.:-]+)=(.+)$/.exec(word) ?? [];
  if (name !== undefined) return { id: name, source: model! };
  const isRepository = typeof source === "string" && /^[\w.-]+\/[\w.-]+$/.test(source);
  return { id: isRepository ? source : basename(String(source).replace(/[\\/]+$/, "")), source };
}

/** Loads the pipelines of a model. They share its weights. */
async function load(source: Source, options: ModelOptions, asked: string | undefined) {
  const found = await check(source, options);
  if (!found.loads) throw new WebertError((found.error?.code ?? "unsupported") as never, found.error?.message ?? "");
  const place = await placeOf(platform, source, options);
  const files = await readModules(await openFolder(place, platform.machine), control(options));
  const isSentence = files[MODULES] !== undefined;
  const tasks = asked ? [canonical(asked)] : tasksOf(found.tasks, isSentence, isRetrieval(files));
  const pipelines: Pipeline[] = [];
  for (const one of tasks) pipelines.push((await pipeline(one, source, { ...options, worker: true })) as Pipeline);
  const encoder = files[ENCODER_CONFIG];
  const { max_seq_length } = (encoder ? JSON.parse(new TextDecoder().decode(encoder)) : {}) as Record<string, unknown>;
  return { pipelines, max_length: typeof max_seq_length === "number" ? max_seq_length : undefined };
}

/** Returns the tasks to serve: vectors for a sentence-transformers folder, otherwise what the model's head does. */
function tasksOf(tasks: readonly Task[], isSentence: boolean, hasRetrieval: boolean): Task[] {
  const heads = tasks.filter((task) => task !== "feature-extraction");
  const isCrossEncoder = heads.includes("text-ranking");
  if (isSentence && !isCrossEncoder)
    return hasRetrieval ? ["feature-extraction", "text-ranking"] : ["feature-extraction"];
  // A head for classification leaves no useful vectors.
  const isEncoder = !heads.length || heads.every((task) => task === "fill-mask");
  const first = isCrossEncoder ? (["text-ranking"] as const) : [];
  return [...new Set<Task>([...first, ...heads, ...(isEncoder ? (["feature-extraction"] as const) : [])])];
}

/** Resolves at the first signal to stop. A second one ends the process. */
function stopSignals(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  });
}

/** Returns a server that listens. */
async function listening(handler: Handler, host: string, port: number): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing, LOOPBACK.includes(host)).catch(() => outgoing.destroy());
  });
  server.requestTimeout = 60_000; // milliseconds until a request's body must have arrived
  // Clients keep idle connections for up to a minute. A request on a connection that the server is closing is lost, and Node closes after 5 s.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new WebertError("bad_input", `--host ${host} --port ${port}: ${error.message}`, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
  return server;
}

/** Waits until all requests are answered, at most for GRACE. */
async function closed(server: Server): Promise<void> {
  const over = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), GRACE);
  await over;
  clearTimeout(late);
}

/** Answers a request. The handler's work is stopped when the client hangs up. */
async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse, isLocal: boolean) {
  const hangUp = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) hangUp.abort();
  });
  const response =
    isLocal && !isLocalHost(incoming.headers.host)
      ? Response.json({ error: "host: expected an address of this machine" }, { status: 403 })
      : await handled(handler, incoming, hangUp.signal);
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { ...headers, "content-length": body.byteLength });
  outgoing.end(body);
  // The rest of a refused body is read and dropped: a client that still sends would not see the answer.
  incoming.resume();
}

/**
 * Returns whether a request names this machine as its host. A page of another site can let its name point here; its
 * requests then have that name.
 */
function isLocalHost(host = ""): boolean {
  return LOOPBACK.includes(host.replace(/:\d+$/, "").toLowerCase());
}

/** Returns the body of a request. After its reader cancels, the rest is dropped and the connection stays open. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let isDropped = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.pause();
      incoming.on("data", (chunk: Uint8Array) => {
        if (isDropped) return;
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on("end", () => isDropped || controller.close());
      incoming.on("error", (error) => isDropped || controller.error(error));
    },
    pull: () => void incoming.resume(),
    cancel() {
      isDropped = true;
      incoming.resume();
    },
  });
}

async function handled(handler: Handler, incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
  let request: Request;
  try {
    const { method = "GET", rawHeaders } = incoming;
    const headers = new Headers();
    for (let n = 0; n < rawHeaders.length; n += 2) headers.append(rawHeaders[n]!, rawHeaders[n + 1]!);
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? bodyOf(incoming) : null;
    const url = new URL(`http://localhost${incoming.url?.startsWith("/") ? incoming.url : "/"}`);
    request = new Request(url, { method, headers, body, signal, duplex: "half" } as RequestInit);
  } catch (error) {
    return Response.json({ error: `request: ${(error as Error).message}` }, { status: 400 });
  }
  return handler(request);
}
