/** How long is waited for a server, in milliseconds, and how often it is asked. */
export const limits = {
  /** For an answer, and then for each next piece of it. */
  stall: 30_000,
  /** Before it is asked for the second time; doubled each time. */
  delay: 250,
  /** At most where a server says how long (Retry-After). */
  longestDelay: 60_000,
  /** Requests without progress before a file is given up. */
  requests: 5,
  /** The same where there is no answer at all: mostly there is no network. */
  unanswered: 3,
  /** How long a load waits for another one's download of the same file, before it begins one of its own. */
  shared: 300_000,
};
