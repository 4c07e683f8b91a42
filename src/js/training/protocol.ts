// The requests of a page to a trainer's Worker, and the Worker's answers.

import type { EngineModel, Machine } from "../engine/engine.js";
import { type Port, serveCalls } from "../engine/worker-calls.js";
import { WebertError } from "../errors.js";
import type { TrainerCalls, TrainerSpec } from "./engine.js";
import { LocalTrainer } from "./local.js";
import { type VocabularySpec, vocabularyFiles } from "./vocabulary.js";

/** A page's request: load the model, call it, or train a vocabulary. */
export type TrainingRequest =
  | { call: "load"; args: [TrainerSpec] }
  | { call: "vocabulary"; args: [VocabularySpec] }
  | { call: keyof TrainerCalls; args: unknown[] };

/** The result of a load. */
export type TrainingParts = Pick<EngineModel, "info" | "parts">;

/** Answers the calls of a page. The Worker has one trainer. */
export function serveTraining(port: Port, machine: Machine): void {
  let trainer: LocalTrainer | undefined;
  serveCalls<TrainingRequest>(
    port,
    async ({ call, args }, { signal, tell, ask }): Promise<unknown> => {
      if (call === "vocabulary") return vocabularyFiles((args as [VocabularySpec])[0], machine, signal);
      if (call === "load") {
        trainer = await LocalTrainer.load((args as [TrainerSpec])[0], { signal, progress: tell }, machine);
        // A copy: the buffers of a result move to the page, and the trainer needs its files.
        return structuredClone({ info: trainer.info, parts: trainer.parts } satisfies TrainingParts);
      }
      if (!trainer) throw new WebertError("disposed", "the trainer is not loaded");
      return trainer.call(call as keyof TrainerCalls, args as never, { signal, event: ask });
    },
    () => (trainer?.isLive ? [[0, trainer.info]] : []),
  );
}
