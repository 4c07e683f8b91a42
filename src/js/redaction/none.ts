import { WebertError } from "../errors.js";

/**
 * Replaces `redact` in webert/service-worker. Its single file has no room for `redact` within the size limit of a
 * first load.
 */
export function redactorOf(): { redact(): Promise<never>; dispose(): Promise<void> } {
  return {
    async redact() {
      throw new WebertError(
        "unsupported",
        "webert/service-worker does not include redact. Call it in a page, a Worker or Node.",
      );
    },
    async dispose() {},
  };
}
