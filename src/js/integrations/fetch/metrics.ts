// Counters in the text format of Prometheus, with the names of text-embeddings-inference.

/** Upper bounds of the histogram of durations, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counters of a handler. */
export class Metrics {
  private readonly counts = new Map<string, number>();
  private readonly buckets = BOUNDS.map(() => 0);
  private seconds = 0;
  private requests = 0;

  /** Counts a finished request. `seconds` is its duration. */
  add(route: string, status: number, seconds: number): void {
    this.increase(`te_request_count{method="${route}"}`);
    this.increase(status < 400 ? `te_request_success{method="${route}"}` : `te_request_failure{err="${status}"}`);
    this.requests++;
    this.seconds += seconds;
    for (const [n, bound] of BOUNDS.entries()) if (seconds <= bound) this.buckets[n]!++;
  }

  private increase(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** Returns all counters. `waiting` is the number of texts in the queue. */
  text(waiting: number): string {
    const lines: string[] = [];
    const kinds = new Map<string, string[]>();
    for (const [name, value] of this.counts) {
      const kind = name.slice(0, name.indexOf("{"));
      kinds.set(kind, [...(kinds.get(kind) ?? []), `${name} ${value}`]);
    }
    for (const [kind, rows] of kinds) lines.push(`# TYPE ${kind} counter`, ...rows);
    lines.push("# TYPE te_queue_size gauge", `te_queue_size ${waiting}`, "# TYPE te_request_duration histogram");
    for (const [n, bound] of BOUNDS.entries())
      lines.push(`te_request_duration_bucket{le="${bound}"} ${this.buckets[n]}`);
    lines.push(`te_request_duration_bucket{le="+Inf"} ${this.requests}`);
    lines.push(`te_request_duration_sum ${this.seconds}`, `te_request_duration_count ${this.requests}`);
    return `${lines.join("\n")}\n`;
  }
}
