// `convert`: writes the weights of a model as one smaller safetensors file.
import { type Tick, ticker } from "../abort.js";
import { control, type Platform, placeOf, wasmPaths } from "../engine/open.js";
import { WebertError } from "../errors.js";
import { onDemand } from "../on-demand.js";
import { check } from "../options/option-names.js";
import type { Source } from "../source.js";
import { openWeights, readOptionalConfig, type WeightFile } from "../sources/files.js";
import { roundRow, toHalf, widen } from "../sources/floats.js";
import { openFolder } from "../sources/open.js";
import { type FileTensor, readTensors, safetensors } from "../sources/safetensors.js";
import type { SourceOptions } from "../sources/source.js";
import { join } from "../sources/streams.js";
import { optionsOf } from "../values.js";

/** Options of `convert`. */
export interface ConvertOptions extends SourceOptions {
  /**
   * Type of the matrices. "q8" is int8 with one scale per row, a quarter of the size. "fp16" is half floats, half of
   * the size.
   */
  dtype: "q8" | "fp16";
}

/**
 * Returns a checkpoint's weights as one smaller safetensors file that every webert build loads. Matrices are stored
 * in `dtype`. Vectors (biases, LayerNorm) stay F32; they are about 0.1 % of the weights.
 */
export type Convert = (source: Source, options: ConvertOptions) => Promise<Blob>;

/** Creates `convert` for a platform. */
export function createConvert(platform: Platform): Convert {
  return async (source, options) => {
    try {
      return await convert(platform, source, options);
    } catch (error) {
      throw WebertError.from(error);
    }
  };
}

async function convert(platform: Platform, source: Source, given: ConvertOptions): Promise<Blob> {
  const options = optionsOf<ConvertOptions>(given);
  check("convert", options);
  const pack = options.dtype && Object.hasOwn(PACK, options.dtype) && PACK[options.dtype];
  if (!pack)
    throw new WebertError("unsupported", `dtype: expected one of q8, fp16, got ${JSON.stringify(options.dtype)}`);
  const reading = control(options);
  const folder = await openFolder(await placeOf(platform, source, options), platform.machine);
  const { files, needsAll } = await openWeights(folder, reading, await readOptionalConfig(folder, reading));
  const converted: FileTensor[] = [];
  const tick = ticker(reading.signal);
  for await (const file of files()) {
    const address = folder.address(file.name);
    const { size, bytes } = needsAll ? await safetensorsOf(platform, file) : file;
    for await (const tensor of readTensors(address, size, bytes)) {
      converted.push(...(await convertTensor(address, tensor, pack, tick)));
    }
  }
  return new Blob(safetensors(converted), { type: "application/octet-stream" });
}

/** Returns a PyTorch file as a safetensors file. */
export async function safetensorsOf(platform: Platform, { name, bytes }: WeightFile) {
  const { withSafetensors } = await onDemand(() => import("../engine/torch.js"));
  const whole = { [name]: await join(bytes) };
  const files = await withSafetensors(whole, wasmPaths(platform), platform.machine.readWasm);
  const made = Object.values(files)[0]!;
  const once = async function* () {
    yield made;
  };
  return { size: made.length, bytes: once() };
}

/** Rounds a matrix in pieces of whole rows, so that a page stays responsive. */
type Pack = (name: string, shape: number[], values: Float32Array, tick: Tick) => Promise<FileTensor[]>;

/** Numbers that are rounded between two ticks: about a millisecond. */
const PIECE = 1 << 16;

/** Yields the pieces of a matrix: the first row and the row after the last. Awaits `tick` before each. */
async function* pieces(rows: number, cols: number, tick: Tick): AsyncGenerator<[from: number, to: number]> {
  const step = Math.max(1, Math.floor(PIECE / cols));
  for (let from = 0; from < rows; from += step) {
    await tick();
    yield [from, Math.min(from + step, rows)];
  }
}

async function convertTensor(address: string, tensor: FileTensor, pack: Pack, tick: Tick): Promise<FileTensor[]> {
  const { name, dtype, shape, bytes } = tensor;
  if (dtype === "I8")
    throw new WebertError(
      "bad_weights",
      `${address}: ${name}: expected floats, got int8. Convert the original checkpoint instead.`,
    );
  const values = widen(dtype, bytes);
  // Buffers such as position_ids are not weights.
  if (!values) return [tensor];
  return shape.length === 2 ? pack(name, shape, values, tick) : [plain(name, "F32", shape, values)];
}

const PACK: Record<ConvertOptions["dtype"], Pack> = {
  async fp16(name, shape, values, tick) {
    const [rows, cols] = shape as [number, number];
    const halves = new Uint16Array(values.length);
    for await (const [from, to] of pieces(rows, cols, tick))
      for (let i = from * cols; i < to * cols; i++) halves[i] = toHalf(values[i]!);
    return [plain(name, "F16", shape, halves)];
  },
  /**
   * Rounds x / scale per row. The scale is the smallest BF16 number that is at least max|x| / 127; it is stored in
   * NAME_scale.
   */
  async q8(name, shape, values, tick) {
    const [rows, cols] = shape as [number, number];
    const scales = new Uint16Array(rows);
    const integers = new Int8Array(values.length);
    for await (const [from, to] of pieces(rows, cols, tick))
      for (let row = from; row < to; row++) scales[row] = roundRow(values, integers, row * cols, cols);
    return [plain(`${name}_scale`, "BF16", [rows], scales), plain(name, "I8", shape, integers)];
  },
};

function plain(
  name: string,
  dtype: string,
  shape: number[],
  values: Float32Array | Uint16Array | Int8Array,
): FileTensor {
  return { name, dtype, shape, bytes: new Uint8Array(values.buffer) };
}
