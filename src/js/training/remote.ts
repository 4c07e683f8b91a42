// A model in training in a Worker: the page's side of protocol.ts.

import { WorkerCalls, type WorkerPort } from "../engine/worker-calls.js";
import { WebertError } from "../errors.js";
import type { LoadEvent } from "../sources/source.js";
import type { Control } from "../sources/types.js";
import type { CallControl, TrainerCalls, TrainerSpec, TrainingEngine } from "./engine.js";
import type { TrainingParts, TrainingRequest } from "./protocol.js";
import type { VocabularySpec } from "./vocabulary.js";

/**
 * A model in training in a separate Worker. Closing it ends the Worker, which frees all its memory. A stopped call
 * settles when the Worker has ended it, because the next call needs the model.
 */
export class RemoteTrainer implements TrainingEngine {
  readonly #calls: WorkerCalls<TrainingRequest>;
  #loaded!: TrainingParts;

  private constructor(port: WorkerPort) {
    this.#calls = new WorkerCalls(port, (_, info) => {
      this.#loaded = { ...this.#loaded, info: info as TrainingParts["info"] };
    });
  }

  static async load(port: WorkerPort, spec: TrainerSpec, { signal, progress }: Control): Promise<RemoteTrainer> {
    const trainer = new RemoteTrainer(port);
    const control = { signal, event: progress, waits: true };
    try {
      const request: TrainingRequest = { call: "load", args: [spec] };
      trainer.#loaded = await trainer.#calls.call<TrainingParts, LoadEvent>(request, control);
      return trainer;
    } catch (error) {
      trainer.#calls.end(WebertError.from(error));
      throw error;
    }
  }

  get info(): TrainingParts["info"] {
    return this.#loaded.info;
  }

  get parts(): TrainingParts["parts"] {
    return this.#loaded.parts;
  }

  call<M extends keyof TrainerCalls>(
    method: M,
    args: TrainerCalls[M]["args"],
    control?: CallControl<TrainerCalls[M]["event"]>,
  ): Promise<TrainerCalls[M]["result"]> {
    return this.#calls.call({ call: method, args }, { ...control, waits: true });
  }

  async close(): Promise<void> {
    this.#calls.end(new WebertError("disposed", "the trainer was disposed of"));
  }
}

/** Trains a vocabulary in a Worker, which ends with it. */
export async function remoteVocabulary(
  port: WorkerPort,
  spec: VocabularySpec,
  signal: AbortSignal | undefined,
): Promise<Record<string, string>> {
  const calls = new WorkerCalls<TrainingRequest>(port);
  try {
    return await calls.call({ call: "vocabulary", args: [spec] }, { signal, waits: true });
  } finally {
    calls.end(new WebertError("disposed", "the vocabulary is made"));
  }
}
