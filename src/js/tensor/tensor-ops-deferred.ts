// The functions over Tensors that return promises in transformers.js. Their code is fetched by the first call.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";
import { indexIn, product } from "./axes.js";
import { allocate, type TensorType } from "./element-types.js";
import { floats, gather, Tensor } from "./tensor.js";

/** Implements `matmul` of tensor-ops.ts. */
export async function matmul<T extends TensorType>(a: Tensor<T>, b: Tensor<T>): Promise<Tensor<T>> {
  const [n, k] = a.dims.slice(-2);
  const [rows, m] = b.dims.slice(-2);
  const outer = a.dims.slice(0, -2);
  const shared = b.dims.length === 2;
  if (
    a.dims.length < 2 ||
    k !== rows ||
    a.type !== b.type ||
    (!shared && String(b.dims.slice(0, -2)) !== String(outer))
  ) {
    throw new WebertError(
      "bad_input",
      `matmul: ${a.type} [${a.dims.join(", ")}] cannot be multiplied by ${b.type} [${b.dims.join(", ")}]`,
    );
  }
  floats("matmul", a);
  const data = allocate(a.type, product(outer) * n! * m!);
  const [x, y, z] = [a.data, b.data, data] as Float64Array[];
  const row = new Float64Array(m!);
  for (let i = 0; i < z!.length / m!; i++) {
    row.fill(0);
    const from = shared ? 0 : Math.floor(i / n!) * k! * m!;
    for (let j = 0; j < k!; j++) {
      const factor = x![i * k! + j]!;
      for (let c = 0; c < m!; c++) row[c]! += factor * y![from + j * m! + c]!;
    }
    z!.set(row, i * m!);
  }
  return new Tensor(a.type, data, [...outer, n!, m!]);
}

/** Implements `topk` of tensor-ops.ts. */
export async function topk<T extends TensorType>(
  x: Tensor<T>,
  k?: number | null,
): Promise<[Tensor<T>, Tensor<"int64">]> {
  const width = x.dims.at(-1) ?? 0;
  const count = Math.min(k ?? width, width);
  if (!x.dims.length || !Number.isInteger(count) || count < 0)
    throw new WebertError("bad_input", `topk: k is ${shown(k)}, for a Tensor of dims [${x.dims.join(", ")}]`);
  const dims = [...x.dims.slice(0, -1), count];
  const [values, indices] = [allocate(x.type, product(dims)), allocate("int64", product(dims))];
  const [from, into] = [x.data, values] as Float64Array[];
  for (let row = 0; row * count < indices.length; row++) {
    const order = Array.from({ length: width }, (_, i) => i);
    order.sort((i, j) =>
      from![row * width + i]! < from![row * width + j]!
        ? 1
        : from![row * width + i]! > from![row * width + j]!
          ? -1
          : i - j,
    );
    for (let i = 0; i < count; i++) {
      into![row * count + i] = from![row * width + order[i]!]!;
      indices[row * count + i] = BigInt(order[i]!);
    }
  }
  return [new Tensor(x.type, values, dims), new Tensor("int64", indices, dims)];
}

/** Implements `slice` of tensor-ops.ts. */
export async function slice<T extends TensorType>(
  data: Tensor<T>,
  starts: readonly number[],
  ends: readonly number[],
  axes: readonly number[],
  steps: readonly number[] = axes.map(() => 1),
): Promise<Tensor<T>> {
  const indices = data.dims.map((length) => Array.from({ length }, (_, i) => i));
  axes.forEach((axis, i) => {
    const at = indexIn(axis, data.dims.length);
    const length = data.dims[at]!;
    const step = steps[i]!;
    if (!Number.isInteger(step) || !step)
      throw new WebertError("bad_input", `slice: the step of axis ${axis} is ${shown(step)}`);
    const bound = (value: number) =>
      Math.min(Math.max(value < 0 ? value + length : value, step < 0 ? -1 : 0), step < 0 ? length - 1 : length);
    const [start, end] = [bound(starts[i]!), bound(ends[i]!)];
    indices[at] = Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, n) => start + n * step);
  });
  return new Tensor(
    data.type,
    gather(data, indices),
    indices.map(({ length }) => length),
  );
}
