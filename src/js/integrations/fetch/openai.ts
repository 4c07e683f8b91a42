// The routes of OpenAI: /v1/embeddings and /v1/models.
import { base64 } from "../base64.js";
import { count, type Fields, HttpError, oneOf, onlyKnown, optionalText } from "./http.js";
import { textsOrIds } from "./ids.js";
import type { Served } from "./models.js";
import type { Context } from "./routes.js";

/** Vectors of texts, scaled to length 1 as OpenAI's are. */
export async function embeddings(fields: Fields, { models, limits, signal }: Context): Promise<object> {
  onlyKnown(fields, ["model", "input", "dimensions", "encoding_format", "user"]);
  const { model, encoder } = models.encoder(optionalText(fields, "model"));
  const format = oneOf(fields, "encoding_format", ["float", "base64"]);
  const truncate_dim = count(fields, "dimensions");
  optionalText(fields, "user");
  const list = textsOrIds(fields, "input", limits.max_inputs, encoder.pipe.tokenizer);
  const options = { normalize: true, ...(truncate_dim && { truncate_dim }) };
  const { rows, tokens, truncated } = await encoder.dense(list, options, signal);
  const long = truncated.indexOf(true);
  if (long >= 0 && !limits.truncate)
    throw new HttpError(
      "limit",
      `input: This model's maximum context length is ${encoder.limit} tokens, and text ${long} is longer`,
      "input",
    );
  const used = tokens.reduce((sum, one) => sum + one, 0);
  const data = rows.map((row, index) => ({
    object: "embedding",
    index,
    embedding: format === "base64" ? base64(row) : Array.from(row),
  }));
  return { object: "list", data, model: model.id, usage: { prompt_tokens: used, total_tokens: used } };
}

const shown = ({ id }: Served, created: number) => ({ id, object: "model", created, owned_by: "webert" });

/** The list of models. */
export const modelList = ({ models, started }: Context): object => ({
  object: "list",
  data: models.all.map((model) => shown(model, started)),
});

/** One model. */
export const modelOf = (id: string, { models, started }: Context): object => shown(models.named(id), started);
