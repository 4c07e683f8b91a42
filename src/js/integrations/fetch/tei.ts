// The routes of text-embeddings-inference.
import { VERSION } from "../../env.js";
import type { TextInput } from "../../tasks.js";
import { kindOf } from "../../values.js";
import { isSparse } from "../pipelines.js";
import type { Encoder, VectorOptions } from "../vectors.js";
import {
  count,
  type Fields,
  flag,
  HttpError,
  invalid,
  objectOf,
  oneOf,
  onlyKnown,
  optionalText,
  strings,
  text,
  texts,
} from "./http.js";
import { textsOrIds } from "./ids.js";
import type { Served } from "./models.js";
import type { Context } from "./routes.js";

/** Fields of most routes. */
const COMMON = ["inputs", "truncate", "truncation_direction", "prompt_name"];

/** Returns whether texts that are too long are cut. Rejects what is not supported. */
function truncation(fields: Fields): boolean {
  const side = oneOf(fields, "truncation_direction", ["Right", "right", "Left", "left"]);
  if (/^l/i.test(side))
    throw new HttpError("wrong_model", "truncation_direction: expected Right, got Left", "truncation_direction");
  return flag(fields, "truncate", false);
}

/** Throws if a text was cut, unless the request allows it. */
function checkLength(truncated: readonly boolean[], isAllowed: boolean, limit: number): void {
  const long = truncated.indexOf(true);
  if (long < 0 || isAllowed) return;
  throw new HttpError(
    "limit",
    `inputs[${long}]: expected at most ${limit} tokens; set "truncate" to cut texts`,
    "inputs",
  );
}

/** Computes vectors of `inputs`. */
async function encoded(fields: Fields, context: Context, encoder: Encoder, options: VectorOptions) {
  const isAllowed = truncation(fields);
  const list = textsOrIds(fields, "inputs", context.limits.max_inputs, encoder.pipe.tokenizer);
  const prompt_name = optionalText(fields, "prompt_name");
  const call = { ...options, ...(prompt_name && { prompt_name }) };
  const found = await encoder.encode(list, call, context.signal);
  checkLength(found.truncated, isAllowed, encoder.limit);
  return found.vectors;
}

/** One vector per text. */
export async function embed(fields: Fields, context: Context): Promise<object> {
  onlyKnown(fields, [...COMMON, "normalize", "dimensions"]);
  const encoder = await context.models.encoderOf("dense");
  const output = await encoder.output();
  if (output.kind !== "dense")
    throw new HttpError("wrong_model", `expected a model of one vector per text, got ${output.kind} vectors`);
  const truncate_dim = count(fields, "dimensions");
  if (truncate_dim && truncate_dim > output.size)
    throw invalid("dimensions", `expected at most ${output.size}, got ${truncate_dim}`);
  const options = { normalize: flag(fields, "normalize", true), ...(truncate_dim && { truncate_dim }) };
  const vectors = await encoded(fields, context, encoder, options);
  return vectors.map((vector) => Array.from((vector as { data: Float32Array }).data));
}

/** One vector per token of each text. */
export async function embedAll(fields: Fields, context: Context): Promise<object> {
  onlyKnown(fields, COMMON);
  const { encoder } = context.models.encoder();
  const output = await encoder.output();
  const vectors = await encoded(fields, context, encoder, output.kind === "tokens" ? {} : { pooling: "none" });
  return vectors.map((vector) => (vector as { tolist(): number[][][] }).tolist()[0]);
}

