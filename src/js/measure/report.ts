// The report of a measurement: its form, and the check of a file that claims to have it. docs/measure.md describes each
// field.

/** Name and version of the form. The version rises when a field changes its meaning or disappears. */
export const SCHEMA = "webert-measure";
export const SCHEMA_VERSION = 1;

/** The GPU as the browser describes it. Browsers may leave any name empty. */
export interface AdapterReport {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  /** Whether it is software on the CPU. */
  software: boolean;
  features: string[];
  /** Largest sizes: a buffer and a storage binding in bytes, storage buffers per stage, workgroup memory in bytes. */
  limits: Record<string, number>;
}

/** A kernel on this device. */
export interface KernelReport {
  kernel: string;
  /** Precision of the weights; null if the kernel has none. */
  precision: string | null;
  /** Which variant ran; null: the one that the device chooses. */
  variant: string | null;
  /** Sequences, tokens of each, columns of x, columns of y. */
  sequences: number;
  length: number;
  inputs: number;
  outputs: number;
  /** Largest difference from the CPU's f32 result, relative to the largest result; null if it was not computed. */
  difference: number | null;
  /** Largest difference that rounding explains. */
  tolerance: number;
  /** Milliseconds of a call among many in one request; null if the kernel failed. */
  ms: number | null;
  /** Billions of floating-point operations per second; null if the kernel waits for memory. */
  gflops: number | null;
  /** Billions of bytes per second, each number counted once. */
  gbps: number | null;
  /** Why the kernel could not be compared or timed. */
  error?: string;
}

/** A kernel of training, compared with the CPU. */
export interface TrainingReport {
  kernel: string;
  difference: number;
  tolerance: number;
}

/** The kernels of a GPU, and the costs around them. */
export interface GpuReport {
  /** Milliseconds of a request that computes nothing. */
  request_ms: number;
  /** Microseconds of one more small dispatch in a request. */
  dispatch_us: number;
  kernels: KernelReport[];
  training: TrainingReport[];
  /** What followed the deliberate loss of the device. */
  loss: {
    /** Code of the error of the next call: "device_lost" as documented. */
    code: string;
    reported_ms: number;
    /** Milliseconds until a new device answered; null if none did. */
    recovered_ms: number | null;
  };
  /** Bytes of the WebAssembly memory at the end. */
  wasm_bytes: number;
  /** Seconds of the whole measurement. */
  seconds: number;
}

/** The time of an encoder for a batch. */
export interface EncodeReport {
  library: string;
  version: string;
  device: string;
  dtype: string;
  threads: number | null;
  sequences: number;
  tokens: number;
  /** Median and least milliseconds of `runs` calls. */
  ms: number;
  least_ms: number;
  runs: number;
  /** Largest difference of a vector's number from the CPU's; null for the CPU itself and for other libraries. */
  difference: number | null;
  /** Bytes of the weights in memory; null if unknown. */
  weight_bytes: number | null;
}

/** The result of a measurement. */
export interface MeasureReport {
  schema: typeof SCHEMA;
  version: number;
  /** Version of webert. */
  webert: string;
  /** Time of the measurement: ISO 8601, UTC. */
  date: string;
  browser: { user_agent: string; platform: string };
  cores: number;
  /** Memory of the machine in GiB as the browser rounds it; null if it does not tell. */
  memory_gb: number | null;
  /** Whether the page may share memory between threads. */
  isolated: boolean;
  /** null if there is no WebGPU. */
  adapter: AdapterReport | null;
  /** null if there is no WebGPU or the measurement failed. */
  gpu: GpuReport | null;
  encode: EncodeReport[];
  /** What could not be measured, each as a sentence. */
  notes: string[];
}

/** The type of a value: a name, an array of one type, fields, or a type that may also be null or absent. */
type Shape =
  | "string"
  | "number"
  | "boolean"
  | { each: Shape }
  | { values: Shape }
  | { nullable: Shape }
  | { optional: Shape }
  | { fields: Record<string, Shape> };

