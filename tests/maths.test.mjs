// Random numbers, Fourier transforms, interpolation and medians, compared with Python's `random`, sums by definition, and manual results.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as webert from "../dist/node.js";
import { FFT, interpolate, interpolate_4d, rand, randn, random, rfft } from "../dist/node-compat.js";

const { medianFilter, Tensor } = webert;
const near = (got, want, tolerance = 1e-9) => {
  assert.equal(got.length, want.length);
  want.forEach((x, i) => assert.ok(Math.abs(got[i] - x) <= tolerance, `${i}: ${got[i]}, not ${x}`));
};
const times = (count, make) => Array.from({ length: count }, make);

test("results and errors of webert/compat are instances of the classes of webert", async () => {
  assert.ok((await rfft(new Tensor("float32", [1, 2], [2]), new Tensor("int64", [0n], []))) instanceof Tensor);
  assert.ok(rand([2]) instanceof Tensor);
  assert.throws(() => new FFT(0), webert.WebertError);
  assert.throws(() => random.seed(0.5), webert.WebertError);
  const main = Object.keys(webert);
  for (const name of ["FFT", "rfft", "interpolate", "interpolate_4d", "random", "rand", "randn"])
    assert.ok(!main.includes(name), name);
});

test("random returns the numbers of Python's random", () => {
  const cases = [
    [42, [0.6394267984578837, 0.025010755222666936, 0.27502931836911926]],
    [2 ** 40 + 17, [0.6614192930187859, 0.24151842637090726]],
    [-7, [0.32383276483316237]],
    [0, [0.8444218515250481]],
  ];
  for (const [seed, expected] of cases) {
    random.seed(seed);
    assert.deepEqual(
      expected.map(() => random.random()),
      expected,
    );
  }
  random.seed(42);
  assert.equal(times(701, () => random.random())[700], 0.6476347234024807); // beyond the first 624 words
  random.seed(99);
  assert.deepEqual(
    times(3, () => random.gauss(5, 2)),
    [3.8995546045187948, 5.758236653956967, 5.653854573190089],
  );
  const letters = [..."abcdefghij"];
  random.seed(7);
  random.shuffle(letters);
  assert.equal(letters.join(""), "idbehajgcf");
  random.seed(42);
  assert.deepEqual(
    times(12, () => random.choices([0, 1, 2, 3, 4], [0.1, 0.2, 0.3, 0.25, 0.15])),
    [3, 0, 1, 1, 3, 3, 4, 0, 2, 0, 1, 2],
  );
});

test("generators are independent, and differ without a seed", () => {
  random.seed(1);
  const [a, b] = [new random.Random(5), new random.Random(5)];
  const first = random.random();
  assert.equal(a.random(), b.random());
  a.gauss();
  a.seed(5);
  b.seed(5);
  assert.equal(a.gauss(), b.gauss()); // no number is left from before
  random.seed(1);
  assert.equal(random.random(), first);
  assert.notEqual(new random.Random().random(), new random.Random().random());
  for (const seed of [0.5, 2 ** 53, "1"]) assert.throws(() => random.seed(seed), { code: "bad_input" });
  for (const [population, weights] of [
    [[], []],
    [[1, 2], [1]],
    [
      [1, 2],
      [0, 0],
    ],
  ])
    assert.throws(() => random.choices(population, weights), { code: "bad_input" });
});

test("a seed repeats rand and randn", () => {
  const drawn = () => {
    random.seed(3);
    return [rand([2, 3]).tolist(), randn([4]).tolist()];
  };
  assert.deepEqual(drawn(), drawn());
  assert.notDeepEqual(rand([3]).tolist(), rand([3]).tolist());
});

/** The transform by its definition. */
function dft(re, im) {
  const n = re.length;
  return re.flatMap((_, k) => {
    const sum = [0, 0];
    re.forEach((_, j) => {
      const angle = (-2 * Math.PI * ((j * k) % n)) / n;
      sum[0] += re[j] * Math.cos(angle) - im[j] * Math.sin(angle);
      sum[1] += re[j] * Math.sin(angle) + im[j] * Math.cos(angle);
    });
    return sum;
  });
}

