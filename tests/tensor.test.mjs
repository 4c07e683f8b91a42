// Tensor and the functions over numbers, with numbers that can be checked by hand or with NumPy.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as webert from "../dist/node.js";
import { rand, randn } from "../dist/node-compat.js";

const { Tensor, cat, stack, topk, matmul, quantize_embeddings } = webert;
const range = (size) => Array.from({ length: size }, (_, i) => i);
const f32 = (data, ...dims) => new Tensor("float32", data, dims.length ? dims : [data.length]);
const cube = () => f32(range(24), 2, 3, 4);
const near = (got, want, tolerance = 1e-6) => {
  const [a, b] = [got, want].map((value) =>
    [value instanceof Tensor ? value.tolist() : Array.isArray(value) ? value : [...value]].flat(9).map(Number),
  );
  assert.equal(a.length, b.length);
  a.forEach((x, i) =>
    assert.ok(Math.abs(x - b[i]) <= tolerance * Math.max(1, Math.abs(b[i])), `${i}: ${x}, not ${b[i]}`),
  );
};
const refuses = (work, pattern) =>
  assert.throws(
    work,
    (error) => error.name === "WebertError" && error.code === "bad_input" && pattern.test(error.message),
  );

test("every type has its typed array, and tolist returns its kind of number", () => {
  const arrays = {
    float32: Float32Array,
    float64: Float64Array,
    int8: Int8Array,
    uint8: Uint8Array,
    int16: Int16Array,
    uint16: Uint16Array,
    int32: Int32Array,
    uint32: Uint32Array,
    int64: BigInt64Array,
    uint64: BigUint64Array,
    bool: Uint8Array,
  };
  for (const [type, array] of Object.entries(arrays)) {
    const tensor = new Tensor(type, [1, 0, 1], [3]);
    assert.ok(tensor.data instanceof array, type);
    assert.deepEqual(tensor.tolist(), type.endsWith("int64") ? [1n, 0n, 1n] : [1, 0, 1]);
    assert.equal(new Tensor(type, array.of(tensor.data[0]), []).item(), tensor.data[0]);
  }
  assert.equal(new Tensor("float16", [1], [1]).size, 1);
  assert.deepEqual(new Tensor("bool", [true, false], [2]).tolist(), [1, 0]);
  refuses(() => new Tensor("string", ["a"], [1]), /type of float32, .*got string/);
  refuses(() => new Tensor("int8", [1.5], [1]), /element 0 of a Tensor: expected int8, got 1\.5/);
  refuses(() => new Tensor("int8", new Uint8Array(1), [1]), /Int8Array/);
});

test("an index returns a part of the first axis in the same memory; other properties cost nothing", () => {
  const tensor = cube();
  assert.deepEqual(tensor[1].dims, [3, 4]);
  assert.deepEqual(tensor[1][2].tolist(), [20, 21, 22, 23]);
  assert.equal(tensor[-1][-1][-1].item(), 23);
  assert.deepEqual(tensor[0][0][0].dims, []);
  tensor[1][0].data[3] = -1;
  assert.equal(tensor.data[15], -1);
  refuses(() => tensor[2], /index 2 is out of bounds for axis 0/);
  refuses(() => f32([1], 1)[0][0], /index 0 is out of bounds/);
  assert.equal(tensor.nothing, undefined);
  assert.equal(tensor.then, undefined, "can be awaited");
  assert.deepEqual(Object.keys(tensor), ["type", "data", "dims"]);
  assert.ok(tensor instanceof Tensor && `${tensor}` === "[object Object]");
  assert.deepEqual([...f32([3, 4])], [3, 4]);
  assert.deepEqual(
    [...cube()].map(({ dims }) => dims),
    [
      [3, 4],
      [3, 4],
    ],
  );
});

