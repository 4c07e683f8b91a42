/** Limits of requests. Times are in milliseconds. */
export const limits = {
  /** Longest wait for an answer, and for each next chunk of it. */
  stall: 30_000,
  /** Wait before the first retry. Doubled for each further retry. */
  delay: 250,
  /** Longest wait that a server may ask for (Retry-After). */
  longestDelay: 60_000,
  /** Number of requests without progress before a download fails. */
  requests: 5,
  /** Number of requests without any answer before a download fails. Usually the network is down. */
  unanswered: 3,
  /** Longest wait for another load's download of the same file. After it the load starts its own download. */
  shared: 300_000,
};