test("FFT equals its defining sum for every length", () => {
  random.seed(11);
  for (const size of [1, 2, 3, 4, 5, 7, 8, 12, 31, 64, 100, 127, 256]) {
    const [re, im] = [0, 1].map(() => times(size, () => random.gauss()));
    const fft = new FFT(size);
    assert.equal(fft.isPowerOfTwo, [1, 2, 4, 8, 64, 256].includes(size));
    const output = new Float64Array(fft.outputBufferSize);
    fft.transform(
      output,
      re.flatMap((x, i) => [x, im[i]]),
    );
    near(output, dft(re, im), 1e-10);
    fft.realTransform(output, re);
    near(
      output,
      dft(
        re,
        re.map(() => 0),
      ),
      1e-10,
    );
  }
  assert.throws(() => new FFT(0), { code: "bad_input" });
  assert.throws(() => new FFT(4).realTransform(new Float64Array(8), [1, 2, 3]), { code: "bad_input" });
  assert.throws(() => new FFT(4).realTransform(new Float64Array(4), [1, 2, 3, 4]), { code: "bad_input" });
});

test("rfft transforms the rows of the last axis", async () => {
  const last = new Tensor("int64", [-1n], []);
  const odd = await rfft(new Tensor("float32", [0, 1, 2, 3, 4, 5], [2, 3]), last);
  assert.deepEqual(odd.dims, [2, 2, 2]);
  const height = Math.sqrt(3) / 2;
  near(odd.data, [3, 0, -1.5, height, 12, 0, -1.5, height], 1e-6);
  const even = await rfft(new Tensor("float64", [0, 1, 2, 3], [1, 4]), new Tensor("int64", [1n], []));
  assert.deepEqual(even.dims, [1, 3, 2]);
  near(even.data, [6, 0, -2, 2, -2, 0]);
  await assert.rejects(rfft(new Tensor("float32", [0, 1, 2, 3], [2, 2]), new Tensor("int64", [0n], [])), {
    code: "bad_input",
  });
});

test("interpolate resizes the last two axes", async () => {
  const plane = new Tensor("float32", [0, 1, 2, 3], [1, 2, 2]);
  const steps = [0, 0.25, 0.75, 1];
  const bilinear = interpolate(plane, [4, 4]);
  assert.deepEqual(bilinear.dims, [1, 4, 4]);
  near(
    bilinear.data,
    steps.flatMap((y) => steps.map((x) => x + 2 * y)),
    1e-6,
  );
  near(interpolate(plane, [1, 3], "bilinear", true).data, [0, 0.5, 1], 1e-6);
  near(interpolate(plane, [2, 4], "nearest").data, [0, 0, 1, 1, 2, 2, 3, 3]);
  // Keys' weights with slope -0.75 at distances 1.75, 0.75, 0.25 and 1.25
  const impulse = new Tensor("float64", [0, 0, 1, 0, 0, 0], [1, 6]);
  near(
    interpolate(impulse, [1, 12], "bicubic").data.slice(1, 9),
    [-0.03515625, -0.10546875, 0.26171875, 0.87890625, 0.87890625, 0.26171875, -0.10546875, -0.03515625],
  );
  const four = new Tensor(
    "float32",
    times(24, (_, i) => i),
    [2, 3, 2, 2],
  );
  for (const size of [
    [4, 4],
    [3, 4, 4],
    [2, 3, 4, 4],
  ]) {
    const resized = await interpolate_4d(four, { size });
    assert.deepEqual(resized.dims, [2, 3, 4, 4]);
    near(resized[1][2].data, interpolate(four[1][2], [4, 4]).data);
  }
  for (const options of [{}, { size: [4, 4, 4] }, { size: [0, 4] }, { size: [4, 4], mode: "trilinear" }])
    await assert.rejects(interpolate_4d(four, options), { code: "bad_input" });
  for (const [input, size] of [
    [plane, [4]],
    [plane, [4, 0]],
    [new Tensor("float32", [1, 2], [2]), [1, 1]],
  ])
    assert.throws(() => interpolate(input, size), {
      code: "bad_input",
      message: /cannot resize .* to height and width/,
    });
});

test("medianFilter takes the median of each window, mirrored at the ends", () => {
  assert.deepEqual(medianFilter([9, 1, 5, 2, 8], 3), [1, 5, 2, 5, 2]);
  assert.deepEqual(medianFilter(new Float32Array([9, 1, 5, 2, 8]), 5), new Float32Array([5, 2, 5, 2, 5]));
  assert.deepEqual(medianFilter([3, 1], 1), [3, 1]);
  for (const size of [0, 2, 2.5, 5]) assert.throws(() => medianFilter([1, 2], size), { code: "bad_input" });
});

test("webert/compat has the classes of webert in a page, too", async () => {
  const [page, compat] = await Promise.all([import("../dist/index.js"), import("../dist/compat.js")]);
  assert.ok(compat.rand([2]) instanceof page.Tensor);
  assert.throws(() => new compat.FFT(0), page.WebertError);
  assert.deepEqual(Object.keys(compat).sort(), Object.keys(await import("../dist/node-compat.js")).sort());
});
