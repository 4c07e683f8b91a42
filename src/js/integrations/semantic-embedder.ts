// webert/semantic-embedder: the shape of Chrome's proposed SemanticEmbedder over a pipeline.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import { Encoder, type VectorOptions } from "./vectors.js";

/** Loads the model. `pipeline` documents the options. */
export type LoadEmbedder = (options: {
  signal?: AbortSignal;
  progress_callback(event: { status: string; progress?: number }): void;
}) => Promise<Pipeline<"feature-extraction">>;

export type Availability = "unavailable" | "downloadable" | "downloading" | "available";

/** What a text is used for. */
export type TaskType =
  | "semantic-similarity"
  | "retrieval-query"
  | "retrieval-document"
  | "classification"
  | "clustering";

/** Options of a call for each use: the folder's prompt of this kind, or of this name. */
const BY_TASK: Record<TaskType, VectorOptions> = {
  "semantic-similarity": { prompt_name: "STS" },
  "retrieval-query": { task: "query" },
  "retrieval-document": { task: "document" },
  classification: { prompt_name: "classification" },
  clustering: { prompt_name: "clustering" },
};

export interface CreateOptions {
  signal?: AbortSignal;
  /** Receives a target of `downloadprogress` events, whose `loaded` rises from 0 to 1. */
  monitor?(target: EventTarget): void;
}
export interface EmbedOptions {
  taskType?: TaskType;
  signal?: AbortSignal;
}
export interface EmbedResult {
  embeddings: { values: Float32Array }[];
}

/** An embedder. */
export interface SemanticEmbedder {
  /** Returns one vector of length 1 per text. */
  embed(input: string | string[], options?: EmbedOptions): Promise<EmbedResult>;
  /** Stops running calls. Later calls reject with an AbortError. The model stays loaded for other embedders. */
  destroy(): void;
}

/** The class. */
export interface SemanticEmbedderClass {
  readonly prototype: SemanticEmbedder;
  availability(options?: object): Promise<Availability>;
  create(options?: CreateOptions): Promise<SemanticEmbedder>;
}

const ended = () => new DOMException("the embedder was destroyed", "AbortError");

/** Loads the model once, for all embedders of a class. */
class Loading {
  availability: Availability = "downloadable";
  private readonly targets = new Set<EventTarget>();
  private model: Promise<Encoder> | undefined;
  private loaded = 0;

  constructor(private readonly load: LoadEmbedder) {}

  get(target: EventTarget): Promise<Encoder> {
    this.targets.add(target);
    if (!this.model) {
      this.availability = "downloading";
      this.model = this.begin();
      this.model.catch(() => {
        this.model = undefined;
        this.loaded = 0;
        this.availability = "downloadable";
      });
    }
    return this.model.finally(() => this.targets.delete(target));
  }

  private async begin(): Promise<Encoder> {
    const pipe = await this.load({
      progress_callback: ({ status, progress }) => {
        if (status === "progress_total" && progress !== undefined) this.tell(progress / 100);
      },
    });
    const encoder = new Encoder(pipe);
    this.tell(1);
    this.availability = "available";
    return encoder;
  }

  /** Reports progress. It never falls, and 1 comes last. */
  private tell(loaded: number): void {
    if (loaded <= this.loaded && loaded < 1) return;
    this.loaded = Math.min(loaded, 1);
    for (const target of this.targets)
      target.dispatchEvent(
        Object.assign(new Event("downloadprogress"), { loaded: this.loaded, total: 1, lengthComputable: true }),
      );
  }
}

/** Returns what a promise resolves to, or rejects with the signal's reason. */
async function until<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  promise.catch(() => {});
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop!));
}

/**
 * Returns the class SemanticEmbedder over a model.
 * @example
 * ```ts
 * const SemanticEmbedder = semanticEmbedder((options) => pipeline("feature-extraction", null, options));
 * const embedder = await SemanticEmbedder.create();
 * const { embeddings } = await embedder.embed(["It rained.", "The piano is near the window."]);
 * ```
 */
export function semanticEmbedder(load: LoadEmbedder): SemanticEmbedderClass {
  if (typeof load !== "function") throw new WebertError("bad_input", "load: expected a function that loads a pipeline");
  const loading = new Loading(load);
  const create = Symbol("create");
  class Embedder implements SemanticEmbedder {
    static async availability(): Promise<Availability> {
      return loading.availability;
    }

    static async create({ signal, monitor }: CreateOptions = {}): Promise<Embedder> {
      signal?.throwIfAborted();
      const target = new EventTarget();
      monitor?.(target);
      return new Embedder(create, await until(loading.get(target), signal));
    }

    private readonly over = new AbortController();
    private readonly without = new Set<TaskType>();

    constructor(
      key: symbol,
      private readonly encoder: Encoder,
    ) {
      if (key !== create) throw new TypeError("Illegal constructor");
    }

    async embed(input: string | string[], { taskType, signal }: EmbedOptions = {}): Promise<EmbedResult> {
      if (this.over.signal.aborted) throw ended();
      signal?.throwIfAborted();
      if (taskType !== undefined && !Object.hasOwn(BY_TASK, taskType))
        throw new TypeError(`taskType: expected one of ${Object.keys(BY_TASK).join(", ")}, got "${taskType}"`);
      const texts = [input].flat().map(String);
      const signals = [this.over.signal, ...(signal ? [signal] : [])];
      try {
        const rows = await this.rows(texts, taskType, AbortSignal.any(signals));
        return { embeddings: rows.map((values) => ({ values })) };
      } catch (error) {
        if (this.over.signal.aborted) throw ended();
        signal?.throwIfAborted();
        throw error;
      }
    }

    /** Returns vectors with the folder's prompt for the use, or without a prompt if the folder has none for it. */
    private async rows(texts: string[], taskType: TaskType | undefined, signal: AbortSignal): Promise<Float32Array[]> {
      const options = taskType && !this.without.has(taskType) ? BY_TASK[taskType] : {};
      try {
        return (await this.encoder.dense(texts, { normalize: true, ...options }, signal)).rows;
      } catch (error) {
        if (!options.prompt_name || !/has no prompt/.test((error as Error).message)) throw error;
        this.without.add(taskType!);
        return this.rows(texts, taskType, signal);
      }
    }

    destroy(): void {
      this.over.abort(ended());
    }
  }
  Object.defineProperty(Embedder, "name", { value: "SemanticEmbedder" });
  return Embedder as unknown as SemanticEmbedderClass;
}

/**
 * Sets `globalThis.SemanticEmbedder` if the browser has none. Returns whether it did.
 * @example
 * ```ts
 * polyfill((options) => pipeline("feature-extraction", null, options));
 * ```
 */
export function polyfill(load: LoadEmbedder): boolean {
  if ("SemanticEmbedder" in globalThis) return false;
  const value = semanticEmbedder(load);
  Object.defineProperty(globalThis, "SemanticEmbedder", { value, writable: true, configurable: true });
  return true;
}