test("slice: positions, ranges, all of an axis", () => {
  const tensor = cube();
  assert.deepEqual(tensor.slice(1).dims, [3, 4]);
  assert.deepEqual(tensor.slice(null, 0).tolist(), [
    [0, 1, 2, 3],
    [12, 13, 14, 15],
  ]);
  assert.deepEqual(tensor.slice([0, 1], [1, null], [null, -2]).tolist(), [
    [
      [4, 5],
      [8, 9],
    ],
  ]);
  assert.deepEqual(tensor.slice(-1, -1, -1).tolist(), 23);
  assert.deepEqual(tensor.slice(null, [0, 99]).dims, [2, 3, 4]);
  assert.deepEqual(tensor.slice([1, 1]).dims, [0, 3, 4]);
  tensor.slice().data[0] = 9;
  assert.equal(tensor.data[0], 0, "a copy");
  refuses(() => tensor.slice(2), /index 2/);
  refuses(() => tensor.slice([2, 1]), /ends before it starts/);
  refuses(() => tensor.slice([0, 1, 2]), /slice: expected a position/);
});

test("dims: view, squeeze, unsqueeze, flatten, permute, repeat", () => {
  const tensor = cube();
  assert.deepEqual(tensor.view(4, -1).dims, [4, 6]);
  assert.equal(tensor.reshape(24).data, tensor.data);
  refuses(() => tensor.view(5, -1), /dims/);
  refuses(() => tensor.view(-1, -1), /at most one/);
  const thin = f32([1, 2], 1, 2, 1);
  assert.deepEqual(thin.squeeze().dims, [2]);
  assert.deepEqual(
    [thin.squeeze(0).dims, thin.squeeze(-1).dims, thin.squeeze(1).dims, thin.squeeze([0, 2]).dims],
    [[2, 1], [1, 2], [1, 2, 1], [2]],
  );
  assert.equal(thin.squeeze_(), thin);
  assert.deepEqual(thin.unsqueeze_(-1).dims, [2, 1]);
  assert.deepEqual(
    [tensor.unsqueeze(0).dims, tensor.unsqueeze(-1).dims],
    [
      [1, 2, 3, 4],
      [2, 3, 4, 1],
    ],
  );
  refuses(() => tensor.unsqueeze(5), /index 5/);
  assert.deepEqual([tensor.flatten().dims, tensor.flatten(1).dims, tensor.flatten(0, 1).dims], [[24], [2, 12], [6, 4]]);
  const turned = tensor.permute(2, 0, 1);
  assert.deepEqual(
    [turned.dims, turned.stride(), turned.data.slice(0, 6)],
    [[4, 2, 3], [6, 3, 1], Float32Array.of(0, 4, 8, 12, 16, 20)],
  );
  assert.deepEqual(turned.transpose(1, 2, 0).tolist(), tensor.tolist());
  assert.deepEqual(webert.permute(f32([1, 2, 3, 4], 2, 2), [1, 0]).tolist(), [
    [1, 3],
    [2, 4],
  ]);
  refuses(() => tensor.permute(0, 1), /expected each axis once/);
  assert.deepEqual(f32([1, 2]).repeat(2, 2).tolist(), [
    [1, 2, 1, 2],
    [1, 2, 1, 2],
  ]);
  assert.deepEqual(f32([1, 2, 3, 4], 2, 2).tile(2).tolist(), [
    [1, 2, 1, 2],
    [3, 4, 3, 4],
  ]);
  refuses(() => cube().repeat(2), /a number for each/);
});

