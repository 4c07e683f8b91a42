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

/** The weights' file of a source, as bytes. */
async function weightsOf(source: Source): Promise<ArrayBuffer | undefined> {
  const given = typeof source === "function" ? await (source as () => Source | Promise<Source>)() : source;
  const files = (given as { files?: Iterable<File> | Record<string, string | URL | Blob> }).files;
  if (!files) return undefined;
  const found =
    Symbol.iterator in files
      ? [...(files as Iterable<File>)].find(({ name }) => name === "model.safetensors")
      : (files as Record<string, string | URL | Blob>)["model.safetensors"];
  if (!found) return undefined;
  return found instanceof Blob ? found.arrayBuffer() : (await fetch(found)).arrayBuffer();
}

/** A 16-bit float's value; `isBrain`: bfloat16. */
function half(bits: number, isBrain: boolean): number {
  if (isBrain) return new Float32Array(Uint32Array.of(bits << 16).buffer)[0]!;
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/** The tables of a model's embeddings. */
export class Tables {
  readonly #view: DataView;
  readonly #header: Header;
  readonly #start: number;

  constructor(bytes: ArrayBuffer) {
    this.#view = new DataView(bytes);
    const length = Number(this.#view.getBigUint64(0, true));
    this.#header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as Header;
    this.#start = 8 + length;
  }

  /** Reads one row of a table; undefined if the file has none of this name or kind. */
  #row(name: string, at: number): Float32Array | undefined {
    const key = Object.keys(this.#header).find((key) => key.endsWith(`embeddings.${name}_embeddings.weight`));
    const entry = key === undefined ? undefined : this.#header[key];
    if (!entry || at >= entry.shape[0]!) return undefined;
    const width = entry.shape[1]!;
    const read = this.#reader(entry);
    const scales = this.#header[`${key}_scale`];
    const scale = scales ? this.#reader(scales)(at) : 1;
    return Float32Array.from({ length: width }, (_, column) => scale * read(at * width + column));
  }

  #reader({ dtype, data_offsets: [offset] }: Header[string]): (at: number) => number {
    const [view, start] = [this.#view, this.#start + offset];
    if (dtype === "I8") return (at) => view.getInt8(start + at);
    if (dtype === "F32") return (at) => view.getFloat32(start + 4 * at, true);
    return (at) => half(view.getUint16(start + 2 * at, true), dtype === "BF16");
  }

  /** The parts of a token of the first segment. */
  parts(id: number, position: number): Parts | undefined {
    const [word, place, segment] = [this.#row("word", id), this.#row("position", position), this.#row("token_type", 0)];
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
  const made = weightsOf(source).then((bytes) => bytes && new Tables(bytes));
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
