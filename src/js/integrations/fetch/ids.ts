// Ids of tokens in place of texts, as OpenAI's and text-embeddings-inference's routes of vectors take them.
import type { Tokenizer } from "../../tokenizer/tokenizer.js";
import { kindOf } from "../../values.js";
import { type Fields, HttpError, invalid, texts } from "./http.js";

const WAY_OUT =
  "Ids of another tokenizer, e.g. of tiktoken, mean other words; send texts (check_embedding_ctx_length=False in LangChain for Python)";

/**
 * Returns the texts of a field: a text, an array of texts, the ids of a text, or an array of these. Ids must be what the
 * model's own tokenizer returns for a text, with its special tokens. Ids of another tokenizer would be read as other
 * words, so they are rejected.
 */
export function textsOrIds(fields: Fields, name: string, most: number, tokenizer: Tokenizer): string[] {
  const value = fields[name];
  if (!Array.isArray(value)) return texts(fields, name, most).list;
  const isOne = value.length > 0 && value.every((one) => typeof one === "number");
  if (!isOne && !value.some(Array.isArray)) return texts(fields, name, most).list;
  const rows = (isOne ? [value] : value) as unknown[];
  if (rows.length > most)
    throw new HttpError("limit", `${name}: expected at most ${most} texts, got ${rows.length}`, name);
  const ends = endsOf(tokenizer);
  return rows.map((row, n) => {
    const place = isOne ? name : `${name}[${n}]`;
    if (!Array.isArray(row)) throw invalid(place, `expected an array of ids like the others, got ${kindOf(row)}`);
    if (!row.length) throw new HttpError("empty", `${place}: expected at least one id, got none`, name);
    return textOf(place, row, tokenizer, ends);
  });
}

/** Number of special tokens before and after a text. */
type Ends = readonly [before: number, after: number];

function endsOf(tokenizer: Tokenizer): Ends {
  const options = { return_tensor: false, return_special_tokens_mask: true } as const;
  const mask = tokenizer(["a"], options).special_tokens_mask![0]!;
  return [mask.indexOf(0), mask.length - 1 - mask.lastIndexOf(0)];
}

function textOf(place: string, row: unknown[], tokenizer: Tokenizer, [before, after]: Ends): string {
  if (before + after === 0)
    throw invalid(place, "expected a text, because the model's tokenizer adds no special tokens to tell its ids by");
  const isId = (id: unknown) => Number.isSafeInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 32;
  const wrong = row.find((id) => !isId(id));
  if (wrong !== undefined) throw invalid(place, `expected whole numbers of at least 0, got ${JSON.stringify(wrong)}`);
  const ids = row as number[];
  const text = tokenizer.decode(ids.slice(before, ids.length - after), { clean_up_tokenization_spaces: false });
  const own = tokenizer([text], { return_tensor: false }).input_ids[0]!;
  if (own.length === ids.length && own.every((id, n) => id === ids[n])) return text;
  throw invalid(
    place,
    `expected the ids that the model's tokenizer returns for a text, with its special tokens. ${WAY_OUT}`,
  );
}
