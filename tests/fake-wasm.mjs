// Replaces the generated glue, so that src/js can be tested alone. It counts what it loads. It answers at once or, if the input is "slow",
// after many ticks.

export const state = {
  loaded: [],
  /** The number of loaded encoders, and the models that were freed. */
  encoders: 0,
  freed: [],
  live: 0,
  running: 0,
  passing: 0,
  overlaps: 0,
  ticks: 0,
  released: 0,
  memories: [],
  gpu: "well",
  terminated: false,
};
export const memory = { code: (code, message) => Object.assign(new Error(message), { code }) };

/** The form in which the real side returns work: an object that takes a step and then rings to take the next. */
const job = (work) => ({
  step(done, wake) {
    if (!this.work)
      this.work = work()
        .then(
          (result) => {
            this.result = result;
          },
          (error) => {
            this.error = error;
          },
        )
        .then(wake);
    else if (this.error) throw this.error;
    else done(this.result);
  },
});

export default async function init() {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.isFull) throw new RangeError("the memory is full");
    return grow(pages);
  };
  state.memories.push(memory);
  return { memory };
}

export function release() {
  state.released++;
}

export class Loader {
  static open(files, options) {
    return job(async () => new Loader(files, options));
  }
  constructor(files, options, encoder) {
    if (!files["config.json"]) throw memory.code("bad_config", "no config.json");
    const text = new TextDecoder().decode(files["config.json"]);
    try {
      this.config = JSON.parse(text);
    } catch {
      throw memory.code("bad_config", "config.json: not valid JSON");
    }
    this.names = Object.keys(files).sort();
    this.options = options;
    this.files = [];
    this.encoder = encoder ?? {
      models: 0,
      id: ++state.encoders,
      device: options.device,
      size: this.config?.hidden_size,
    };
    this.isAttached = encoder !== undefined;
    const index = files["model.safetensors.index.json"];
    this.map = index && JSON.parse(new TextDecoder().decode(index)).weight_map;
  }
  /** The shards of an index that have tensors of the head, whose names begin with "head". */
  wants(name) {
    if (!this.isAttached || !this.map) return true;
    return Object.entries(this.map).some(([tensor, file]) => file === name && tensor.startsWith("head"));
  }
  begin_file(name) {
    this.files.push({ name, bytes: 0 });
    this.isHead = !this.isAttached || this.map !== undefined;
    this.seen = "";
  }
  /** The first 10 bytes of a file with an encoder and a head contain the offset of the head. */
  skippable() {
    const { bytes, skipped = 0 } = this.files.at(-1);
    const size = Number(this.seen);
    return this.isHead || this.seen.length < 10 || !size ? 0 : Math.max(0, size - bytes - skipped);
  }
  skip(bytes) {
    const file = this.files.at(-1);
    file.skipped = (file.skipped ?? 0) + bytes;
  }
  push(bytes) {
    const { name } = this.files.at(-1);
    // an ONNX file that is not understood
    if (new TextDecoder().decode(bytes) === "onnx") throw memory.code("unsupported", `${name}: node "a" is not read`);
    this.seen = (this.seen + new TextDecoder().decode(bytes.subarray(0, 10))).slice(0, 10);
    this.files.at(-1).bytes += bytes.length;
  }
  end_file() {}
  finish() {
    const { names, files, options, isAttached, encoder } = this;
    state.loaded.push({ names, files, options, isAttached, encoder: encoder.id });
    return job(async () => new Model(this));
  }
  free() {}
}

