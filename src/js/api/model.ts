// `AutoModel` and the classes of models: ids and masks in, tensors out.
import { signalOf } from "../abort.js";
import { type ClassOf, instanceOf } from "../classes/classes.js";
import { configOf, type PretrainedConfig } from "../classes/config.js";
import { classOfModel } from "../classes/families.js";
import type { EngineModel } from "../engine/engine.js";
import { type ModelOptions, openModel, type Platform } from "../engine/open.js";
import type { ModelInfo, RawInputs } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import { checkOptions } from "../options/options.js";
import type { Source } from "../source.js";
import type { CallOptions } from "../tasks.js";
import { Tensor } from "../tensor/tensor.js";
import { isNumber, kindOf, optionsOf, shown } from "../values.js";
import { handleOf } from "./handle.js";
import { revive } from "./results.js";

/** Ids or masks: a Tensor, nested arrays, or one flat array for a batch of one. */
export type Ids = Tensor | ArrayLike<number | bigint> | readonly Ids[];

/**
 * Inputs of a model, as returned by a tokenizer. Dims are [batch, sequence]. For multiple choice, dims are [batch,
 * choices, sequence].
 */
export interface ModelInputs {
  input_ids: Ids;
  /** 1 for a token, 0 for padding. By default all 1. */
  attention_mask?: Ids;
  /** By default all 0. */
  token_type_ids?: Ids;
  /** By default 0, 1, 2, … */
  position_ids?: Ids;
}

export interface ForwardOptions extends CallOptions {
  /** Return the embeddings and the states of every layer, each [batch, sequence, hidden]. */
  output_hidden_states?: boolean;
  /** Return the attention of every layer, each [batch, heads, query, key]. */
  output_attentions?: boolean;
  /**
   * Return the scores of attention before the softmax, q · k / √head_dim, of every layer, each [batch, heads, query, key].
   * Requires a model loaded with `inspect: true`, a family with BERT's layers, and the CPU.
   */
  output_attention_scores?: boolean;
  /**
   * Return what the activation function of every layer's feed-forward returns, each [batch, sequence, intermediate].
   * Requirements as for `output_attention_scores`.
   */
  output_activations?: boolean;
}

/** The outputs that the model has. Rows of masked positions are zeros. */
export interface ModelOutput {
  /** [batch, sequence, hidden] */
  last_hidden_state?: Tensor<"float32">;
  /** [batch, hidden] */
  pooler_output?: Tensor<"float32">;
  /** Output of the head: [batch, labels], [batch, sequence, labels or vocabulary] or [batch, choices]. */
  logits?: Tensor<"float32">;
  /** [batch, sequence, vocabulary] */
  prediction_logits?: Tensor<"float32">;
  /** [batch, 2] */
  seq_relationship_logits?: Tensor<"float32">;
  /** [batch, sequence] */
  start_logits?: Tensor<"float32">;
  /** [batch, sequence] */
  end_logits?: Tensor<"float32">;
  hidden_states?: Tensor<"float32">[];
  attentions?: Tensor<"float32">[];
  attention_scores?: Tensor<"float32">[];
  activations?: Tensor<"float32">[];
}

