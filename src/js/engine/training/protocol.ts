// What a page and the Worker of a trainer say to each other, and the Worker's half of it.
import type { LoadEvent } from "../../checkpoint/source.js";
import { type ErrorMessage, WebertError } from "../../errors.js";
import type { EngineModel } from "../engine.js";
import type { Machine } from "../loading.js";
import type { Port } from "../protocol.js";
import type { TrainerCalls, TrainerSpec } from "./engine.js";
import { LocalTrainer } from "./local.js";
import { type VocabularySpec, vocabularyFiles } from "./vocabulary.js";

/** What a page asks of the Worker: to load the one model, to call it, or for a vocabulary. */
export type TrainingRequest =
  | { call: "load"; args: [TrainerSpec] }
  | { call: "vocabulary"; args: [VocabularySpec] }
  | { call: keyof TrainerCalls; args: unknown[] };

/** As sent: with the id that the reply will carry, that of a call to be stopped, or of one whose event was taken in. */
export type TrainingMessage =
  | ({ id: number } & TrainingRequest)
  | { id: number; cancel: true }
  | { id: number; heard: true };

/** What comes back: any number of progress events and of events that are waited for, then a result or an error. */
export type TrainingReply =
  | { id: number; progress: LoadEvent }
  | { id: number; event: unknown }
  | { id: number; result: unknown; info?: EngineModel["info"] }
  | { id: number; error: ErrorMessage; info?: EngineModel["info"] };

/** What the reply to a load brings. */
export type TrainingParts = Pick<EngineModel, "info" | "parts">;

/** Answers the messages of a page. Every call is answered, failing ones with their error. */
export function serveTraining(port: Port, machine: Machine): void {
  const calls = new Map<number, { controller: AbortController; heard?: () => void }>();
  const send = (reply: TrainingReply, transfer?: ArrayBuffer[]) => port.postMessage(reply, transfer);
  let trainer: LocalTrainer | undefined;

  /** Tells the page of an event, and waits until it was taken in or the call is stopped. */
  const tell = (id: number) => (event: unknown) =>
    new Promise<void>((resolve) => {
      const call = calls.get(id)!;
      call.heard = resolve;
      call.controller.signal.addEventListener("abort", () => resolve(), { once: true });
      const { bytes } = event as { bytes?: Uint8Array<ArrayBuffer> };
      send({ id, event }, bytes ? [bytes.buffer] : []);
    });

  const perform = async (id: number, { call, args }: TrainingRequest, signal: AbortSignal): Promise<unknown> => {
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
    if ("heard" in message) return calls.get(id)?.heard?.();
    const controller = new AbortController();
    calls.set(id, { controller });
    const info = () => (trainer?.isLive ? { info: trainer.info } : {});
    try {
      const result = await perform(id, message, controller.signal);
      send({ id, result, ...info() });
    } catch (error) {
      send({ id, error: WebertError.pack(error), ...info() });
    } finally {
      calls.delete(id);
    }
  };
}
