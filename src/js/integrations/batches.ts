// Computes the inputs of concurrent calls together.
import { WebertError } from "../errors.js";

/** A call whose inputs wait or are computed. */
interface Job<I, A> {
  inputs: readonly I[];
  answers: A[];
  /** Number of inputs that were taken into a batch. */
  taken: number;
  /** Number of inputs without an answer. */
  left: number;
  isOver: boolean;
  resolve(answers: A[]): void;
  reject(error: unknown): void;
}

/** One input of a job. */
interface Place<I, A> {
  job: Job<I, A>;
  index: number;
}

/** Counts waiting inputs of several `Batches`. */
export class Queue {
  /** Number of inputs without an answer. */
  waiting = 0;

  /** @param most maximum number of inputs that may wait */
  constructor(readonly most: number) {}

  /** Returns whether the queue has room for `count` inputs. An empty queue takes any call. */
  hasRoom(count: number): boolean {
    return this.waiting === 0 || this.waiting + count <= this.most;
  }
}

/** The error of a full queue. */
export class QueueFull extends Error {}

/**
 * Collects the inputs of calls and computes at most `size` of them at a time. Calls take turns input by input, so a
 * short call does not wait for all inputs of a long one.
 */
export class Batches<I, A> {
  private jobs: Job<I, A>[] = [];
  private running: Place<I, A>[] = [];
  private controller = new AbortController();
  private isBusy = false;

  /** @param run returns one answer per input */
  constructor(
    private readonly run: (inputs: I[], signal: AbortSignal) => Promise<A[]>,
    private readonly size: number,
    private readonly queue: Queue,
  ) {}

  /** Returns whether no call waits. */
  get isIdle(): boolean {
    return !this.isBusy;
  }

  /**
   * Returns the answers of inputs.
   * @throws QueueFull
   * @throws WebertError `aborted` when `signal` aborts
   */
  async add(inputs: readonly I[], signal?: AbortSignal): Promise<A[]> {
    if (signal?.aborted) throw aborted(signal);
    if (!inputs.length) return [];
    if (!this.queue.hasRoom(inputs.length))
      throw new QueueFull(`the queue has ${this.queue.waiting} of at most ${this.queue.most} texts; try again later`);
    this.queue.waiting += inputs.length;
    let stop: (() => void) | undefined;
    try {
      return await new Promise<A[]>((resolve, reject) => {
        const job: Job<I, A> = { inputs, answers: [], taken: 0, left: inputs.length, isOver: false, resolve, reject };
        stop = () => this.end(job, aborted(signal!));
        signal?.addEventListener("abort", stop, { once: true });
        this.jobs.push(job);
        void this.work();
      });
    } finally {
      this.queue.waiting -= inputs.length;
      if (stop) signal?.removeEventListener("abort", stop);
    }
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    // Calls of one turn of the event loop share a batch.
    await new Promise((resolve) => setTimeout(resolve, 0));
    while (this.jobs.length) await this.compute(this.take());
    this.isBusy = false;
  }

  /** Takes inputs of all calls in turn. */
  private take(): Place<I, A>[] {
    const batch: Place<I, A>[] = [];
    while (batch.length < this.size && this.jobs.length) {
      const job = this.jobs.shift()!;
      batch.push({ job, index: job.taken++ });
      if (job.taken < job.inputs.length) this.jobs.push(job);
    }
    return batch;
  }

  private async compute(batch: Place<I, A>[]): Promise<void> {
    const places = batch.filter(({ job }) => !job.isOver);
    if (!places.length) return;
    this.running = places;
    this.controller = new AbortController();
    try {
      const answers = await this.run(
        places.map(({ job, index }) => job.inputs[index]!),
        this.controller.signal,
      );
      for (const [n, { job, index }] of places.entries()) this.answer(job, index, answers[n]!);
    } catch (error) {
      await this.failed(places, error);
    } finally {
      this.running = [];
    }
  }

  /** Computes the inputs of each call alone, because the input of one call must not fail the others. */
  private async failed(places: Place<I, A>[], error: unknown): Promise<void> {
    const jobs = new Set(places.map(({ job }) => job));
    if (jobs.size === 1) {
      for (const job of jobs) this.end(job, error);
      return;
    }
    for (const job of jobs) await this.compute(places.filter((place) => place.job === job));
  }

  private answer(job: Job<I, A>, index: number, answer: A): void {
    job.answers[index] = answer;
    job.left--;
    if (job.left > 0 || job.isOver) return;
    job.isOver = true;
    job.resolve(job.answers);
  }

  /** Ends a call with an error. A batch whose calls have all ended is stopped. */
  private end(job: Job<I, A>, error: unknown): void {
    if (job.isOver) return;
    job.isOver = true;
    this.jobs = this.jobs.filter((other) => other !== job);
    job.reject(error);
    if (this.running.length && this.running.every((place) => place.job.isOver)) this.controller.abort();
  }
}

const aborted = ({ reason }: AbortSignal) => new WebertError("aborted", "the call was aborted", { cause: reason });
