// Rows of the model's tables of embeddings, read from its file: the encoder returns only their normalised sum.
import type { Source } from "webert";

/** The three parts of a token's embedding, and their sum before it is normalised. */
export interface Parts {
  word: Float32Array;
  place: Float32Array;
  segment: Float32Array;
  sum: Float32Array;
}

type Header = Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;

/** The weights' file of a source. The browser keeps a Blob outside the page's memory. */
async function weightsOf(source: Source): Promise<Blob | undefined> {
  const given = typeof source === "function" ? await (source as () => Source | Promise<Source>)() : source;
  const files = (given as { files?: Iterable<File> | Record<string, string | URL | Blob> }).files;
  if (!files) return undefined;
  const found =
    Symbol.iterator in files
      ? [...(files as Iterable<File>)].find(({ name }) => name === "model.safetensors")
      : (files as Record<string, string | URL | Blob>)["model.safetensors"];
  if (!found) return undefined;
  return found instanceof Blob ? found : (await fetch(found)).blob();
}

/** A 16-bit float's value; `isBrain`: bfloat16. */
function half(bits: number, isBrain: boolean): number {
  if (isBrain) return new Float32Array(Uint32Array.of(bits << 16).buffer)[0]!;
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

const bytesOf = async (file: Blob, from: number, to: number) => new DataView(await file.slice(from, to).arrayBuffer());

/** Bytes of the file's length and header, and of a number of each dtype. */
const LENGTH = 8;
const WIDTHS: Record<string, number> = { I8: 1, F16: 2, BF16: 2, F32: 4 };

/** The tables of a model's embeddings. Rows are read from the file when they are asked for. */
export class Tables {
  readonly #file: Blob;
  readonly #header: Header;
  readonly #start: number;

  private constructor(file: Blob, header: Header, start: number) {
    this.#file = file;
    this.#header = header;
    this.#start = start;
  }

  static async open(file: Blob): Promise<Tables> {
    const start = LENGTH + Number((await bytesOf(file, 0, LENGTH)).getBigUint64(0, true));
    return new Tables(file, JSON.parse(await file.slice(LENGTH, start).text()) as Header, start);
  }

  /** Reads one row of a table; undefined if the file has none of this name or kind. */
  async #row(name: string, at: number): Promise<Float32Array | undefined> {
    const key = Object.keys(this.#header).find((key) => key.endsWith(`embeddings.${name}_embeddings.weight`));
    const entry = key === undefined ? undefined : this.#header[key];
    if (!entry || at >= entry.shape[0]!) return undefined;
    const scales = this.#header[`${key}_scale`];
    const width = entry.shape[1]!;
    const row = this.#numbers(entry, at * width, width);
    const scale = scales ? (await this.#numbers(scales, at, 1))[0]! : 1;
    return (await row).map((value) => scale * value);
  }

  /** `count` numbers of a tensor, from `at`. */
  async #numbers({ dtype, data_offsets: [offset] }: Header[string], at: number, count: number): Promise<Float32Array> {
    const width = WIDTHS[dtype] ?? 2;
    const from = this.#start + offset + at * width;
    const view = await bytesOf(this.#file, from, from + count * width);
    return Float32Array.from({ length: count }, (_, index) => {
      if (dtype === "I8") return view.getInt8(index);
      if (dtype === "F32") return view.getFloat32(4 * index, true);
      return half(view.getUint16(2 * index, true), dtype === "BF16");
    });
  }

  /** The parts of a token of the first segment. */
  async parts(id: number, position: number): Promise<Parts | undefined> {
    const rows = [this.#row("word", id), this.#row("position", position), this.#row("token_type", 0)];
    const [word, place, segment] = await Promise.all(rows);
    if (!word || !place || !segment) return undefined;
    return { word, place, segment, sum: word.map((value, at) => value + place[at]! + segment[at]!) };
  }
}

const tables = new WeakMap<object, Promise<Tables | undefined>>();

/** The tables of a model's source; undefined if its file cannot be read here. */
export function tablesOf(source: Source): Promise<Tables | undefined> {
  const key = source as object;
  const there = typeof source === "string" ? undefined : tables.get(key);
  if (there) return there;
  const made = weightsOf(source).then((file) => file && Tables.open(file));
  if (typeof source !== "string") {
    tables.set(key, made);
    made.catch(() => tables.delete(key));
  }
  return made;
}

/** Frees the tables of a source. */
export function forgetTables(source: Source): void {
  if (typeof source !== "string") tables.delete(source as object);
}