test("element by element, in place and not", () => {
  const tensor = f32([-2, 0, 3]);
  assert.deepEqual(
    [tensor.mul(2), tensor.div(2), tensor.add(1), tensor.sub(1), tensor.neg()].map((t) => t.tolist()),
    [
      [-4, 0, 6],
      [-1, 0, 1.5],
      [-1, 1, 4],
      [-3, -1, 2],
      [2, -0, -3],
    ],
  );
  near(tensor.remainder(2), [0, 0, 1]);
  assert.deepEqual(f32([-1, 5]).remainder(3).tolist(), [2, 2]); // as in Python
  assert.deepEqual(tensor.clamp(-1, 2).tolist(), [-1, 0, 2]);
  assert.deepEqual(
    [tensor.clamp(null, 2).tolist(), tensor.clamp(0, null).tolist()],
    [
      [-2, 0, 2],
      [0, 0, 3],
    ],
  );
  assert.deepEqual(f32([0.4, 1.5, -1.6]).round().tolist(), [0, 2, -2]);
  near(f32([0, Math.log(3)]).sigmoid(), [0.5, 0.75]);
  assert.deepEqual([tensor.gt(0).tolist(), tensor.lt(0).tolist(), tensor.gt(0).type], [[0, 0, 1], [1, 0, 0], "bool"]);
  assert.deepEqual(tensor.map((x, i) => x * i).tolist(), [-0, 0, 6]);
  assert.deepEqual(tensor.tolist(), [-2, 0, 3], "unchanged");
  assert.equal(tensor.mul_(2).add_(1), tensor);
  assert.deepEqual(tensor.tolist(), [-3, 1, 7]);
  const big = new Tensor("int64", [1n, 2n], [2]);
  assert.deepEqual(
    [big.mul(3).tolist(), big.add(1n).tolist(), big.clamp(2, 5).tolist(), big.sum().item()],
    [[3n, 6n], [2n, 3n], [2n, 2n], 3n],
  );
  refuses(() => big.mul(0.5), /whole number, got 0\.5/);
  refuses(() => big.div(0), /divided by 0/);
  refuses(() => tensor.add("1"), /expected a number, got/);
});

test("to another type", () => {
  const tensor = f32([1.7, -1.7, 300]);
  assert.equal(tensor.to("float32"), tensor);
  assert.deepEqual(
    [tensor.to("int32").tolist(), tensor.to("uint8").tolist(), tensor.to("int64").tolist()],
    [
      [1, -1, 300],
      [1, 255, 44],
      [1n, -2n, 300n],
    ],
  );
  assert.deepEqual(new Tensor("int64", [5n], [1]).to("float32").tolist(), [5]);
  refuses(() => tensor.to("string"), /type string/);
});

test("sums, means, extremes and norms, of all and along an axis", () => {
  const tensor = f32([1, -2, 3, 4, 5, -6], 2, 3);
  assert.deepEqual(
    [tensor.sum().item(), tensor.sum(0).tolist(), tensor.sum(-1).tolist(), tensor.sum(1, true).dims],
    [5, [5, 3, -3], [2, 3], [2, 1]],
  );
  near(tensor.mean(1), [2 / 3, 1]);
  near(
    webert.mean(cube(), 1),
    range(8).map((i) => (i < 4 ? i + 4 : i + 12)),
  );
  assert.deepEqual(
    [tensor.min().item(), tensor.max().item(), tensor.min(0).tolist(), tensor.max(1).tolist()],
    [-6, 5, [1, -2, -6], [3, 5]],
  );
  assert.deepEqual([tensor.argmin().item(), tensor.argmax().item(), tensor.argmax(0).tolist()], [5n, 4n, [1n, 1n, 0n]]);
  near(tensor.norm(), [Math.sqrt(91)]);
  near(tensor.norm(1, 1), [6, 15]); // absolute values, as PyTorch's
  near(tensor.norm(Infinity, 0), [4, 5, 6]);
  near(f32([3, 4, 0, 0], 2, 2).normalize(), [0.6, 0.8, 0, 0]); // zeros stay zeros, as PyTorch's
  near(f32([3, 1, 4, 0], 2, 2).normalize(2, 0), [0.6, 1, 0.8, 0]);
  assert.equal(new Tensor("int8", [-1, -2], [2]).mean().item(), -1);
  assert.deepEqual(new Tensor("int64", [7, 9], [2]).mean().item(), 8n);
  refuses(() => tensor.mean(2), /index 2/);
  refuses(() => f32([], 0).max(), /empty/);
  refuses(() => tensor.norm("nuc"), /norm: expected/);
  const [std, mean] = webert.std_mean(f32([2, 4, 4, 4, 5, 5, 7, 9], 2, 4), 1, 0);
  near(
    [std.tolist(), mean.tolist()],
    [
      [Math.sqrt(0.75), Math.sqrt(2.75)],
      [3.5, 6.5],
    ],
  );
  near(webert.std_mean(f32([2, 4, 4, 4, 5, 5, 7, 9]))[0], [Math.sqrt(32 / 7)]);
});