const fields = (of: Record<string, Shape>): Shape => ({ fields: of });
const nullable = (of: Shape): Shape => ({ nullable: of });
const each = (of: Shape): Shape => ({ each: of });

const KERNEL = fields({
  kernel: "string",
  precision: nullable("string"),
  variant: nullable("string"),
  sequences: "number",
  length: "number",
  inputs: "number",
  outputs: "number",
  difference: nullable("number"),
  tolerance: "number",
  ms: nullable("number"),
  gflops: nullable("number"),
  gbps: nullable("number"),
  error: { optional: "string" },
});

const REPORT = fields({
  schema: "string",
  version: "number",
  webert: "string",
  date: "string",
  browser: fields({ user_agent: "string", platform: "string" }),
  cores: "number",
  memory_gb: nullable("number"),
  isolated: "boolean",
  adapter: nullable(
    fields({
      vendor: "string",
      architecture: "string",
      device: "string",
      description: "string",
      software: "boolean",
      features: each("string"),
      limits: { values: "number" },
    }),
  ),
  gpu: nullable(
    fields({
      request_ms: "number",
      dispatch_us: "number",
      kernels: each(KERNEL),
      training: each(fields({ kernel: "string", difference: "number", tolerance: "number" })),
      loss: fields({ code: "string", reported_ms: "number", recovered_ms: nullable("number") }),
      wasm_bytes: "number",
      seconds: "number",
    }),
  ),
  encode: each(
    fields({
      library: "string",
      version: "string",
      device: "string",
      dtype: "string",
      threads: nullable("number"),
      sequences: "number",
      tokens: "number",
      ms: "number",
      least_ms: "number",
      runs: "number",
      difference: nullable("number"),
      weight_bytes: nullable("number"),
    }),
  ),
  notes: each("string"),
});

/** Returns the name of a value's type for a message. */
const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : typeof value;

/** Adds a sentence to `problems` for each part of `value` that has another type than `shape`. */
function compare(value: unknown, shape: Shape, path: string, problems: string[]): void {
  const wrong = (expected: string) =>
    problems.push(`${path || "the file"}: expected ${expected}, got ${typeOf(value)}`);
  if (typeof shape === "string") {
    if (typeof value !== shape) wrong(`a ${shape}`);
    else if (shape === "number" && !((value as number) >= 0 && (value as number) < Infinity))
      problems.push(`${path}: expected a number from 0, got ${value}`);
  } else if ("nullable" in shape) {
    if (value !== null) compare(value, shape.nullable, path, problems);
  } else if ("optional" in shape) {
    if (value !== undefined) compare(value, shape.optional, path, problems);
  } else if ("each" in shape) {
    if (!Array.isArray(value)) return void wrong("an array");
    for (const [at, item] of value.entries()) compare(item, shape.each, `${path}[${at}]`, problems);
  } else {
    if (typeOf(value) !== "an object") return void wrong("an object");
    const inside = value as Record<string, unknown>;
    const names =
      "fields" in shape ? shape.fields : Object.fromEntries(Object.keys(inside).map((k) => [k, shape.values]));
    for (const [name, of] of Object.entries(names))
      compare(inside[name], of, path ? `${path}.${name}` : name, problems);
  }
}

/**
 * Returns what is wrong with a value that should be a MeasureReport, one sentence per part. An empty list means that
 * the value is one.
 */
export function checkReport(value: unknown): string[] {
  const { schema, version } = (typeOf(value) === "an object" ? value : {}) as Partial<MeasureReport>;
  if (schema !== SCHEMA) return [`schema: expected "${SCHEMA}", got ${JSON.stringify(schema) ?? "nothing"}`];
  if (version !== SCHEMA_VERSION)
    return [`version: expected ${SCHEMA_VERSION}, got ${JSON.stringify(version) ?? "nothing"}`];
  const problems: string[] = [];
  compare(value, REPORT, "", problems);
  if (problems.length === 0 && Number.isNaN(Date.parse((value as MeasureReport).date)))
    problems.push(`date: expected a time by ISO 8601, got "${(value as MeasureReport).date}"`);
  return problems;
}
