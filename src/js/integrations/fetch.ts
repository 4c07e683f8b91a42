// webert/fetch: pipelines behind the HTTP interfaces of OpenAI, text-embeddings-inference, Cohere, Jina and Hugging Face.
import { WebertError } from "../errors.js";
import { refuseUnknown } from "../nearest-name.js";
import { optionsOf } from "../values.js";
import { Queue } from "./batches.js";
import { type Dialect, type Fields, HttpError, readObject } from "./fetch/http.js";
import { runTask } from "./fetch/hugging-face.js";
import { Metrics } from "./fetch/metrics.js";
import { Models, type ServedModel } from "./fetch/models.js";
import * as openai from "./fetch/openai.js";
import { rerank } from "./fetch/rerank.js";
import type { Context } from "./fetch/routes.js";
import { systemOne } from "./fetch/system-one.js";
import * as tei from "./fetch/tei.js";

export type { ServedModel } from "./fetch/models.js";

/** Options of a handler. */
export interface HandlerOptions {
  /** Key that requests must send as `Authorization: Bearer KEY`. By default none is needed. `/health` never needs it. */
  api_key?: string | null;
  /**
   * Maximum size of a request's body, in bytes.
   * @default 2_000_000
   */
  max_body?: number;
  /**
   * Maximum number of texts per request.
   * @default 2048
   */
  max_inputs?: number;
  /**
   * Maximum number of texts that wait, over all requests. Further requests are answered with status 429.
   * @default 8192
   */
  max_queue?: number;
  /**
   * Number of texts that are computed together, from any requests.
   * @default 32
   */
  batch_size?: number;
  /**
   * Cut texts that are too long in the routes of OpenAI, which have no option for it. By default such a request fails.
   * @default false
   */
  truncate?: boolean;
  /** Origins whose pages may call, e.g. "https://example.org"; "*" allows all. By default none. */
  cors?: string | readonly string[] | null;
  /** Path before all routes, e.g. "/api/bert". By default none. */
  base_path?: string;
}

/**
 * Answers a request. It takes the arguments of `fetch`, so clients that accept a `fetch` can call it without a network.
 * If the first argument is a Request, the second one is ignored: servers pass values of their own there.
 */
export type Handler = (input: Request | string | URL, init?: unknown) => Promise<Response>;

const OPTIONS = ["api_key", "max_body", "max_inputs", "max_queue", "batch_size", "truncate", "cors", "base_path"];

/** How a route is answered. */
interface Route {
  dialect: Dialect;
  method: "GET" | "POST";
  /** `fields` is the body of a POST request. */
  run(fields: Fields, context: Context, url: URL): Promise<unknown>;
}

const post = (dialect: Dialect, run: Route["run"]): Route => ({ dialect, method: "POST", run });
const get = (dialect: Dialect, run: Route["run"]): Route => ({ dialect, method: "GET", run });

const ROUTES: Readonly<Record<string, Route>> = {
  "/v1/embeddings": post("openai", openai.embeddings),
  "/v1/models": get("openai", async (_, context) => openai.modelList(context)),
  "/embed": post("tei", tei.embed),
  "/embed_all": post("tei", tei.embedAll),
  "/embed_sparse": post("tei", tei.embedSparse),
  "/similarity": post("tei", tei.similarity),
  "/predict": post("tei", tei.predict),
  "/rerank": post("tei", tei.rerank),
  "/tokenize": post("tei", tei.tokenize),
  "/decode": post("tei", tei.decode),
  "/info": get("tei", async (_, context, url) => tei.info(context, url.searchParams.get("model") ?? undefined)),
  "/health": get("tei", async () => new Response(null, { status: 200 })),
  "/metrics": get("tei", async (_, { metrics, queue }) => {
    const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
    return new Response(metrics.text(queue.waiting), { headers });
  }),
  "/v1/rerank": post("cohere", (fields, context) => rerank(fields, context, 1)),
  "/v2/rerank": post("cohere", (fields, context) => rerank(fields, context, 2)),
  "/v1/systemone": post("openai", systemOne),
  "/": post("hub", (fields, context) => runTask(fields, context, {})),
};

/** Returns the route of a path and its name for the metrics. */
function routeOf(path: string): { route: Route; name: string } {
  const known = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (known) return { route: known, name: path };
  const model = /^\/v1\/models\/(.+)$/.exec(path)?.[1];
  if (model !== undefined)
    return { route: get("openai", async (_, context) => openai.modelOf(model, context)), name: "/v1/models/{id}" };
  const hub = /^(?:\/hf-inference)?\/models\/(.+?)(?:\/pipeline\/([\w-]+))?$/.exec(path);
  if (hub) {
    const route = post("hub", (fields, context) => runTask(fields, context, { id: hub[1], task: hub[2] }));
    return { route, name: "/models/{id}" };
  }
  const known_paths = Object.keys(ROUTES).join(", ");
  throw new HttpError("path", `unknown path; expected one of ${known_paths}, /v1/models/{id}, /models/{id}`);
}

