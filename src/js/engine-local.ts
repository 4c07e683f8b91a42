import { abortable, linked, ticker } from "./abort.js";
import { openWeights, readConfig, readPooling, readTokenizerFiles } from "./checkpoint.js";
import type { Engine, LoadSpec } from "./engine.js";
import { WebertError } from "./errors.js";
import { openFolder, type Control, type Folder, type Reading } from "./hub.js";
import { instantiate, type ModelInfo, type RawInputs, type RawTensor, type ReadWasm, type WasmModel } from "./wasm.js";

/** What loading needs of the machine. */
export type Machine = Reading & { readWasm: ReadWasm };

/** Loads a model into this thread. Everything that has to be fetched is under way at once. */
export async function openLocal(spec: LoadSpec, control: Control, machine: Machine): Promise<Engine> {
  try {
    const model = await linked([control.signal], async (signal) => {
      const wasm = instantiate(spec.wasmPaths, machine.readWasm);
      wasm.catch(() => {}); // heard of below, unless the folder fails first
      const folder = await openFolder(spec.place, machine);
      return load(spec, folder, wasm, { ...control, signal });
    });
    return new LocalEngine(model);
  } catch (error) {
    throw WebertError.from(error);
  }
}

async function load(spec: LoadSpec, folder: Folder, wasm: ReturnType<typeof instantiate>, control: Control): Promise<WasmModel> {
  const weights = openWeights(folder, control);
  weights.catch(() => {}); // a missing config.json is the better message
  const [config, tokenizer, pooling] = await Promise.all([
    readConfig(folder, control),
    spec.tokenizer ? readTokenizerFiles(folder, control, true) : {},
    spec.pooling ? readPooling(folder, control) : {},
  ]);
  const { Loader } = await abortable(wasm, control.signal);
  const { index, files } = await weights;
  const loader = await Loader.open({ ...config, ...tokenizer, ...pooling, ...index }, spec.how);
  const tick = ticker(control.signal);
  try {
    for await (const { name, bytes } of files) {
      loader.begin_file(name);
      for await (const chunk of bytes) {
        loader.push(chunk);
        await tick();
      }
      loader.end_file();
    }
  } catch (error) {
    loader.free();
    throw error;
  }
  return loader.finish();
}

/** A model in this thread. The wasm side takes one call at a time, so calls queue. */
class LocalEngine implements Engine {
  readonly info: ModelInfo;
  readonly #model: WasmModel;
  readonly #closing = new AbortController();
  #tail: Promise<unknown> = Promise.resolve();

  constructor(model: WasmModel) {
    this.#model = model;
    this.info = model.info();
  }

  run(task: string, inputs: unknown[], options: object, signal?: AbortSignal): Promise<unknown[]> {
    return this.#queue((tick) => this.#model.run(task, inputs, options, tick), signal);
  }

  forward(inputs: RawInputs, options: object, signal?: AbortSignal): Promise<Record<string, RawTensor | RawTensor[]>> {
    return this.#queue((tick) => this.#model.forward(inputs, options, tick), signal);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new WebertError("disposed", "the model was disposed of"));
    await this.#tail;
    this.#model.free();
  }

  /** `work` after all calls before it. A stopped call rejects at once, and its work ends at its next tick. */
  async #queue<T>(work: (tick: () => Promise<void>) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#tail;
    try {
      return await linked([this.#closing.signal, signal], (stop) => {
        const turn = before.then(() => {
          const tick = ticker(stop);
          return tick().then(() => work(tick));
        });
        this.#tail = turn.catch(() => {});
        return abortable(turn, stop);
      });
    } catch (error) {
      throw WebertError.from(error);
    }
  }
}
