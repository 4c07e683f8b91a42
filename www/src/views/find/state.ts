// State of the view Find: the passages, the index over them, and their places on the map.
import { effect, type Signal, signal } from "@preact/signals";
import { createIndex, type IndexResult, loadIndex, type SearchIndex } from "webert";
import type { App } from "../../app.ts";
import type { Model } from "../../model.ts";
import { inSlices } from "../../slices.ts";
import { MOST_PASSAGES, type Passage, passagesOf } from "./passages.ts";
import { PersonalDataFinder } from "./personal-data.ts";
import { type Plane, planeOf, project } from "./projection.ts";

/** A text to search. */
export interface Collection {
  name: string;
  passages: readonly Passage[];
  /** Number of passages beyond the limit. */
  left: number;
}

/** A complete index, with the model that made it. */
export interface Ready {
  model: Model;
  index: SearchIndex;
  /** The model's `replaced` when the index was opened. */
  replaced: number;
  passages: readonly Passage[];
}

/** Passages on the map: `points` by their ids. */
export interface MappedPassages {
  model: Model;
  plane: Plane;
  points: ReadonlyMap<number, readonly [number, number]>;
}

export interface Progress {
  loaded: number;
  total: number;
}

/** Maximum number of passages on the map; more points would hide each other. */
const MAPPED = 400;
/** Passages that a map needs at least. */
const LEAST_MAPPED = 3;
/** Texts that the encoder reads at a time. The memory of a pass grows with them and is kept. */
export const BATCH = 4;
/** Passages added to the index at a time. */
const SLICE = 4;

/** Texts by their name, as one collection. */
export function collectionOf(name: string, texts: Record<string, string>): Collection {
  const passages: Passage[] = [];
  for (const [source, text] of Object.entries(texts)) passages.push(...passagesOf(text, source, passages.length));
  return { name, passages: passages.slice(0, MOST_PASSAGES), left: Math.max(0, passages.length - MOST_PASSAGES) };
}

/** Returns whether a collection, or the one that is still loading, gets a map. */
export const canBeMapped = (collection: Collection | null): boolean =>
  !collection || collection.passages.length >= LEAST_MAPPED;

/** A promise and its resolver. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export class FindState {
  readonly #app: App;
  readonly collection: Signal<Collection | null> = signal(null);
  readonly ready: Signal<Ready | null> = signal(null);
  readonly mapped: Signal<MappedPassages | null> = signal(null);
  /** The progress of indexing; null when it is done. */
  readonly progress: Signal<Progress | null> = signal(null);
  readonly error = signal<unknown>(undefined);
  readonly personalData: PersonalDataFinder;
  /** Resolved while the view is shown. Other views need the model at every key. */
  #shown = deferred();
  #isFollowing = false;

  constructor(app: App) {
    this.#app = app;
    this.personalData = new PersonalDataFinder(app, this.collection);
  }

  /** Starts the work. Returns the function that pauses it; the next call of `work` resumes what was under way. */
  show(): () => void {
    this.#shown.resolve();
    if (!this.#isFollowing) this.#follow();
    this.#isFollowing = true;
    const release = this.#app.model.peek()?.hold(); // an index would be made from the start again
    return () => {
      release?.();
      this.#shown = deferred();
    };
  }

  /** Indexes again when the text or the model changes. */
  #follow(): void {
    effect(() => {
      const [model, collection] = [this.#app.model.value, this.collection.value];
      const ready = this.ready.peek();
      if (!model || !collection) return;
      const replaced = model.replaced.value;
      const isMine = ready?.model === model && ready.passages === collection.passages;
      if (isMine && ready.replaced === replaced) return;
      const controller = new AbortController();
      const { signal } = controller;
      const work = isMine ? this.#reopen(ready, replaced, signal) : this.#index(model, collection, signal);
      work.catch((error) => {
        if (controller.signal.aborted) return;
        this.progress.value = null;
        this.error.value = error;
      });
      return () => controller.abort();
    });
  }

  /** Opens an index again over the encoder that replaced its own, once the view is shown. */
  async #reopen(ready: Ready, replaced: number, abort: AbortSignal): Promise<void> {
    const file = await ready.index.save();
    await this.#shownAgain(abort);
    const index = await loadIndex(file, { model: await ready.model.embeddings() });
    abort.throwIfAborted();
    await ready.index.dispose();
    this.ready.value = { ...ready, index, replaced };
  }

  async #index(model: Model, { passages }: Collection, abort: AbortSignal): Promise<void> {
    this.error.value = undefined;
    this.ready.peek()?.index.dispose();
    this.ready.value = null;
    this.mapped.value = null;
    this.progress.value = { loaded: 0, total: passages.length };
    const replaced = model.replaced.peek();
    const features = await model.embeddings();
    abort.throwIfAborted();
    const index = await createIndex({ model: features });
    try {
      for (let at = 0; at < passages.length; at += SLICE) {
        await this.#shownAgain(abort);
        const documents = passages.slice(at, at + SLICE).map((passage) => ({ ...passage }));
        await index.add(documents, {
          signal: abort,
          progress_callback: ({ loaded }) => {
            if (!abort.aborted) this.progress.value = { loaded: at + loaded, total: passages.length };
          },
        });
        abort.throwIfAborted();
      }
    } catch (error) {
      await index.dispose();
      throw error;
    }
    this.ready.value = { model, index, replaced, passages };
    this.progress.value = null;
    this.mapped.value = await this.#map(model, passages.slice(0, MAPPED), abort);
  }

  async #shownAgain(signal: AbortSignal): Promise<void> {
    await this.#shown.promise;
    signal.throwIfAborted();
  }

  /** Places passages on a plane. Their vectors are computed again, because an index keeps fewer bits and does not return them. */
  async #map(model: Model, passages: readonly Passage[], signal: AbortSignal): Promise<MappedPassages | null> {
    if (passages.length < LEAST_MAPPED) return null;
    const vectors: Float32Array[] = [];
    for (let at = 0; at < passages.length; at += BATCH) {
      await this.#shownAgain(signal);
      const texts = passages.slice(at, at + BATCH).map(({ text }) => text);
      vectors.push(...(await vectorsOf(model, texts, signal)));
    }
    const plane = await inSlices(planeOf(vectors), signal);
    return { model, plane, points: new Map(passages.map(({ id }, at) => [id, project(plane, vectors[at]!)])) };
  }
}

/** The vectors of texts, of length 1. */
export async function vectorsOf(model: Model, texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
  const extract = await model.embeddings();
  const { dims, data } = await extract(texts, { pooling: "mean", normalize: true, signal });
  const width = dims.at(-1)!;
  const numbers = Float32Array.from(data as ArrayLike<number>);
  return texts.map((_, at) => numbers.slice(at * width, (at + 1) * width));
}

export type Found = IndexResult & { id: number; source: string };

const states = new WeakMap<App, FindState>();

/** The page's own state, which stays while other views are shown. */
export function stateOf(app: App): FindState {
  let state = states.get(app);
  if (!state) states.set(app, (state = new FindState(app)));
  return state;
}
