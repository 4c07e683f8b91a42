// The comparison of a measured GPU with the CPU, for "auto". kernels.ts exports it.

/** Tokens of the text by which "auto" compares the devices. */
const TOKENS = 16;
/** Rows and columns of the layer that the GPU is measured with, over 16 rows. */
const WIDTH = 768;
/** Dispatches of a layer of the encoder. */
const DISPATCHES = 7;
/** Share of the peak that the CPU's kernels reach over 16 tokens: docs/benchmarks.md has the times. */
const SHARE = { relaxed: 0.7, simd128: 1 };
/** How much a further thread adds over 16 tokens. */
const FURTHER_THREAD = 0.6;
/** Threads that "auto" compares with. */
const MOST_THREADS = 4;

/** Work of a model. */
export interface Work {
  /** Multiply-adds per token. */
  multiplyAdds: number;
  layers: number;
}

/**
 * Returns why a GPU with these measured kernels is slower than the CPU for a text of 16 tokens, or undefined if it is
 * not, or if nothing was measured. `threads` is the number of CPU threads that can be used.
 */
export function slowerThanCpu(text: string, { multiplyAdds, layers }: Work, threads: number): string | undefined {
  const [head = "", ...lines] = text.split("\n");
  const [, , request = 0, dispatch = 0] = head.split(" ").map(Number);
  // The slowest precision counts: a model's files decide which one is used.
  const nanos = (shape: string) =>
    Math.max(0, ...lines.map((line) => Number(new RegExp(`^(?:~ )?linear_\\w+ ${shape} (\\d+)`).exec(line)?.[1] ?? 0)));
  // A slow device has no time for more than three rows. Sixteen take it six times as long at most.
  const layer = nanos("short") || nanos("few") * 6;
  if (!layer || !Number.isFinite(multiplyAdds)) return undefined;
  const gpu = request / 1e3 + (layers * DISPATCHES * dispatch) / 1e6 + ((multiplyAdds / WIDTH ** 2) * layer) / 1e6;
  const useful = 1 + (Math.min(threads, MOST_THREADS) - 1) * FURTHER_THREAD;
  const cpu = ((multiplyAdds * TOKENS) / (cpuSpeed() * useful)) * 1e3;
  if (gpu <= cpu) return undefined;
  return `measured here, ${TOKENS} tokens take the GPU about ${gpu.toFixed(1)} ms and the CPU ${cpu.toFixed(1)} ms`;
}

let speed: number | undefined;

/** Returns the multiply-adds per second of the CPU's kernels over short texts, on one thread. Measures once. */
function cpuSpeed(): number {
  if (speed) return speed;
  const relaxed = probe(true);
  const isRelaxed = WebAssembly.validate(relaxed);
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(isRelaxed ? relaxed : probe(false))).exports;
  const run = f as (repetitions: number) => number;
  const [repetitions, work] = [2000, 12 * (isRelaxed ? 16 : 4)];
  let least = Infinity;
  // The engine compiles the function for speed after some calls.
  for (const end = performance.now() + 8; performance.now() < end; ) {
    const start = performance.now();
    for (let n = 0; n < 10; n++) run(repetitions);
    // Browsers round the clock to 0.1 ms at most.
    least = Math.min(least, Math.max(performance.now() - start, 0.05));
  }
  speed = ((10 * repetitions * work) / least) * 1e3 * SHARE[isRelaxed ? "relaxed" : "simd128"];
  return speed;
}

/**
 * Returns a WebAssembly module whose function `f` repeats twelve multiply-adds of vectors: `i32x4.relaxed_dot_…_add_s`,
 * or of four floats.
 */
function probe(isRelaxed: boolean): Uint8Array<ArrayBuffer> {
  const numbers = Array.from({ length: 12 }, (_, n) => n + 2);
  const step = (n: number) =>
    isRelaxed ? [32, n, 32, 1, 32, n, 253, 147, 2, 33, n] : [32, n, 32, 1, 253, 230, 1, 32, 1, 253, 228, 1, 33, n];
  const sum = numbers.flatMap((n) => [32, n, 253, 174, 1]);
  const loop = [3, 64, ...numbers.flatMap(step), 32, 0, 65, 1, 107, 34, 0, 13, 0, 11];
  const code = [1, 13, 123, ...loop, 32, 1, ...sum, 253, 27, 0, 11];
  const long = (bytes: number[]) => [128 | (bytes.length & 127), bytes.length >> 7, ...bytes];
  const start = [0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0];
  return new Uint8Array([...start, 10, ...long([1, ...long(code)])]);
}
