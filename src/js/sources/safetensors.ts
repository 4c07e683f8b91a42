// Reads and writes safetensors files.
import { yieldToEventLoop } from "../abort.js";
import { WebertError } from "../errors.js";
import {
  type Header,
  type HeaderEntry,
  headerBytes,
  headerLength,
  LENGTH_BYTES,
  parseHeader,
} from "./safetensors-header.js";
import { joined } from "./streams.js";

/** A tensor with its bytes, little-endian and row-major. */
export interface FileTensor {
  name: string;
  /** Name of the type in safetensors, e.g. F32 or BF16. */
  dtype: string;
  shape: number[];
  bytes: Uint8Array;
}

/**
 * Yields the tensors of a safetensors file in the order of their bytes, one at a time. `size` is the file's size in
 * bytes, 0 if unknown.
 */
export async function* readTensors(
  file: string,
  size: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<FileTensor> {
  const source = new Bytes(file, chunks);
  const length = headerLength(await source.take(LENGTH_BYTES));
  if (length === undefined) throw bad(file, "not a safetensors file");
  const tensors = entries(file, await source.take(length));
  const claimed = LENGTH_BYTES + length + (tensors.at(-1)?.[1].data_offsets[1] ?? 0);
  if (size && size < claimed) throw bad(file, `the file ends ${claimed - size} bytes too early`);
  let end = 0;
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [from, to],
    },
  ] of tensors) {
    if (from !== end || to < from)
      throw bad(file, `tensor ${name} begins at byte ${from} of the data, expected ${end}`);
    end = to;
    const bytes = WIDTHS[dtype]! * shape.reduce((a, b) => a * b, 1);
    if (to - from !== bytes)
      throw bad(file, `tensor ${name}, ${dtype} [${shape.join(", ")}], has ${to - from} bytes, expected ${bytes}`);
    yield { name, dtype, shape, bytes: await source.take(bytes) };
  }
  if (await source.more())
    throw bad(file, `there are bytes after the last tensor, which ends at byte ${end} of the data`);
}

/** Bytes per element. */
const WIDTHS: Record<string, number> = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
};

type Entry = [name: string, entry: HeaderEntry];

function entries(file: string, json: Uint8Array): Entry[] {
  const { __metadata__, ...tensors } = parseHeader(json, (what, cause) => bad(file, what, cause));
  const all = Object.entries(tensors) as Entry[];
  for (const [name, info] of all) {
    const isLength = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
    const whole = [info?.shape, info?.data_offsets].every((list) => Array.isArray(list) && list.every(isLength));
    if (!whole || info.data_offsets.length !== 2)
      throw bad(file, `the header's entry of ${name} lacks shape or data_offsets`);
    if (!Object.hasOwn(WIDTHS, info.dtype))
      throw bad(file, `tensor ${name} is ${JSON.stringify(info.dtype)}; there are ${Object.keys(WIDTHS).join(", ")}`);
  }
  return all.sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0]);
}

/**
 * Returns a safetensors file as the parts of a Blob. Wider elements come first, so that each tensor is aligned;
 * otherwise the order is kept.
 */
export function safetensors(tensors: FileTensor[]): BlobPart[] {
  const width = ({ shape, bytes }: FileTensor) => bytes.length / shape.reduce((a, b) => a * b, 1);
  const ordered = [...tensors].sort((a, b) => width(b) - width(a));
  const header: Header = { __metadata__: { format: "pt" } };
  let end = 0;
  for (const { name, dtype, shape, bytes } of ordered) {
    header[name] = { dtype, shape, data_offsets: [end, (end += bytes.length)] };
  }
  return [headerBytes(header), ...ordered.map(({ bytes }) => bytes as BlobPart)];
}

/** Reads any number of bytes from chunks of any size. */
class Bytes {
  readonly #file: string;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(file: string, chunks: AsyncIterable<Uint8Array>) {
    this.#file = file;
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns whether more bytes follow. */
  async more(): Promise<boolean> {
    while (!this.#rest.length) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }

  /**
   * Returns the next `count` bytes in a buffer of their own. Collects chunks up to an eighth of `count` before it
   * allocates all of it.
   */
  async take(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let taken: Uint8Array | undefined;
    for (let at = 0; ; ) {
      const part = this.#rest.subarray(0, count - at);
      this.#rest = this.#rest.subarray(part.length);
      if (taken) taken.set(part, at);
      else parts.push(part);
      at += part.length;
      if (!taken && at >= count / 8) {
        taken = new Uint8Array(count);
        taken.set(joined(parts));
      }
      if (at === count) return taken!;
      // The chunks of a file on disk or in memory may all be there, so that reading them alone does not return.
      await yieldToEventLoop();
      const { done, value } = await this.#chunks.next();
      if (done) throw bad(this.#file, `the file ends ${count - at} bytes too early`);
      this.#rest = value;
    }
  }
}

const bad = (file: string, what: string, cause?: unknown) =>
  new WebertError("bad_weights", `${file}: ${what}`, { cause });