/** The weights of each text's tokens. */
export async function embedSparse(fields: Fields, context: Context): Promise<object> {
  onlyKnown(fields, COMMON);
  const encoder = await context.models.encoderOf("sparse");
  const vectors = await encoded(fields, context, encoder, { pooling: "sparse" });
  return vectors.map((vector) => {
    if (!isSparse(vector)) throw new HttpError("wrong_model", "expected a model of sparse vectors");
    const tokens = Object.keys(vector);
    const ids = encoder.pipe.tokenizer.convert_tokens_to_ids(tokens);
    const id = (token: string, n: number) => (/^#\d+$/.test(token) ? Number(token.slice(1)) : ids[n]!);
    const entries = tokens.map((token, n) => ({ index: id(token, n), value: vector[token]! }));
    return entries.sort((a, b) => a.index - b.index);
  });
}

/** Cosine similarities of sentences with a sentence. */
export async function similarity(fields: Fields, context: Context): Promise<object> {
  onlyKnown(fields, ["inputs", "parameters"]);
  const inputs = objectOf(fields, "inputs");
  onlyKnown(inputs, ["source_sentence", "sentences"], "inputs.");
  const parameters = objectOf(fields, "parameters");
  onlyKnown(parameters, COMMON.slice(1), "parameters.");
  const encoder = await context.models.encoderOf("dense");
  const source = text(inputs, "source_sentence");
  const sentences = strings("sentences", inputs.sentences, context.limits.max_inputs);
  const prompt_name = optionalText(parameters, "prompt_name");
  const isAllowed = truncation(parameters);
  const options = { normalize: true, ...(prompt_name && { prompt_name }) };
  const { rows, truncated } = await encoder.dense([source, ...sentences], options, context.signal);
  checkLength(truncated, isAllowed, encoder.limit);
  const [first, ...others] = rows;
  return others.map((row) => row.reduce((sum, value, n) => sum + value * first![n]!, 0));
}

/** Labels of texts, or of pairs of texts. */
export async function predict(fields: Fields, context: Context): Promise<object> {
  onlyKnown(fields, ["inputs", "raw_scores", "truncate", "truncation_direction"]);
  const model = context.models.forTask("text-classification");
  const isAllowed = truncation(fields);
  const { inputs, many } = classified(fields.inputs, context.limits.max_inputs);
  const raw = flag(fields, "raw_scores", false) ? "none" : undefined;
  const answers = await model.classify(inputs, raw, context.signal);
  const truncated = answers.map((labels) => labels.some((one) => one.truncated));
  checkLength(truncated, isAllowed, model.limit);
  const shown = answers.map((labels) => labels.map(({ label, score }) => ({ score, label })));
  return many ? shown : shown[0]!;
}

/** Reads the inputs of /predict: a text, a pair, or an array of [text] and [text, pair]. */
function classified(value: unknown, most: number): { inputs: TextInput[]; many: boolean } {
  if (typeof value === "string") return { inputs: [text({ inputs: value }, "inputs")], many: false };
  const isPair = Array.isArray(value) && value.length < 3 && value.every((one) => typeof one === "string");
  const rows = isPair ? [value] : value;
  if (!Array.isArray(rows))
    throw invalid("inputs", `expected a text, a pair or an array of them, got ${kindOf(value)}`);
  if (rows.length > most)
    throw new HttpError("limit", `inputs: expected at most ${most}, got ${rows.length}`, "inputs");
  if (!rows.length) throw new HttpError("empty", "inputs: expected at least one text", "inputs");
  const inputs = rows.map((row: unknown, n): TextInput => {
    const [first, second, ...more] = strings(`inputs[${n}]`, row, most);
    if (more.length) throw invalid(`inputs[${n}]`, `expected [text] or [text, text], got ${more.length + 2} texts`);
    return second === undefined ? first! : { text: first!, text_pair: second };
  });
  return { inputs, many: !isPair };
}

/** Documents by how well they answer a query, best first. */
export async function rerank(fields: Fields, context: Context): Promise<object> {
  onlyKnown(fields, ["query", "texts", "raw_scores", "return_text", "truncate", "truncation_direction"]);
  const model = context.models.forTask("text-ranking");
  const isAllowed = truncation(fields);
  const query = text(fields, "query");
  const documents = strings("texts", fields.texts, context.limits.max_inputs);
  const raw = flag(fields, "raw_scores", false) ? "none" : undefined;
  const withText = flag(fields, "return_text", false);
  const scores = await model.rank(query, documents, raw, context.signal);
  const truncated = scores.map((one) => one.truncated === true);
  checkLength(truncated, isAllowed, model.limit);
  const results = scores.map(({ score }, index) => ({ index, ...(withText && { text: documents[index] }), score }));
  return results.sort((a, b) => b.score - a.score);
}

/** Tokens of each text. `start` and `stop` count characters (Unicode code points), as in text-embeddings-inference. */
export async function tokenize(fields: Fields, { models, limits }: Context): Promise<object> {
  onlyKnown(fields, ["inputs", "add_special_tokens", "prompt_name"]);
  const given = texts(fields, "inputs", limits.max_inputs).list;
  const prompt_name = optionalText(fields, "prompt_name");
  const { encoder, first } = models.all[0]!;
  if (prompt_name !== undefined && !encoder)
    throw new HttpError("wrong_model", "prompt_name: expected a model for feature-extraction", "prompt_name");
  const prompt = prompt_name === undefined ? "" : await encoder!.pipe.prompt({ prompt_name });
  const list = given.map((text) => prompt + text);
  const add_special_tokens = flag(fields, "add_special_tokens", true);
  const { tokenizer } = first;
  const options = { return_tensor: false, return_offsets_mapping: true, return_special_tokens_mask: true } as const;
  const { input_ids, offset_mapping, special_tokens_mask } = tokenizer(list, { ...options, add_special_tokens });
  return list.map((given, n) => {
    const points = pointsOf(given);
    return input_ids[n]!.map((id, at) => {
      const [start, stop] = offset_mapping![n]![at]!;
      const token = tokenizer.convert_ids_to_tokens(id) ?? "";
      if (special_tokens_mask![n]![at]) return { id, text: token, special: true, start: null, stop: null };
      return { id, text: given.slice(start, stop), special: false, start: points[start]!, stop: points[stop]! };
    });
  });
}

/** Returns the number of code points before each UTF-16 index of a text, and before its end. */
function pointsOf(given: string): Uint32Array {
  const points = new Uint32Array(given.length + 1);
  let at = 0;
  let n = 0;
  for (const point of given) {
    points.fill(n, at, at + point.length);
    at += point.length;
    n++;
  }
  points[at] = n;
  return points;
}

/** Texts of ids. */
export async function decode(fields: Fields, { models, limits }: Context): Promise<object> {
  onlyKnown(fields, ["ids", "skip_special_tokens"]);
  const skip_special_tokens = flag(fields, "skip_special_tokens", true);
  const { ids } = fields;
  const isId = (id: unknown) => Number.isSafeInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 32;
  const isFlat = Array.isArray(ids) && ids.every(isId);
  const rows = (isFlat ? [ids] : ids) as number[][];
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row) && row.every(isId)))
    throw invalid("ids", "expected an array of whole numbers, or an array of such arrays");
  if (rows.length > limits.max_inputs)
    throw new HttpError("limit", `ids: expected at most ${limits.max_inputs} rows, got ${rows.length}`, "ids");
  return models.all[0]!.first.tokenizer.batch_decode(rows, { skip_special_tokens });
}

