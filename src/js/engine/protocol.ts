// The requests of a page to the Worker of an engine, and the Worker's answers.

import { WebertError } from "../errors.js";
import type { Engine, EngineModel, LoadSpec } from "./engine.js";
import { type Port, serveCalls } from "./worker-calls.js";

/** A request to the Worker. A model is identified by the id of the call that loaded it. */
export type Request =
  | { call: "load"; args: [LoadSpec] }
  | { call: "run"; model: number; args: [string, unknown[], object] }
  | { call: "forward"; model: number; args: [Parameters<EngineModel["forward"]>[0], object] }
  | { call: "close"; model: number };

/** The result of a load; undefined if the model cannot share the engine's encoder. */
export type LoadedParts = Pick<EngineModel, "info" | "parts">;

/** Answers the calls of a page with an engine. */
export function serve(port: Port, engine: Engine): void {
  const models = new Map<number, EngineModel>();
  engine.onchange = serveCalls<Request>(
    port,
    async (request, { id, signal, tell }): Promise<unknown> => {
      if (request.call === "load") {
        const [spec] = request.args;
        const model = await engine.load(spec, { signal, ...(spec.reports && { progress: tell }) });
        if (!model) return undefined;
        models.set(id, model);
        return { info: model.info, parts: model.parts } satisfies LoadedParts;
      }
      const model = models.get(request.model);
      if (!model) throw new WebertError("disposed", "the model is not loaded");
      if (request.call === "close") {
        models.delete(request.model);
        return model.close();
      }
      return request.call === "run" ? model.run(...request.args, signal) : model.forward(...request.args, signal);
    },
    () => [...models].map(([id, { info }]) => [id, info]),
  );
}