export class Model {
  constructor(loader) {
    this.loader = loader;
    this.encoder = loader.encoder;
    this.encoder.models++;
    state.live++;
  }
  attach(files, options) {
    return job(async () => {
      if (state.attaching !== undefined) throw memory.code(state.attaching, "asked to refuse it");
      if (this.loader.options.device !== options.device) throw new Error("another device");
      const loader = new Loader(files, options, this.encoder);
      const { hidden_size } = loader.config;
      if (hidden_size !== this.encoder.size) throw memory.code("bad_input", `hidden_size is ${hidden_size}`);
      return loader;
    });
  }
  run(task, inputs, options, tick) {
    return job(() => this.#run(task, inputs, options, tick));
  }
  async #run(task, inputs, options, tick) {
    state.running++;
    try {
      const passes = options.hypothesis_template === "slow" ? 1e6 : options.hypothesis_template === "long" ? 20 : 1;
      for (let i = 0; i < passes; i++) {
        await tick();
        state.ticks++;
        await this.#pass();
      }
    } finally {
      state.running--;
    }
    return inputs.map((input) => answer(task, input, options));
  }
  /** A forward pass that continues after other passes had a turn. */
  async #pass() {
    if (state.terminated) throw new Error("the thread was terminated");
    if (state.passing++) state.overlaps++;
    const until = performance.now() + 1;
    while (performance.now() < until);
    await Promise.resolve();
    state.passing--;
    if (this.lost()) throw memory.code("device_lost", "the GPU device was lost");
  }
  forward({ dims, input_ids }, options, tick) {
    return job(async () => {
      await tick();
      return {
        logits: { type: "float32", dims, data: Float32Array.from(input_ids) },
        hidden_states: options.output_hidden_states ? [] : undefined,
      };
    });
  }
  info() {
    return {
      device: this.loader.options.device,
      device_reason: "",
      dtype: "fp32",
      threads: 1,
      simd: "simd128",
      model_type: "bert",
      head: this.loader.config?.head ?? "masked-lm",
      parameters: 1,
      bytes: 4,
    };
  }
  /** Devices that existed when the GPU was lost stay lost. */
  lost() {
    if (state.gpu === "gone" && this.encoder.device === "webgpu") this.encoder.isLost = true;
    return this.encoder.isLost === true;
  }
  refused() {
    return false;
  }
  free() {
    state.live--;
    this.encoder.models--;
    state.freed.push(this.encoder.id);
  }
}

function answer(task, input, options) {
  if (input === "full") state.memories.at(-1).isFull = true;
  if (input === "trap" || input === "full") throw new WebAssembly.RuntimeError("unreachable");
  if (input === "fail") throw memory.code("bad_input", "asked to fail");
  if (task === "feature-extraction") {
    const dims = options.pooling ? [1, 2] : [1, input.length, 2];
    return { type: "float32", dims, data: new Float32Array(dims.reduce((a, b) => a * b)) };
  }
  if (task === "question-answering") return [{ task, input, options }];
  return task === "text-classification" ? [{ label: "A", score: 1 }] : { task, input, options };
}

/** One token per UTF-16 code unit. */
export class Tokenizer {
  constructor(files) {
    if (!files["tokenizer.json"] && !files["vocab.txt"]) throw memory.code("bad_tokenizer", "no vocabulary");
  }
  set_options(options) {
    if (options.max_length === -1) throw memory.code("bad_input", "max_length is -1");
  }
  encode(text, lengths, paired, fields) {
    if (text === "trap") throw new WebAssembly.RuntimeError("unreachable");
    if (text === "deep") throw new RangeError("Maximum call stack size exceeded");
    let at = 0;
    const texts = lengths ? Array.from(lengths, (length) => text.slice(at, (at += length + 1) - 1)) : [text];
    const ids = texts.map((text) => Array.from(text, (unit) => unit.codePointAt(0)));
    const all = (of) => ids.flatMap((row) => row.flatMap(of));
    const given = [() => 1, () => 0, () => 1, (_, i) => [i, i + 1], () => 0xffff_ffff];
    return Uint32Array.from([
      ids.length,
      0,
      ...ids.flatMap((row, sample) => [sample, row.length]),
      ...all((id) => id),
      ...given.flatMap((of, field) => (fields & (1 << field) ? all(of) : [])),
    ]);
  }
  tokenize(text, pair) {
    return [...text, ...(pair ?? "")];
  }
  decode(ids, skip, clean) {
    return String.fromCodePoint(...ids) + (skip ? "!" : "") + (clean ? "" : "?");
  }
  token(id) {
    return id < 128 ? String.fromCodePoint(id) : undefined;
  }
  id(token) {
    return token.length === 1 ? token.codePointAt(0) : undefined;
  }
  info() {
    return {
      vocab_size: 128,
      model_max_length: null,
      cls_token: "[CLS]",
      cls_token_id: 1,
      mask_token: "[MASK]",
      mask_token_id: 2,
      unk_token_id: 3,
      all_special_ids: [1, 2],
      padding_side: "right",
      truncation_side: "right",
      model_input_names: ["input_ids", "token_type_ids", "attention_mask"],
      clean_up_tokenization_spaces: true,
      warnings: [],
    };
  }
  vocab() {
    return new Map([["a", 97]]);
  }
  free() {}
}
