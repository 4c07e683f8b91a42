// Messages between a page and a trainer's Worker, and the Worker's side.

import type { EngineModel, Machine } from "../engine/engine.js";
import type { Port } from "../engine/protocol.js";
import { type ErrorMessage, WebertError } from "../errors.js";
import type { LoadEvent } from "../sources/source.js";
import type { TrainerCalls, TrainerSpec } from "./engine.js";
import { LocalTrainer } from "./local.js";
import { type VocabularySpec, vocabularyFiles } from "./vocabulary.js";

/** A page's request: load the model, call it, or train a vocabulary. */
export type TrainingRequest =
  | { call: "load"; args: [TrainerSpec] }
  | { call: "vocabulary"; args: [VocabularySpec] }
  | { call: keyof TrainerCalls; args: unknown[] };

/**
 * A posted message. The id is repeated by the reply. `cancel` stops the call with this id; `heard` confirms that its
 * event was handled.
 */
export type TrainingMessage =
  | ({ id: number } & TrainingRequest)
  | { id: number; cancel: true }
  | { id: number; acknowledged: true };

/** Replies to a request: any number of progress reports and of events that await `heard`, then a result or an error. */
export type TrainingReply =
  | { id: number; progress: LoadEvent }
  | { id: number; event: unknown }
  | { id: number; result: unknown; info?: EngineModel["info"] }
  | { id: number; error: ErrorMessage; info?: EngineModel["info"] };

/** Contents of the reply to a load. */
export type TrainingParts = Pick<EngineModel, "info" | "parts">;

/** Answers the messages of a page. Every call is answered; a failed call is answered with its error. */
export function serveTraining(port: Port, machine: Machine): void {
  const calls = new Map<number, { controller: AbortController; acknowledged?: () => void }>();
  const send = (reply: TrainingReply, transfer?: ArrayBuffer[]) => port.postMessage(reply, transfer);
  let trainer: LocalTrainer | undefined;

  /** Sends an event to the page. Resolves when the page has handled it or the call is stopped. */
  const tell = (id: number) => (event: unknown) =>
    new Promise<void>((resolve) => {
      const call = calls.get(id)!;
      call.acknowledged = resolve;
      // After a cancellation the page may never answer.
      call.controller.signal.addEventListener("abort", () => resolve(), { once: true });
      const { bytes } = event as { bytes?: Uint8Array<ArrayBuffer> };
      send({ id, event }, bytes ? [bytes.buffer] : []);
    });

  const dispatch = async (id: number, { call, args }: TrainingRequest, signal: AbortSignal): Promise<unknown> => {
    if (call === "vocabulary") return vocabularyFiles((args as [VocabularySpec])[0], machine, signal);
    if (call === "load") {
      const progress = (progress: LoadEvent) => send({ id, progress });
      trainer = await LocalTrainer.load((args as [TrainerSpec])[0], { signal, progress }, machine);
      return { info: trainer.info, parts: trainer.parts } satisfies TrainingParts;
    }
    if (!trainer) throw new WebertError("disposed", "the trainer is not loaded");
    return trainer.call(call as keyof TrainerCalls, args as never, { signal, event: tell(id) });
  };

  port.onmessage = async ({ data }) => {
    const message = data as TrainingMessage;
    const { id } = message;
    if ("cancel" in message) return calls.get(id)?.controller.abort();
    if ("acknowledged" in message) return calls.get(id)?.acknowledged?.();
    const controller = new AbortController();
    calls.set(id, { controller });
    const info = () => (trainer?.isLive ? { info: trainer.info } : {});
    try {
      const result = await dispatch(id, message, controller.signal);
      send({ id, result, ...info() });
    } catch (error) {
      send({ id, error: WebertError.pack(error), ...info() });
    } finally {
      calls.delete(id);
    }
  };
}
