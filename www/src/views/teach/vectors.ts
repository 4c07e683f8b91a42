// Vectors of texts: the mean of their states in the encoder's last layer. Unlike the state of [CLS], it tells topics apart that the encoder
// was not trained for: see docs/training.md.

/** The feature-extraction pipeline, reduced to what is used here. */
type Extract = (
  texts: string[],
  options: { pooling: "mean"; signal: AbortSignal },
) => Promise<{ dims: number[]; data: ArrayLike<number> }>;

/** The model, as used here. */
interface Using {
  using<T>(work: () => Promise<T>): Promise<T>;
}

/** Texts per batch; the page can stop between two batches. */
const BATCH = 16;

/** Vectors of texts, each computed once. */
export class Vectors {
  readonly #known = new Map<string, Float32Array>();
  readonly #extract: () => Promise<Extract>;

  readonly #model: Using;

  /** @param extract returns the pipeline; loading it may fail */
  constructor(extract: () => Promise<unknown>, model: Using) {
    this.#extract = extract as () => Promise<Extract>;
    this.#model = model;
  }

  #read(texts: string[], signal: AbortSignal) {
    return this.#model.using(async () => (await this.#extract())(texts, { pooling: "mean", signal }));
  }

  /** The vector of a text that is not kept, e.g. while it is being typed. */
  async once(text: string, signal: AbortSignal): Promise<Float32Array> {
    const known = this.#known.get(text);
    if (known) return known;
    const { data } = await this.#read([text], signal);
    return Float32Array.from(data);
  }

  /** Returns the vectors of texts in their order. Calls `tell` with the number of new texts that are read. */
  async of(
    texts: readonly string[],
    signal: AbortSignal,
    tell: (read: number, total: number) => void = () => {},
  ): Promise<Float32Array[]> {
    const unknown = [...new Set(texts)].filter((text) => !this.#known.has(text));
    for (let at = 0; at < unknown.length; at += BATCH) {
      const batch = unknown.slice(at, at + BATCH);
      tell(at, unknown.length);
      const { dims, data } = await this.#read(batch, signal);
      const width = dims.at(-1)!;
      const numbers = Float32Array.from(data);
      batch.forEach((text, i) => {
        this.#known.set(text, numbers.slice(i * width, (i + 1) * width));
      });
    }
    return texts.map((text) => this.#known.get(text)!);
  }
}
