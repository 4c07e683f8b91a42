// Conversions between F32 and the smaller types of weights: F16, BF16 and int8 with a scale per row.

/** Returns floats of any width as F32; undefined for other types. `bytes` must be aligned. */
export function widen(dtype: string, { buffer }: Uint8Array): Float32Array | undefined {
  switch (dtype) {
    case "F32":
      return new Float32Array(buffer);
    case "F64":
      return Float32Array.from(new Float64Array(buffer));
    case "F16":
      return Float32Array.from(new Uint16Array(buffer), fromHalf);
    case "BF16":
      return new Float32Array(Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer);
    default:
      return undefined;
  }
}

function fromHalf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 1 + fraction / 1024 : fraction / 512) * 2 ** (exponent - 15);
}

/** Rounds the `cols` values from an index on to int8. Returns their scale as the bits of a BF16 number. */
export function roundRow(values: Float32Array, integers: Int8Array, from: number, cols: number): number {
  let greatest = 0;
  for (let i = from; i < from + cols; i++) greatest = Math.max(greatest, Math.abs(values[i]!));
  const stored = ceilToBfloat16(greatest / 127);
  const scale = fromBfloat16(stored);
  const inverse = scale > 0 ? 1 / scale : 0;
  for (let i = from; i < from + cols; i++) integers[i] = Math.round(values[i]! * inverse);
  return stored;
}

const scratch = new Float32Array(1);
const bits = new Uint32Array(scratch.buffer);

/** Returns the smallest BF16 number that is at least `value`, which must not be negative. */
function ceilToBfloat16(value: number): number {
  scratch[0] = value;
  return (bits[0]! + 0xffff) >>> 16;
}

function fromBfloat16(stored: number): number {
  bits[0] = stored << 16;
  return scratch[0]!;
}

/** Rounds to the nearest half float, ties to even. */
export function toHalf(value: number): number {
  const magnitude = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  // Adding 1.5 · 2^23 times the result's last place makes the float32 addition round to that place.
  const step = 2 ** (Math.max(-14, Math.floor(Math.log2(magnitude || 1))) - 10);
  scratch[0] = magnitude / step + 0x800000;
  const rounded = (bits[0]! - 0x4b000000) * step;
  if (rounded < 2 ** -14) return sign | (rounded * 2 ** 24);
  scratch[0] = rounded;
  return sign | ((bits[0]! >> 13) - (112 << 10));
}
