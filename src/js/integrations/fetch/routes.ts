// What every route receives.
import type { Queue } from "../batches.js";
import type { Metrics } from "./metrics.js";
import type { Models } from "./models.js";

/** Limits of a request. */
export interface RequestLimits {
  /** Maximum number of texts. */
  max_inputs: number;
  /** Number of texts that are computed together. */
  batch_size: number;
  /** Whether texts that are too long are cut where the interface has no option for it. */
  truncate: boolean;
}

/** The models, and the request's signal. */
export interface Context {
  models: Models;
  limits: RequestLimits;
  queue: Queue;
  metrics: Metrics;
  /** Aborts when the client hangs up. */
  signal: AbortSignal;
  /** Start of the handler, in seconds since 1970. */
  started: number;
}
