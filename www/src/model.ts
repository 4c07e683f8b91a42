// The model in use: one encoder on one device, and the heads over it that views ask for.
import { type Signal, signal } from "@preact/signals";
import { AutoTokenizer, env, type ModelOptions, type Pipeline, pipeline, type Source, type Tokenizer } from "webert";

/** The visitor's choice of device. */
export type Device = "auto" | "webgpu" | "wasm";

/** The package's masked model, whose encoder its classifiers share. */
export const BUILT_IN = env.defaultModels["fill-mask"]!;
const EMBEDDINGS = env.defaultModels["feature-extraction"]!;
const SENTIMENT = env.defaultModels["text-classification"]!;

/** Milliseconds after Inside is left until its larger binary is freed, and until the next try while the model is in use. */
const LINGER = 15_000;
const AGAIN = 3_000;

/** The number of positions in a folder's config.json; its tokenizer may not know it. */
async function positions(source: Source): Promise<number> {
  const files = (source as { files?: Iterable<File> | Record<string, Blob> }).files;
  if (!files || !(Symbol.iterator in files)) return Infinity;
  const config = [...(files as Iterable<File>)].find(({ name }) => name === "config.json");
  return config ? (JSON.parse(await config.text()).max_position_embeddings ?? Infinity) : Infinity;
}

/**
 * A model and its heads. Each head loads at its first use, over the same engine, and is kept. After a failure the next call tries
 * again. The classifiers are always the package's own, which share the encoder of its masked model.
 */
export class Model {
  readonly #heads = new Map<string, Promise<{ dispose(): unknown }>>();
  /** How often the encoder has been replaced by one in another binary. Pipelines from before are disposed of. */
  readonly replaced: Signal<number> = signal(0);
  /** Settled when no replacement is under way. */
  #replacing: Promise<unknown> = Promise.resolve();
  #isInspected = false;
  /** The number of answers under way and of other holds. */
  #users = 0;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** `name`: the name of a visitor's model. */
  constructor(
    readonly source: Source,
    readonly device: Device,
    readonly name?: string,
  ) {}

  #once<T extends { dispose(): unknown }>(name: string, load: () => Promise<T>): Promise<T> {
    const there = this.#heads.get(name) as Promise<T> | undefined;
    if (there) return there;
    const made = this.#replacing.then(load);
    this.#heads.set(name, made);
    made.catch(() => this.#heads.delete(name));
    return made;
  }

  /** Options with which the heads of the package share the encoder in use. */
  get #shared() {
    return { device: this.#isInspected ? "wasm" : this.device };
  }

  tokenizer(): Promise<Tokenizer> {
    return this.#once("tokenizer", () => AutoTokenizer.from_pretrained(this.source));
  }

  /** `options`: of the first call, which loads the encoder. */
  fillMask(options: ModelOptions = {}): Promise<Pipeline<"fill-mask">> {
    return this.#once("fill-mask", () => pipeline("fill-mask", this.source, { ...options, ...this.#shared }));
  }

  features(): Promise<Pipeline<"feature-extraction">> {
    return this.#once("features", () => pipeline("feature-extraction", this.source, this.#shared));
  }

