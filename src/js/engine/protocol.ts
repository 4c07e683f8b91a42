import type { Control } from "../checkpoint/folder.js";
import type { ProgressEvent } from "../checkpoint/source.js";
import { type ErrorMessage, WebertError } from "../errors.js";
import type { Engine, LoadSpec } from "./engine.js";
import type { ModelInfo } from "./wasm.js";

/** What a page asks of its Worker. */
export type Request =
  | { call: "load"; args: [LoadSpec] }
  | { call: "run"; args: [string, unknown[], object] }
  | { call: "forward"; args: [Parameters<Engine["forward"]>[0], object] };

/** As sent: with the id that the reply will carry, or with that of a call to be stopped. */
export type Message = ({ id: number } & Request) | { id: number; cancel: true };

/** What comes back: any number of progress events, what the model says of itself where that is new, then a result or an error. */
export type Reply = { id: number } & (
  | { progress: ProgressEvent }
  | { info: ModelInfo }
  | { result: unknown }
  | { error: ErrorMessage }
);

/** The half of a Worker, or of its scope, that the protocol uses. */
export interface Port {
  postMessage(message: unknown, transfer?: unknown[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror?: ((event: ErrorEvent) => void) | null;
}

/** The Worker's half: one engine, opened by the first call. Every call is answered, failing ones with their error. */
export function serve(port: Port, open: (spec: LoadSpec, control: Control) => Promise<Engine>): void {
  const calls = new Map<number, AbortController>();
  let engine: Engine | undefined;
  let told: ModelInfo | undefined;

  const perform = async (id: number, request: Request, signal: AbortSignal): Promise<unknown> => {
    if (request.call === "load") {
      engine = await open(request.args[0], { signal, progress: (progress) => port.postMessage({ id, progress }) });
      return engine.parts;
    }
    if (!engine) throw new WebertError("disposed", "no model is loaded");
    return request.call === "run" ? engine.run(...request.args, signal) : engine.forward(...request.args, signal);
  };

  /** A device that was lost may have made it another. */
  const tellInfo = (id: number) => {
    if (!engine || engine.info === told) return;
    told = engine.info;
    port.postMessage({ id, info: told });
  };

  port.onmessage = async ({ data }) => {
    const message = data as Message;
    if ("cancel" in message) return calls.get(message.id)?.abort();
    const { id } = message;
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      const result = await perform(id, message, controller.signal);
      tellInfo(id);
      port.postMessage({ id, result }, buffers(result));
    } catch (error) {
      tellInfo(id);
      port.postMessage({ id, error: WebertError.pack(error) });
    } finally {
      calls.delete(id);
    }
  };
}

/** The memory of all tensors in a result, to be moved rather than copied. */
function buffers(value: unknown, found: Set<ArrayBuffer> = new Set()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffers(part, found);
  }
  return [...found];
}
