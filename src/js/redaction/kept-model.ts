// Keeps the model of the last call of `redact`, so that the next call does not load it again.
import { abortable } from "../abort.js";
import type { PipelineFunction } from "../api/pipeline.js";
import type { ModelOptions } from "../engine/open.js";
import { env } from "../env.js";
import { WebertError } from "../errors.js";
import type { Source } from "../source.js";
import { versionOf } from "../sources/saved-versions.js";
import { isOfGliner, type TokenClassifier } from "./gliner.js";

/** A model that is loaded or loading. */
interface CachedPipeline {
  /** What tells its source from others. */
  identity: unknown;
  options: ModelOptions;
  pipe: Promise<TokenClassifier>;
  /** Ends the load. */
  load: AbortController;
  isLoaded: boolean;
  /** Calls that wait for the model or use it. */
  users: number;
  /** Whether another model has replaced it. The last user then frees it. */
  isOver: boolean;
}

/** Codes of errors after which the model is loaded again. */
const BROKEN: readonly string[] = ["device_lost", "out_of_memory", "disposed"];

/** The model of the last call. A call with another source or other options replaces it. */
export class KeptModel {
  readonly #pipeline: PipelineFunction;
  #kept: CachedPipeline | undefined;

  constructor(pipeline: PipelineFunction) {
    this.#pipeline = pipeline;
  }

  /**
   * Runs `work` with the model of a source. `options` are options of the load. If `signal` aborts while the model
   * loads and no other call waits for the model, the load ends.
   */
  async use<T>(
    source: Source | undefined,
    { signal, progress_callback, ...options }: ModelOptions,
    work: (pipe: TokenClassifier) => Promise<T>,
  ): Promise<T> {
    const kept = this.#find(source ?? env.defaultModels["token-classification"], options, progress_callback);
    kept.users++;
    try {
      return await work(await abortable(kept.pipe, signal ?? undefined));
    } catch (error) {
      if (BROKEN.includes(WebertError.from(error).code)) this.#forget(kept);
      throw error;
    } finally {
      kept.users--;
      if (kept.users === 0 && !kept.isLoaded) this.#forget(kept);
      if (kept.users === 0 && kept.isOver) await free(kept);
    }
  }

  /** Frees the model, after the calls that use it. */
  async dispose(): Promise<void> {
    const kept = this.#kept;
    if (!kept) return;
    this.#forget(kept);
    if (kept.users === 0) await free(kept);
  }

  #find(
    source: Source | undefined,
    options: ModelOptions,
    progress: ModelOptions["progress_callback"],
  ): CachedPipeline {
    const last = this.#kept;
    const identity = identityOf(source);
    if (last && last.identity === identity && isEqual(last.options, options)) return last;
    if (last) {
      this.#forget(last);
      if (last.users === 0) void free(last);
    }
    const load = new AbortController();
    const all = { ...options, ...(progress && { progress_callback: progress }), signal: load.signal };
    const pipe = this.#pipeline("token-classification", source, all).catch((error: unknown) => {
      if (!isOfGliner(error)) throw error;
      return this.#pipeline(
        "zero-shot-token-classification",
        source,
        all,
      ) as Promise<unknown> as Promise<TokenClassifier>;
    });
    const kept: CachedPipeline = { identity, options, pipe, load, isLoaded: false, users: 0, isOver: false };
    pipe.then(
      () => (kept.isLoaded = true),
      () => this.#forget(kept),
    );
    this.#kept = kept;
    return kept;
  }

  #forget(kept: CachedPipeline): void {
    kept.isOver = true;
    if (this.#kept === kept) this.#kept = undefined;
  }
}

/** Ends the load of a model, or frees the loaded model. */
async function free({ pipe, load }: CachedPipeline): Promise<void> {
  load.abort();
  await pipe.then(
    (loaded) => loaded.dispose(),
    () => {}, // a model that did not load holds nothing
  );
}

/**
 * Returns what tells a source from others. Callers often write `{ files }` or `{ name }` anew in each call. A model that was kept
 * again under its name is another source.
 */
function identityOf(source: Source | undefined): unknown {
  if (typeof source !== "object") return source;
  if (source instanceof URL) return source.href;
  if ("name" in source) return JSON.stringify([source.name, versionOf(source.name)]);
  return "files" in source ? source.files : source.file;
}

/** Returns whether two calls have the same options. Objects are compared by identity. */
function isEqual(a: ModelOptions, b: ModelOptions): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof ModelOptions>;
  return [...names].every((name) => a[name] === b[name]);
}