  /**
   * The encoder in a binary that also returns the values inside its layers, on the CPU. It replaces an encoder on the CPU for all heads, so
   * that the weights are in memory once. An encoder on the GPU stays.
   */
  inspected(): Promise<Pipeline<"feature-extraction">> {
    clearTimeout(this.#leaving);
    return this.#once("inspected", async () => {
      const isOnCpu = (await this.fillMask()).info.device === "wasm";
      const load = async () => {
        if (isOnCpu) await this.#freeHeads("inspected");
        return pipeline("feature-extraction", this.source, { device: "wasm", inspect: true });
      };
      const made = load();
      if (!isOnCpu) return made;
      this.#replacing = made.then(
        () => (this.#isInspected = true),
        () => {}, // the heads load the plain encoder again
      );
      this.replaced.value++;
      return made;
    });
  }

  /** Disposes of all heads over the encoder except the `kept` ones. A head loads again at its next use. */
  async #freeHeads(...kept: string[]): Promise<void> {
    const heads = [...this.#heads].filter(([name]) => !["tokenizer", ...kept].includes(name));
    for (const [name] of heads) this.#heads.delete(name);
    await Promise.allSettled(heads.map(async ([, made]) => (await made).dispose()));
  }

  /** Keeps the encoder in its binary until the returned function is called. */
  hold(): () => void {
    this.#users++;
    return () => {
      this.#users--;
    };
  }

  /** Answers by `work`, and keeps the encoder in its binary meanwhile. */
  async using<T>(work: () => Promise<T>): Promise<T> {
    const release = this.hold();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Goes back from the larger binary to the first one, which loads at once from the browser's cache. */
  #leaveInspected(): void {
    if (this.#users > 0) {
      this.#leaving = setTimeout(() => this.#leaveInspected(), AGAIN);
      return;
    }
    this.#isInspected = false;
    this.#replacing = this.#freeHeads();
    this.replaced.value++;
    // once the larger binary's memory is given back; an answer that is wanted earlier loads at once
    this.#leaving = setTimeout(() => this.fillMask().catch(() => {}), AGAIN);
  }

  /** Frees what `inspected` loaded: beside an encoder on the GPU at once, in place of one on the CPU after a while. */
  forgetInspected(): void {
    if (this.#isInspected) {
      this.#leaving = setTimeout(() => this.#leaveInspected(), LINGER);
      return;
    }
    this.#heads.get("inspected")?.then(
      (made) => !this.#isInspected && made.dispose(),
      () => {},
    );
    this.#heads.delete("inspected");
  }

  /** The model for sentence vectors: the adapter of the package's own model, or the visitor's model itself. */
  embeddings(): Promise<Pipeline<"feature-extraction">> {
    if (this.source !== BUILT_IN) return this.features();
    return this.#once("embeddings", () => pipeline("feature-extraction", EMBEDDINGS, this.#shared));
  }

  sentiment(): Promise<Pipeline<"text-classification">> {
    return this.#once("sentiment", () => pipeline("text-classification", SENTIMENT, this.#shared));
  }

  topic(): Promise<Pipeline<"text-classification">> {
    return this.#once("topic", async () => {
      const { default: source } = await import("webert/models/minilm-topic");
      return pipeline("text-classification", source, this.#shared);
    });
  }

  /** The model that finds names, places and the like; null if the package has none. The page fetches no such model from elsewhere. */
  entities(): Promise<Pipeline<"token-classification">> | null {
    const source = env.defaultModels["token-classification"];
    if (!source || typeof source === "string") return null; // a Hub name
    return this.#once("entities", () => pipeline("token-classification", source, this.#shared));
  }

  /** The head that judges whether a sentence follows another one; null if the model has none, as the package's own. */
  async nextSentence(): Promise<Pipeline<"next-sentence-prediction"> | null> {
    if (this.source === BUILT_IN) return null;
    const load = () => pipeline("next-sentence-prediction", this.source, this.#shared);
    try {
      return await this.#once("next-sentence", load);
    } catch (error) {
      if ((error as { code?: string }).code === "unsupported") return null;
      throw error;
    }
  }

  /** Maximum number of tokens that it reads. */
  async limit(): Promise<number> {
    const [{ model_max_length }, most] = await Promise.all([this.tokenizer(), positions(this.source)]);
    return Math.min(model_max_length ?? Infinity, most);
  }

  /** Frees the memory. */
  dispose(): void {
    clearTimeout(this.#leaving);
    for (const head of this.#heads.values()) {
      head.then(
        (made) => made.dispose(),
        () => {},
      );
    }
    this.#heads.clear();
  }
}
