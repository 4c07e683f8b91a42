import { encoderIdentity, placeIdentity } from "../checkpoint/encoder-files.js";
import type { Control, Reading } from "../checkpoint/folder.js";
import type { Engine, EngineModel, LoadSpec } from "./engine.js";

/** An engine that is there or on its way, and how many models and loads it has. */
interface Shared {
  engine: Promise<Engine>;
  users: number;
  isOver(): boolean;
}

/** Fields of config.json that say nothing of an encoder. */
const HEAD_FIELDS = ["architectures", "id2label", "label2id", "num_labels", "problem_type", "classifier_dropout"];

/**
 * The engines of this thread, by what their encoder is. Models of the same weights, device, dtype, threads and wasm files share
 * one, also when they are asked for at the same time: the later ones wait for the first one's encoder. With its last model an
 * engine is closed, and the next model of these weights begins anew.
 */
export class EngineRegistry {
  readonly #engines = new Map<string, Shared>();

  /**
   * Loads a model, into the engine of its encoder where there is one. `create` makes another engine, of which `kind` says where
   * it is: a Worker's are not shared with those of this thread.
   */
  async open(
    spec: LoadSpec,
    control: Control,
    kind: string,
    create: () => Promise<Engine>,
    reading: Reading,
  ): Promise<EngineModel> {
    const key = await encoderKey(spec, kind, reading);
    // A model that cannot share that encoder shares its own with those of its own folder, or has one to itself.
    for (const candidate of [key, `${key} ${placeIdentity(spec.place)}`]) {
      const model = await this.#load(this.#find(candidate, create), spec, control);
      if (model) return model;
    }
    return (await this.#load(share(create), spec, control))!; // an engine's first model has an encoder of its own
  }

  /** The engine of a key, of which there is another after it broke. */
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
      const model = await (await shared.engine).load(spec, control);
      if (model) return new SharedModel(model, (model) => this.#release(shared, model));
    } catch (error) {
      await this.#release(shared);
      throw error;
    }
    await this.#release(shared);
    return undefined;
  }

  /** One user less: the last one closes the engine, the others only `model`. */
  async #release(shared: Shared, model?: EngineModel): Promise<void> {
    if (--shared.users > 0) return model?.close();
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
    () => (state = { isOver: true }),
  );
  return { engine, users: 0, isOver: () => state.isOver };
}

/** What is the same for models that share an engine. */
async function encoderKey({ place, how, threads, wasmPaths, config }: LoadSpec, kind: string, reading: Reading) {
  const fields = Object.entries(config ?? {}).filter(([name]) => !HEAD_FIELDS.includes(name));
  const { device, dtype } = how;
  return JSON.stringify([
    await encoderIdentity(place, config, reading),
    { kind, device, dtype, threads, wasmPaths },
    fields.sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

/** A model of a shared engine, to be closed once. */
class SharedModel implements EngineModel {
  readonly #model: EngineModel;
  readonly #release: (model: EngineModel) => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(model: EngineModel, release: (model: EngineModel) => Promise<void>) {
    this.#model = model;
    this.#release = release;
  }

  get info(): EngineModel["info"] {
    return this.#model.info;
  }

  get parts(): EngineModel["parts"] {
    return this.#model.parts;
  }

  run(...args: Parameters<EngineModel["run"]>): ReturnType<EngineModel["run"]> {
    return this.#model.run(...args);
  }

  forward(...args: Parameters<EngineModel["forward"]>): ReturnType<EngineModel["forward"]> {
    return this.#model.forward(...args);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#release(this.#model));
  }
}
