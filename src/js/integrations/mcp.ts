// The Model Context Protocol for a server with tools: JSON-RPC 2.0 messages in, messages out. Transports are the caller's.
import { WebertError } from "../errors.js";
import { near } from "../nearest-name.js";
import { kindOf } from "../values.js";

/** Versions of the protocol whose tools have this form, newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The JSON Schema of a tool's arguments, as far as it is checked here. */
export interface Schema {
  type: "object";
  properties: Record<string, Property>;
  required?: string[];
}
interface Property {
  type: "string" | "integer" | "array";
  description: string;
  items?: { type: "string" };
  minimum?: number;
  maximum?: number;
}

/** A tool. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  /** Returns the result, an object. Errors become results that the model reads. */
  run(args: Record<string, unknown>, signal: AbortSignal): Promise<object>;
}

type Id = string | number;
interface Message {
  jsonrpc?: unknown;
  id?: Id | null;
  method?: unknown;
  params?: unknown;
}

/** An answer to a request. */
export interface Reply {
  jsonrpc: "2.0";
  id: Id | null;
  result?: object;
  error?: { code: number; message: string };
}

/** An error of the protocol. */
class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
const [PARSE, REQUEST, METHOD, PARAMS, INTERNAL] = [-32700, -32600, -32601, -32602, -32603];

/** A server with tools. All tools only read, and none reaches a network. */
export class McpServer {
  private readonly running = new Map<Id, AbortController>();

  constructor(
    private readonly tools: readonly Tool[],
    private readonly version: string,
  ) {}

  /** Returns the reply to a line of JSON; undefined if it needs none. */
  async answer(line: string): Promise<Reply | Reply[] | undefined> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      return failure(null, new RpcError(PARSE, `expected JSON: ${(error as Error).message.slice(0, 200)}`));
    }
    if (!Array.isArray(message)) return this.one(message);
    // The versions before 2025-06-18 have batches.
    if (!message.length) return failure(null, new RpcError(REQUEST, "expected at least one message"));
    const replies = (await Promise.all(message.map((part) => this.one(part)))).filter((reply) => reply !== undefined);
    return replies.length ? replies : undefined;
  }

  private async one(message: unknown): Promise<Reply | undefined> {
    const { jsonrpc, id, method, params } = (typeof message === "object" && message !== null ? message : {}) as Message;
    const hasId = typeof id === "string" || typeof id === "number";
    if (jsonrpc !== "2.0" || (id !== undefined && !hasId))
      return failure(
        null,
        new RpcError(REQUEST, 'expected a JSON-RPC request with jsonrpc "2.0" and an id of text or number'),
      );
    if (typeof method !== "string") {
      // A reply of the client: this server sends no requests.
      return undefined;
    }
    if (!hasId) {
      this.notified(method, params);
      return undefined;
    }
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const result = await this.request(method, (params ?? {}) as Record<string, unknown>, controller.signal);
      // A cancelled request has no reply.
      return controller.signal.aborted ? undefined : { jsonrpc: "2.0", id, result };
    } catch (error) {
      return failure(id, error);
    } finally {
      this.running.delete(id);
    }
  }

  private notified(method: string, params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: Id };
    if (method === "notifications/cancelled" && requestId !== undefined) this.running.get(requestId)?.abort();
  }

  private async request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<object> {
    switch (method) {
      case "initialize":
        return this.initialize(params);
      case "ping":
        return {};
      case "tools/list":
        return {
          tools: this.tools.map(({ run, ...tool }) => ({
            ...tool,
            annotations: { readOnlyHint: true, openWorldHint: false },
          })),
        };
      case "tools/call":
        return this.call(params, signal);
      default:
        throw new RpcError(METHOD, `unknown method "${method}"`);
    }
  }

  /** Agrees on the client's version of the protocol, or offers the newest one. */
  private initialize({ protocolVersion }: Record<string, unknown>): object {
    return {
      protocolVersion: VERSIONS.includes(String(protocolVersion)) ? protocolVersion : VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name: "webert", title: "webert", version: this.version },
    };
  }

  private async call(params: Record<string, unknown>, signal: AbortSignal): Promise<object> {
    const tool = this.tools.find(({ name }) => name === params.name);
    if (!tool) {
      const names = this.tools.map(({ name }) => name);
      const meant = near(String(params.name).slice(0, 64), names);
      throw new RpcError(
        PARAMS,
        `unknown tool "${params.name}"; ${meant ? `did you mean "${meant}"?` : `expected one of ${names.join(", ")}`}`,
      );
    }
    try {
      const args = checked(tool.inputSchema, params.arguments ?? {});
      const result = await tool.run(args, signal);
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
    } catch (error) {
      const { message } = WebertError.from(error);
      return { content: [{ type: "text", text: message }], isError: true };
    }
  }
}

function failure(id: Id | null, error: unknown): Reply {
  const { code = INTERNAL, message } = error as Partial<RpcError>;
  return { jsonrpc: "2.0", id, error: { code: typeof code === "number" ? code : INTERNAL, message: String(message) } };
}

const invalid = (what: string) => new WebertError("bad_input", what);

/** Returns the arguments of a call if they follow the schema. */
function checked(schema: Schema, given: unknown): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid(`arguments: expected an object, got ${kindOf(given)}`);
  const args = given as Record<string, unknown>;
  const names = Object.keys(schema.properties);
  for (const name of Object.keys(args))
    if (!names.includes(name))
      throw invalid(`${name.slice(0, 64)}: unknown argument; expected one of ${names.join(", ")}`);
  for (const name of schema.required ?? [])
    if (args[name] === undefined) throw invalid(`${name}: expected a value, got none`);
  for (const [name, value] of Object.entries(args)) {
    const problem = wrong(schema.properties[name]!, value);
    if (problem) throw invalid(`${name}: ${problem}`);
  }
  return args;
}

/** Returns what is wrong with an argument; undefined if nothing is. */
function wrong({ type, minimum = -Infinity, maximum = Infinity }: Property, value: unknown): string | undefined {
  if (type === "string")
    return typeof value === "string" && value ? undefined : `expected a text, got ${kindOf(value)}`;
  if (type === "array") {
    const isFine = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one);
    return isFine ? undefined : `expected an array of texts, got ${kindOf(value)}`;
  }
  const isFine = Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  return isFine ? undefined : `expected a whole number from ${minimum} to ${maximum}, got ${JSON.stringify(value)}`;
}