test("cat and stack", () => {
  const [a, b] = [f32([1, 2, 3, 4], 2, 2), f32([5, 6], 1, 2)];
  assert.deepEqual(cat([a, b]).tolist(), [
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  assert.deepEqual(cat([a, b.view(2, 1)], -1).tolist(), [
    [1, 2, 5],
    [3, 4, 6],
  ]);
  assert.deepEqual(cat([cube(), cube()], 1).slice(1, [2, 4], 0).tolist(), [20, 12]);
  assert.deepEqual(
    [stack([a, a]).dims, stack([a, a], 1).tolist(), stack([a, a], -1)[1].tolist()],
    [
      [2, 2, 2],
      [
        [
          [1, 2],
          [1, 2],
        ],
        [
          [3, 4],
          [3, 4],
        ],
      ],
      [
        [3, 3],
        [4, 4],
      ],
    ],
  );
  refuses(() => cat([a, b], 1), /cat along axis 1: expected the type and dims of/);
  refuses(() => cat([]), /non-empty array/);
  refuses(() => stack([1]), /array of Tensors/);
});

test("mean_pooling leaves out masked tokens, layer_norm equals PyTorch's", () => {
  const states = f32([1, 2, 3, 4, 100, 100, 5, 6, 7, 8, 9, 10], 2, 3, 2);
  const mask = new Tensor("int64", [1n, 1n, 0n, 1n, 1n, 1n], [2, 3]);
  assert.deepEqual(webert.mean_pooling(states, mask).tolist(), [
    [2, 3],
    [7, 8],
  ]);
  refuses(() => webert.mean_pooling(states, mask.view(3, 2)), /\[2, 3, 2\] and \[3, 2\]/);
  // ±1 / sqrt(1 + eps)
  near(webert.layer_norm(f32([0, 2, 0, 4], 2, 2), [2], { eps: 3 }), [-0.5, 0.5, -2 / Math.sqrt(7), 2 / Math.sqrt(7)]);
  refuses(() => webert.layer_norm(f32([0, 2, 0, 4], 2, 2), [4]), /normalized_shape/);
});

test("matmul, topk, slice by lists", async () => {
  const [a, b] = [f32([1, 2, 3, 4, 5, 6], 2, 3), f32([7, 8, 9, 10, 11, 12], 3, 2)];
  assert.deepEqual((await matmul(a, b)).tolist(), [
    [58, 64],
    [139, 154],
  ]);
  assert.deepEqual((await matmul(stack([a, a.mul(2)]), stack([b, b]))).tolist(), [
    [
      [58, 64],
      [139, 154],
    ],
    [
      [116, 128],
      [278, 308],
    ],
  ]);
  assert.deepEqual((await matmul(stack([a, a]), b)).dims, [2, 2, 2]);
  await assert.rejects(matmul(a, a), { code: "bad_input" });
  const [values, indices] = await topk(f32([1, 5, 3, 5, 9, 0, 0, 2], 2, 4), 3);
  assert.deepEqual(
    [values.tolist(), indices.tolist(), indices.type],
    [
      [
        [5, 5, 3],
        [9, 2, 0],
      ],
      [
        [1n, 3n, 2n],
        [0n, 3n, 1n],
      ],
      "int64",
    ],
  );
  assert.deepEqual((await topk(f32([1, 2]), 9))[0].tolist(), [2, 1]);
  assert.deepEqual((await webert.slice(cube(), [0, -1], [99, -4], [1, 2], [2, -2])).tolist()[1], [
    [15, 13],
    [23, 21],
  ]);
});

test("full, ones, zeros, rand", () => {
  assert.deepEqual(
    [webert.full([2], 1.5), webert.full([1], 3n), webert.full([2], true)].map(({ type, data }) => [type, ...data]),
    [
      ["float32", 1.5, 1.5],
      ["int64", 3n],
      ["bool", 1, 1],
    ],
  );
  assert.deepEqual(
    [webert.ones([2, 1]).tolist(), webert.zeros_like(cube()).dims, webert.ones_like(f32([1])).type],
    [[[1n], [1n]], [2, 3, 4], "int64"],
  );
  assert.deepEqual(webert.full_like(f32([1, 2]), 7).tolist(), [7, 7]);
  const { data } = rand([1000]);
  assert.ok(data.every((x) => x >= 0 && x < 1) && new Set(data).size > 900);
  const [std, mean] = webert.std_mean(randn([10_000])).map((t) => t.item());
  assert.ok(Math.abs(std - 1) < 0.1 && Math.abs(mean) < 0.1);
  refuses(() => webert.full([1], "1"), /string/);
});

test("cos_sim, dot, softmax and the rest of arrays", () => {
  near(
    [webert.cos_sim([1, 0], [1, 1]), webert.dot([1, 2], [3, 4]), webert.magnitude(Float32Array.of(3, 4))],
    [Math.SQRT1_2, 11, 5],
  );
  refuses(() => webert.cos_sim([1], [1, 2]), /same length/);
  near(webert.softmax([0, Math.log(3)]), [0.25, 0.75]);
  near(webert.softmax([1000, 1000]), [0.5, 0.5]);
  assert.ok(webert.softmax(Float32Array.of(1, 2)) instanceof Float32Array);
  near(webert.log_softmax([0, Math.log(3)]), [Math.log(0.25), Math.log(0.75)]);
  assert.deepEqual(webert.log_softmax([0, 2000]), [-2000, 0]);
  assert.deepEqual(
    [webert.max([1, 5, 5]), webert.min(BigInt64Array.of(3n, 2n))],
    [
      [5, 1],
      [2n, 1],
    ],
  );
  assert.deepEqual(
    [webert.round(1.2345, 2), webert.bankers_round(2.5), webert.bankers_round(-1.5), webert.bankers_round(1.2)],
    [1.23, 2, -2, 1],
  );
  refuses(() => webert.softmax([]), /empty/);
});

test("quantize_embeddings as sentence-transformers", () => {
  // numpy: packbits(x > 0), and for "binary" less 128
  const bits = f32([1, -1, 1, 0, -1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, 1], 1, 16);
  assert.deepEqual(quantize_embeddings(bits, "ubinary").tolist(), [[0b10100111, 1]]);
  assert.deepEqual(
    [quantize_embeddings(bits, "binary").tolist(), quantize_embeddings(bits).type],
    [[[0b10100111 - 128, -127]], "int8"],
  );
  const vectors = f32([0, -1, 255, 1, 51, 0], 3, 2);
  assert.deepEqual(quantize_embeddings(vectors, "uint8").tolist(), [
    [0, 0],
    [255, 255],
    [51, 127],
  ]);
  assert.deepEqual(quantize_embeddings(vectors, "int8").tolist(), [
    [-128, -128],
    [127, 127],
    [-77, 0],
  ]);
  assert.deepEqual(
    quantize_embeddings(vectors[2].unsqueeze(0), "uint8", { ranges: f32([0, 0, 510, 0], 2, 2) }).tolist(),
    [[25, 0]],
  );
  refuses(() => quantize_embeddings(vectors), /multiple of 8/);
  refuses(() => quantize_embeddings(vectors, "int4"), /one of binary/);
  refuses(() => quantize_embeddings(bits, "int8"), /ranges or several vectors/);
});