/**
 * Returns a function that answers HTTP requests with pipelines.
 * @param models pipelines by the names that clients send as `model`
 * @throws WebertError `bad_input`
 * @example
 * ```ts
 * const embed = await pipeline("feature-extraction");
 * const handler = createHandler({ minilm: embed });
 * const openai = new OpenAI({ fetch: handler, baseURL: "http://localhost/v1", apiKey: "none" });
 * await openai.embeddings.create({ model: "minilm", input: "It rained all day." });
 * ```
 */
export function createHandler(models: Readonly<Record<string, ServedModel>>, options?: HandlerOptions): Handler {
  const given = optionsOf<HandlerOptions>(options);
  refuseUnknown("createHandler", given, OPTIONS);
  const { max_body = 2_000_000, max_inputs = 2048, max_queue = 8192, batch_size = 32, truncate = false } = given;
  for (const [name, value] of Object.entries({ max_body, max_inputs, max_queue, batch_size }))
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new WebertError("bad_input", `${name}: expected a whole number of at least 1, got ${value}`);
  const queue = new Queue(max_queue);
  const shared = {
    models: new Models(models, { batch_size, queue }),
    limits: { max_inputs, batch_size, truncate },
    queue,
    metrics: new Metrics(),
    started: Math.floor(Date.now() / 1000),
  };
  return async (input, init) => {
    const request = isRequest(input) ? input : new Request(input, init as RequestInit);
    const begun = performance.now();
    const { response, name } = await answered(request, { ...shared, signal: request.signal }, given, max_body);
    shared.metrics.add(name, response.status, (performance.now() - begun) / 1000);
    return withCors(response, request, given);
  };
}

const isRequest = (input: unknown): input is Request =>
  typeof input === "object" && input !== null && "method" in input && "headers" in input;

/** Returns the answer of a request, and the name of its route. */
async function answered(request: Request, context: Context, options: HandlerOptions, max_body: number) {
  const url = new URL(request.url);
  let name = "unknown";
  let dialect: Dialect = dialectOf(url.pathname);
  try {
    const path = pathOf(url, options.base_path);
    if (request.method === "OPTIONS" && options.cors) return { response: new Response(null, { status: 204 }), name };
    const found = routeOf(path);
    ({ name } = found);
    const { method, run } = found.route;
    dialect = found.route.dialect;
    if (path !== "/health") authorize(request, options.api_key);
    const isRead = request.method === "HEAD" && method === "GET";
    if (request.method !== method && !isRead)
      throw new HttpError("method", `expected ${method}, got ${request.method}`, null, { allow: method });
    const fields = method === "POST" ? await readObject(request, max_body) : {};
    const answer = await run(fields, context, url);
    return { response: answer instanceof Response ? answer : Response.json(answer), name };
  } catch (error) {
    const failure = HttpError.from(error);
    const response = Response.json(failure.bodyOf(dialect), {
      status: failure.statusOf(dialect),
      headers: failure.headers,
    });
    return { response, name };
  }
}

/** Returns the interface whose clients call a path that has no route. */
const dialectOf = (path: string): Dialect => (/\/v\d\//.test(path) ? "openai" : "hub");

function pathOf({ pathname }: URL, base = ""): string {
  const prefix = base.replace(/\/+$/, "");
  if (!pathname.startsWith(prefix)) throw new HttpError("path", `unknown path; expected it to begin with ${prefix}`);
  let path: string;
  try {
    path = decodeURIComponent(pathname.slice(prefix.length));
  } catch {
    throw new HttpError("path", "unknown path; it is not valid percent-encoding");
  }
  return path.replace(/\/+$/, "") || "/";
}

/** Throws if the request has not the key. Comparing takes the same time for every wrong key. */
function authorize(request: Request, api_key: string | null | undefined): void {
  if (api_key == null) return;
  const sent = /^Bearer (.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  let differs = sent.length ^ api_key.length;
  for (let n = 0; n < api_key.length; n++) differs |= (sent.charCodeAt(n) || 0) ^ api_key.charCodeAt(n);
  if (differs) {
    const headers = { "www-authenticate": "Bearer" };
    throw new HttpError("unauthorized", "authorization: expected the key of this server", null, headers);
  }
}

/** Returns the response with the headers that let pages of allowed origins read it. */
function withCors(response: Response, request: Request, { cors }: HandlerOptions): Response {
  const origin = request.headers.get("origin");
  if (!cors || origin === null) return response;
  const origins = [cors].flat();
  const isForAll = origins.includes("*");
  if (!isForAll && !origins.includes(origin)) return response;
  response.headers.set("access-control-allow-origin", isForAll ? "*" : origin);
  response.headers.set("access-control-allow-methods", "GET, POST, OPTIONS");
  const asked = request.headers.get("access-control-request-headers");
  if (asked !== null) response.headers.set("access-control-allow-headers", asked);
  if (!isForAll) response.headers.append("vary", "origin");
  return response;
}
