// `redact`, for an entry without it.
import { WebertError } from "../errors.js";

const refuse = () =>
  new WebertError("unsupported", "webert/service-worker does not include redact. Call it in a page, a Worker or Node.");

/**
 * Replaces `redact` in webert/service-worker. Its single file has no room for `redact` within the size limit of a
 * first load.
 */
export function redactorOf() {
  return {
    async redact(): Promise<never> {
      throw refuse();
    },
    session(): never {
      throw refuse();
    },
    async dispose() {},
  };
}
