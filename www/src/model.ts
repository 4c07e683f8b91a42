// The model in use: one encoder on one device, and the heads over it that views ask for.
import { AutoTokenizer, env, type ModelOptions, type Pipeline, pipeline, type Source, type Tokenizer } from "webert";

/** The visitor's choice of device. */
export type Device = "auto" | "webgpu" | "wasm";

/** The package's masked model, whose encoder its classifiers share. */
export const BUILT_IN = env.defaultModels["fill-mask"]!;
const EMBEDDINGS = env.defaultModels["feature-extraction"]!;
const SENTIMENT = env.defaultModels["text-classification"]!;

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

  /** `name`: the name of a visitor's model. */
  constructor(
    readonly source: Source,
    readonly device: Device,
    readonly name?: string,
  ) {}

  #once<T extends { dispose(): unknown }>(name: string, load: () => Promise<T>): Promise<T> {
    const there = this.#heads.get(name) as Promise<T> | undefined;
    if (there) return there;
    const made = load();
    this.#heads.set(name, made);
    made.catch(() => this.#heads.delete(name));
    return made;
  }

  tokenizer(): Promise<Tokenizer> {
    return this.#once("tokenizer", () => AutoTokenizer.from_pretrained(this.source));
  }

  /** `options`: of the first call, which loads the encoder. */
  fillMask(options: ModelOptions = {}): Promise<Pipeline<"fill-mask">> {
    return this.#once("fill-mask", () => pipeline("fill-mask", this.source, { ...options, device: this.device }));
  }

  features(): Promise<Pipeline<"feature-extraction">> {
    return this.#once("features", () => pipeline("feature-extraction", this.source, { device: this.device }));
  }

  /** The encoder in a binary that also returns the values inside its layers, on the CPU; a second copy of the weights. */
  inspected(): Promise<Pipeline<"feature-extraction">> {
    const options = { device: "wasm", threads: 1, inspect: true } as const;
    return this.#once("inspected", () => pipeline("feature-extraction", this.source, options));
  }

  /** Frees what `inspected` loaded. */
  forgetInspected(): void {
    this.#heads.get("inspected")?.then(
      (made) => made.dispose(),
      () => {},
    );
    this.#heads.delete("inspected");
  }

  /** The model for sentence vectors: the adapter of the package's own model, or the visitor's model itself. */
  embeddings(): Promise<Pipeline<"feature-extraction">> {
    if (this.source !== BUILT_IN) return this.features();
    return this.#once("embeddings", () => pipeline("feature-extraction", EMBEDDINGS, { device: this.device }));
  }

  sentiment(): Promise<Pipeline<"text-classification">> {
    return this.#once("sentiment", () => pipeline("text-classification", SENTIMENT, { device: this.device }));
  }

  topic(): Promise<Pipeline<"text-classification">> {
    return this.#once("topic", async () => {
      const { default: source } = await import("webert/models/minilm-topic");
      return pipeline("text-classification", source, { device: this.device });
    });
  }

  /** The model that finds names, places and the like; null if the package has none. The page fetches no such model from elsewhere. */
  entities(): Promise<Pipeline<"token-classification">> | null {
    const source = env.defaultModels["token-classification"];
    if (!source || typeof source === "string") return null; // a Hub name
    return this.#once("entities", () => pipeline("token-classification", source, { device: this.device }));
  }

  /** The head that judges whether a sentence follows another one; null if the model has none, as the package's own. */
  async nextSentence(): Promise<Pipeline<"next-sentence-prediction"> | null> {
    if (this.source === BUILT_IN) return null;
    const load = () => pipeline("next-sentence-prediction", this.source, { device: this.device });
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
    for (const head of this.#heads.values()) {
      head.then(
        (made) => made.dispose(),
        () => {},
      );
    }
    this.#heads.clear();
  }
}