/** A model that is called with ids. */
export interface Model {
  (inputs: ModelInputs, options?: ForwardOptions): Promise<ModelOutput>;
  /** Does the same as calling the model. */
  forward(inputs: ModelInputs, options?: ForwardOptions): Promise<ModelOutput>;
  /** Does the same as calling the model. */
  _call(inputs: ModelInputs, options?: ForwardOptions): Promise<ModelOutput>;
  /** The fields of config.json. */
  readonly config: PretrainedConfig;
  readonly info: ModelInfo;
  /** Frees everything. Pending and later calls reject with `disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Loads models with the head named in config.json, or with a certain head. */
export interface ModelClass {
  from_pretrained(source: Source, options?: ModelOptions): Promise<Model>;
}

/** Which models a class loads. */
export interface ModelKind {
  /** Accepted heads, preferred one first, with names as in `info.head`. */
  heads: readonly string[];
  /** Description of the heads, for messages. */
  what: string;
}

/**
 * Creates an `AutoModel…` for a platform. It loads any model, or only models of `kind`. They become instances of the
 * class `made`, or of their own class.
 */
export function createModelClass(platform: Platform, kind?: ModelKind, made?: ClassOf<Model>): ModelClass {
  const { heads, what } = kind ?? {};
  return {
    async from_pretrained(source, options) {
      try {
        const given = optionsOf<ModelOptions>(options);
        await checkOptions("from_pretrained", given);
        const { engine, name, dtype_reason } = await openModel(platform, source, given, {
          tokenizer: false,
          modules: false,
          ...(heads && { head: heads[0] }),
        });
        const { head } = engine.info;
        if (heads && !heads.includes(head)) {
          await engine.close();
          throw new WebertError("unsupported", `${name}: expected a head for ${what}, got "${head}"`);
        }
        return modelOf(engine, dtype_reason, made);
      } catch (error) {
        throw WebertError.from(error);
      }
    },
  };
}

/** Returns the model of an engine. Disposing of the model closes the engine. */
export function modelOf(
  engine: EngineModel,
  dtype_reason?: string,
  made: ClassOf<unknown> = classOfModel(engine.info),
): Model {
  const call = async (inputs: ModelInputs, options?: ForwardOptions) => {
    try {
      const given = optionsOf<ForwardOptions>(options);
      await checkOptions("forward", given, ["output_hidden_states", "output_attentions", "signal"]);
      const { signal: _, ...asked } = given;
      const outputs = await engine.forward(rawInputs(inputs), asked, signalOf(given));
      for (const name of ["attention_scores", "activations"] as const)
        if (given[`output_${name}`] && !outputs[name])
          throw new WebertError("unsupported", `output_${name}: expected a model loaded with \`inspect: true\``);
      return revive(outputs) as ModelOutput;
    } catch (error) {
      throw WebertError.from(error);
    }
  };
  const model = Object.assign(call, { config: configOf(engine.parts.files) }) as typeof call &
    Pick<Model, "config" | "forward" | "_call">;
  return instanceOf(made, handleOf(engine, model, dtype_reason));
}

/** Returns inputs in the form that the engine takes. */
export function rawInputs(inputs: ModelInputs): RawInputs {
  const { dims, data } = flat("input_ids", inputs?.input_ids);
  const raw: RawInputs = { dims, input_ids: data };
  for (const name of ["attention_mask", "token_type_ids", "position_ids"] as const) {
    if (inputs[name] == null) continue;
    const other = flat(name, inputs[name]);
    if (String(other.dims) !== String(dims)) {
      throw new WebertError("bad_input", `${name}: expected the dims of input_ids, [${dims}], got [${other.dims}]`);
    }
    raw[name] = other.data;
  }
  return raw;
}

function flat(name: string, value: Ids | undefined): { dims: number[]; data: Uint32Array } {
  const { dims, values } = nested(name, value);
  // A flat array is a batch of one.
  return { dims: dims.length < 2 ? [1, ...dims] : dims, data: unsigned(name, values) };
}

/** Returns the dims and numbers of a Tensor or of nested arrays. */
export function nested(name: string, value: unknown): { dims: number[]; values: ArrayLike<number | bigint> } {
  if (value instanceof Tensor) return { dims: value.dims, values: value.data };
  if (ArrayBuffer.isView(value))
    return { dims: [(value as Uint32Array).length], values: value as unknown as ArrayLike<number> };
  if (!Array.isArray(value))
    throw new WebertError("bad_input", `${name}: expected a Tensor or an array, got ${kindOf(value)}`);
  const dims: number[] = [];
  for (let part: unknown = value; Array.isArray(part) || ArrayBuffer.isView(part); part = (part as unknown[])[0]) {
    dims.push((part as unknown[]).length);
  }
  const values: (number | bigint)[] = [];
  collect(name, value as unknown[], dims, 0, values);
  return { dims, values };
}

/** Appends the numbers of a nested array. All arrays at one depth must have the same length. */
function collect(name: string, part: unknown, dims: number[], axis: number, into: (number | bigint)[]): void {
  const list = Array.isArray(part) || ArrayBuffer.isView(part) ? (part as unknown[]) : undefined;
  if (list?.length !== dims[axis]) {
    const message = `${name} is ragged: expected ${dims[axis] ?? "a number"} entries, got ${list?.length ?? "a number"}; tokenize with padding: true`;
    throw new WebertError("bad_input", message);
  }
  if (axis === dims.length - 1) for (const value of list!) into.push(value as number);
  else for (const value of list!) collect(name, value, dims, axis + 1, into);
}

function unsigned(name: string, values: ArrayLike<number | bigint>): Uint32Array {
  const data = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const given: unknown = values[i];
    const value = Number(given);
    data[i] = value;
    if (data[i] !== value || !isNumber(given))
      throw new WebertError("bad_input", `${name}: expected integers from 0 to 2^32 - 1, got ${shown(given)}`);
  }
  return data;
}
