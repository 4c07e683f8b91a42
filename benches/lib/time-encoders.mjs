// Times encoders over WebGPU, in a page or in Node: the package's and onnxruntime-web's. `log(line)` receives each result as soon as it is there.

/** Options of the benchmarks that use this, for parseArgs. */
export const OPTIONS = {
  peer: { type: "string" },
  models: { type: "string", default: "MiniLM,BERT-base" },
  dtype: { type: "string", default: "fp32,fp16,q8" },
  batches: { type: "string", default: "1x16,1x128,1x512,32x128" },
  seconds: { type: "string", default: "1" },
};

/** Returns the batches, pairs of sequences and tokens, and the seconds of these options. */
export const timingOf = ({ batches, seconds }) => ({
  batches: batches.split(",").map((batch) => batch.split("x").map(Number)),
  seconds: Number(seconds),
});

/** The median milliseconds of a call in `seconds`, after as long a time that is not counted: a GPU raises its clock only under load. */
async function median(call, seconds) {
  const times = [];
  for (const isCounted of [false, true]) {
    const end = performance.now() + seconds * 1000;
    for (let runs = 0; runs < 5 || performance.now() < end; runs++) {
      const start = performance.now();
      await call();
      if (isCounted) times.push(performance.now() - start);
    }
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

async function lineOf(name, call, { batches, seconds }) {
  const times = [];
  for (const batch of batches)
    times.push(`${batch.join("x")} ${(await median(() => call(...batch), seconds)).toFixed(2)} ms`);
  return `${name}: ${times.join(", ")}`;
}

/** A text of as many tokens. */
const text = (tokens, seed) =>
  Array.from(
    { length: tokens - 2 },
    (_, n) => ["time", "house", "the", "a", "green", "water"][(n * 7 + seed) % 6],
  ).join(" ");

/** The milliseconds of the first answer, of the time until the kernels are chosen, and of the longest call meanwhile. */
async function timeChoice(pipe) {
  const call = async () => {
    const start = performance.now();
    await pipe(text(16, 0), { pooling: "cls" });
    return performance.now() - start;
  };
  const first = await call();
  const start = performance.now();
  let longest = 0;
  while (pipe.info.kernels.pending) {
    longest = Math.max(longest, await call());
    await new Promise((done) => setTimeout(done, 5));
  }
  return { first, chosen: performance.now() - start, longest };
}

/**
 * Times the package's vectors of [CLS] in `dtype` for each of `batches`, pairs of sequences and tokens. `entry`: the URL of the package's code;
 * `models`: a URL with a slash at the end. `worker`: as the option of pipeline().
 */
export async function timeWebert({ entry, models, model, dtype, worker, log, ...how }) {
  const { pipeline, env } = await import(entry);
  env.useBrowserCache = false;
  const start = performance.now();
  const pipe = await pipeline("feature-extraction", `${models}${model}/`, { device: "webgpu", dtype, worker });
  const loaded = performance.now() - start;
  const { first, chosen, longest } = await timeChoice(pipe);
  const texts = new Map(
    how.batches.map(([count, tokens]) => [
      `${count}x${tokens}`,
      Array.from({ length: count }, (_, n) => text(tokens, n)),
    ]),
  );
  const call = (count, tokens) => pipe(texts.get(`${count}x${tokens}`), { pooling: "cls" });
  log(await lineOf(`webert ${model} ${dtype}`, call, how));
  log(
    `  loaded in ${loaded.toFixed(0)} ms, first answer ${first.toFixed(1)} ms, kernels chosen after ${chosen.toFixed(0)} ms, ` +
      `longest call meanwhile ${longest.toFixed(1)} ms, measured for ${pipe.info.kernels.milliseconds.toFixed(0)} ms`,
  );
  log(`  kernels: ${JSON.stringify(pipe.info.kernels.chosen)}`);
  await pipe.dispose();
}

/** Times onnxruntime-web until the last state is read. `entry`: the URL of its code for WebGPU; `graph`: the bytes of the ONNX file. */
export async function timeOnnxruntime({ entry, graph, model, log, ...how }) {
  const { InferenceSession, Tensor, env } = await import(entry);
  env.wasm.wasmPaths = new URL("./", entry).href;
  env.wasm.numThreads = 1;
  const session = await InferenceSession.create(graph, { executionProviders: ["webgpu"], logSeverityLevel: 3 });
  const call = async (count, tokens) => {
    const dims = [count, tokens];
    const ids = BigInt64Array.from({ length: count * tokens }, (_, n) => BigInt(1000 + (n % 97)));
    const input_ids = new Tensor("int64", ids, dims);
    const attention_mask = new Tensor("int64", new BigInt64Array(count * tokens).fill(1n), dims);
    await (await session.run({ input_ids, attention_mask })).last_hidden_state.getData();
  };
  log(await lineOf(`onnxruntime-web ${env.versions.web} ${model} fp32`, call, how));
  await session.release();
}
