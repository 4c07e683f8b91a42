// The messages between a page and the Worker of an engine, and the Worker's part of the protocol.

import { type ErrorMessage, WebertError } from "../errors.js";
import type { LoadEvent } from "../sources/source.js";
import type { Engine, EngineModel, LoadSpec } from "./engine.js";
import type { ModelInfo } from "./wasm.js";

/** A request to the Worker. A model is identified by the id of the message that loaded it. */
export type Request =
  | { call: "load"; args: [LoadSpec] }
  | { call: "run"; model: number; args: [string, unknown[], object] }
  | { call: "forward"; model: number; args: [Parameters<EngineModel["forward"]>[0], object] }
  | { call: "close"; model: number };

/** A message to the Worker: a request with the id of its reply, or the id of a call to cancel. */
export type Message = ({ id: number } & Request) | { id: number; cancel: true };

/** The reply to a load; undefined if the model cannot share the engine's encoder. */
export type LoadedParts = Pick<EngineModel, "info" | "parts">;

/**
 * A message to the page. A call receives any number of progress events, then a result or an error. `info` is sent
 * if facts about a model changed.
 */
export type Reply =
  | { id: number; progress: LoadEvent }
  | { id: number; result: unknown }
  | { id: number; error: ErrorMessage }
  | { model: number; info: ModelInfo };

/** The part of a Worker, or of its scope, that the protocol uses. */
export interface Port {
  postMessage(message: unknown, transfer?: unknown[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror?: ((event: ErrorEvent) => void) | null;
}

/** Answers the messages of a page with an engine. Every call gets an answer; a failed call gets its error. */
export function serve(port: Port, engine: Engine): void {
  const calls = new Map<number, AbortController>();
  const models = new Map<number, { model: EngineModel; info: ModelInfo }>();
  const send = (reply: Reply, transfer?: ArrayBuffer[]) => port.postMessage(reply, transfer);

  const load = async (id: number, spec: LoadSpec, signal: AbortSignal): Promise<LoadedParts | undefined> => {
    const model = await engine.load(spec, {
      signal,
      ...(spec.reports && { progress: (progress) => send({ id, progress }) }),
    });
    if (!model) return undefined;
    const { info, parts } = model;
    models.set(id, { model, info });
    return { info, parts };
  };

  const dispatch = async (id: number, request: Request, signal: AbortSignal): Promise<unknown> => {
    if (request.call === "load") return load(id, request.args[0], signal);
    const found = models.get(request.model);
    if (!found) throw new WebertError("disposed", "the model is not loaded");
    const { model } = found;
    if (request.call === "close") {
      models.delete(request.model);
      return model.close();
    }
    return request.call === "run" ? model.run(...request.args, signal) : model.forward(...request.args, signal);
  };

  /** Sends facts that have changed. They change if a device was lost. */
  const sendNewInfos = () => {
    for (const [id, known] of models) {
      const { info } = known.model;
      if (info === known.info) continue;
      known.info = info;
      send({ model: id, info });
    }
  };

  port.onmessage = async ({ data }) => {
    const message = data as Message;
    if ("cancel" in message) return calls.get(message.id)?.abort();
    const { id } = message;
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      const result = await dispatch(id, message, controller.signal);
      sendNewInfos();
      send({ id, result }, buffers(result));
    } catch (error) {
      sendNewInfos();
      send({ id, error: WebertError.pack(error) });
    } finally {
      calls.delete(id);
    }
  };
}

/** Returns the buffers of all tensors in a result. They are transferred, not copied. */
function buffers(value: unknown, found: Set<ArrayBuffer> = new Set()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffers(part, found);
  }
  return [...found];
}
