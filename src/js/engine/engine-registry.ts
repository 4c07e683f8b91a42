// The engines of this thread: models with the same encoder share one.
import { adapterIdentity, encoderIdentity, placeIdentity } from "../sources/encoder-files.js";
import type { Control, Reading } from "../sources/types.js";
import type { Engine, EngineModel, LoadSpec } from "./engine.js";

/** An engine that is loaded or loading, and how many models and loads use it. */
interface Shared {
  engine: Promise<Engine>;
  users: number;
  isOver(): boolean;
}

/** Fields of config.json that do not affect the encoder. */
const HEAD_FIELDS = ["architectures", "id2label", "label2id", "num_labels", "problem_type", "classifier_dropout"];

/**
 * The engines of this thread by the identity of their encoder. Models with the same weights, device, dtype, threads
 * and wasm files share an engine. Concurrent loads share it too: the later ones wait for the encoder of the first.
 * Closing the last model closes the engine; the next load creates a new one. Models whose adapters change the same
 * encoder share an engine, too.
 */
export class EngineRegistry {
  readonly #engines = new Map<string, Shared>();
  /** The adapters of all models so far. The first is none. */
  readonly #adapters = new Set([""]);

  /**
   * Loads a model into the engine of its encoder, or into a new engine from `create`. `kind` names where the new
   * engine runs: engines in a Worker are not shared with engines in this thread.
   */
  async open(
    given: LoadSpec,
    control: Control,
    kind: string,
    create: () => Promise<Engine>,
    reading: Reading,
  ): Promise<EngineModel> {
    const { key, changes } = await encoderKey(given, kind, reading);
    this.#adapters.add(changes);
    const spec = { ...given, how: { ...given.how, adapter: [...this.#adapters].indexOf(changes) } };
    // A model that cannot share this encoder shares one with other models of its own folder, or gets its own. Adapters of
    // PEFT, which need the full binary, share one of the base's folder.
    for (const candidate of [key, `${key} ${placeIdentity(spec.place)}`]) {
      const model = await this.#load(this.#find(candidate, create), spec, control);
      if (model) return model;
    }
    return (await this.#load(share(create), spec, control))!; // the first model of an engine always loads
  }

  /** Returns the engine for a key; a broken one is replaced. */
  #find(key: string, create: () => Promise<Engine>): Shared {
    const found = this.#engines.get(key);
    if (found && !found.isOver()) return found;
    const shared = share(create);
    this.#engines.set(key, shared);
    return shared;
  }

  async #load(shared: Shared, spec: LoadSpec, control: Control): Promise<EngineModel | undefined> {
    shared.users++;
    try {
      const model = await (await shared.engine).load(spec, control, (freeHead) => this.#release(shared, freeHead));
      if (model) return model;
    } catch (error) {
      await this.#release(shared);
      throw error;
    }
    await this.#release(shared);
    return undefined;
  }

  /** Removes one user. The last user closes the engine; any other frees only its head. */
  async #release(shared: Shared, freeHead?: () => Promise<void>): Promise<void> {
    if (--shared.users > 0) return freeHead?.();
    for (const [key, other] of this.#engines) if (other === shared) this.#engines.delete(key);
    const engine = await shared.engine.catch(() => undefined);
    await engine?.close();
  }
}

function share(create: () => Promise<Engine>): Shared {
  let state: { isOver: boolean } = { isOver: false };
  const engine = create();
  engine.then(
    (engine) => (state = engine),
    // An engine that could not be created is over: the next load creates another.
    () => (state = { isOver: true }),
  );
  return { engine, users: 0, isOver: () => state.isOver };
}

/** Returns a key that is equal for models that can share an engine, and a text that identifies the model's adapter. */
async function encoderKey(
  { place, adapter, how, threads, wasmPaths, config, onnx }: LoadSpec,
  kind: string,
  reading: Reading,
) {
  const fields = Object.entries(config ?? {}).filter(([name]) => !HEAD_FIELDS.includes(name));
  const { device, dtype } = how;
  const { base, changes } = await encoderIdentity(place, config, reading);
  const key = JSON.stringify([
    base,
    { kind, device, dtype, threads, wasmPaths, onnx },
    fields.sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  return { key, changes: [changes, adapter && (await adapterIdentity(adapter, reading))].filter(Boolean).join(" ") };
}