/** Facts about a model, by default the first. */
export async function info({ models, limits, queue }: Context, id?: string): Promise<object> {
  const model = id === undefined ? models.all[0]! : models.named(id);
  const { dtype } = model.first.info;
  return {
    model_id: model.id,
    model_sha: null,
    model_dtype: dtype,
    model_type: typeOf(model),
    max_concurrent_requests: Number.isFinite(queue.most) ? queue.most : null,
    max_input_length: Number.isFinite(model.limit) ? model.limit : null,
    max_batch_tokens: limits.batch_size * (Number.isFinite(model.limit) ? model.limit : 512),
    max_batch_requests: limits.batch_size,
    max_client_batch_size: limits.max_inputs,
    auto_truncate: false,
    tokenization_workers: 1,
    version: VERSION,
    sha: null,
    docker_label: null,
    tasks: model.pipelines.map((pipe) => pipe.task),
    models: models.all.map((one) => one.id),
  };
}

function typeOf(model: Served): object {
  const { config } = model.first.model ?? {};
  const { id2label = {}, label2id = {} } = (config ?? {}) as Record<string, unknown>;
  if (model.has("text-ranking") && model.first.task === "text-ranking") return { reranker: { id2label, label2id } };
  if (model.first.task === "text-classification") return { classifier: { id2label, label2id } };
  return { embedding: { pooling: "model" } };
}
