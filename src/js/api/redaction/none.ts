import { WebertError } from "../../errors.js";

/** Stands for `redact` in webert/service-worker, the one file of which has no room for it within the limit of a first load. */
export function createRedact(): (...args: unknown[]) => Promise<never> {
  return async () => {
    throw new WebertError("unsupported", "redact is not in webert/service-worker: call it in a page, a Worker or Node");
  };
}
