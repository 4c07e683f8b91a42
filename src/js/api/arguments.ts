// Splits the arguments of a task's call into inputs and options.
import { WebertError } from "../errors.js";
import type { Task } from "../task-names.js";
import type { CallOptions } from "../tasks.js";
import { kindOf, optionsOf } from "../values.js";

/** Parsed arguments: one entry per input, and whether the caller passed an array. */
export interface Parsed {
  inputs: unknown[];
  many: boolean;
  options: CallOptions & Record<string, unknown>;
}

/** Returns the inputs and options of a call of `task`. Throws `bad_input`. */
export function parse(task: Task, args: unknown[]): Parsed {
  const [first, second] = args;
  const many = Array.isArray(first);
  switch (task) {
    case "zero-shot-classification":
    case "zero-shot-token-classification": {
      const labels = labelsOf(second);
      return {
        many,
        inputs: list(first).map((text, i) => [string(text, "text", i), labels]),
        options: optionsOf<Parsed["options"]>(args[2]),
      };
    }
    case "question-answering":
    case "next-sentence-prediction": {
      const [a, b] = task === "question-answering" ? ["question", "context"] : ["text", "next text"];
      // Several questions may share a context.
      const isShared = task === "question-answering" && many && typeof second === "string";
      const others = isShared ? (first as unknown[]).map(() => second) : second;
      const inputs = zip(first, others, a!, b!).map(([x, y], i) => [string(x, a!, i), string(y, b!, i)]);
      return { many, inputs, options: optionsOf<Parsed["options"]>(args[2]) };
    }
    case "multiple-choice":
    case "text-ranking": {
      const [a, b] = task === "text-ranking" ? ["query", "document"] : ["prompt", "choice"];
      const pairs = many ? zip(first, second, a!, `list of ${b}s`) : [[first, second]];
      const inputs = pairs.map(([text, others], i) => {
        if (!Array.isArray(others))
          throw new WebertError("bad_input", `${b}s are an array of strings, not ${kindOf(others)}`);
        return [string(text, a!, i), list(others).map((other, j) => string(other, b!, j))];
      });
      return { many, inputs, options: optionsOf<Parsed["options"]>(args[2]) };
    }
    default: {
      const options = optionsOf<Parsed["options"]>(second);
      if (options.is_split_into_words) return { ...sentences(first, options.delimiter ?? " "), options };
      const inputs = list(first).map((text, i) =>
        task === "text-classification" ? textInput(text, i) : string(text, "text", i),
      );
      return { many, inputs, options };
    }
  }
}

/**
 * Returns the text of the words, with the words. `given` has the words of one text, or an array of words per text. As
 * in Python, the result always has one array per text.
 */
function sentences(given: unknown, delimiter: unknown): Omit<Parsed, "options"> {
  if (!Array.isArray(given))
    throw new WebertError("bad_input", `is_split_into_words: expected an array of words, got ${kindOf(given)}`);
  const texts: unknown[] = given.length > 0 && given.every(Array.isArray) ? given : [given];
  const inputs = texts.map((words) => {
    const checked = list(words).map((word, i) => string(word, "word", i));
    return [checked.join(string(delimiter, "delimiter", 0)), checked];
  });
  return { inputs, many: true };
}

/** Returns the entries of an array, including holes, or the one value in an array. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? Array.from(value) : [value];
}

/** Returns the pairs of two single values, or of two arrays of the same length. */
function zip(first: unknown, second: unknown, a: string, b: string): [unknown, unknown][] {
  if (Array.isArray(first) !== Array.isArray(second) || list(first).length !== list(second).length) {
    const counts = `${Array.isArray(first) ? list(first).length : "one"} and ${Array.isArray(second) ? list(second).length : "one"}`;
    throw new WebertError(
      "bad_input",
      `a ${a} goes with a ${b}, an array with an array of the same length; got ${counts}`,
    );
  }
  return list(first).map((value, i) => [value, list(second)[i]]);
}

/** Returns labels from an array, or from one string separated by commas as in Hugging Face. */
function labelsOf(labels: unknown): string[] {
  const given =
    typeof labels === "string"
      ? labels
          .split(",")
          .map((label) => label.trim())
          .filter(Boolean)
      : labels;
  if (!Array.isArray(given) || !given.length)
    throw new WebertError("bad_input", "labels are a string with commas or a non-empty array of strings");
  return list(given).map((label, i) => string(label, "label", i));
}

function textInput(value: unknown, i: number): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return string(value, "text", i);
  const { text, text_pair } = value as { text?: unknown; text_pair?: unknown };
  const first = string(text, "text", i);
  return text_pair == null ? first : { text: first, text_pair: string(text_pair, "text_pair", i) };
}

function string(value: unknown, what: string, i: number): string {
  if (typeof value === "string") return value;
  throw new WebertError("bad_input", `${what} ${i + 1} is ${kindOf(value)}, not a string`);
}
