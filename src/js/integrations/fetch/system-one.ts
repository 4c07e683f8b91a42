// The route of System One, TypeSafe's API for decisions: /v1/systemone.
import { kindOf } from "../../values.js";
import { decide, type Question } from "../decide.js";
import type { StatePart } from "../states.js";
import { type Fields, HttpError, invalid, onlyKnown, text } from "./http.js";
import type { Context } from "./routes.js";

/** Maximum numbers of options and of levels. */
const MOST = { choice: 255, score: 10 };

/** Answers questions about a state by the pipelines of a model. */
export async function systemOne(fields: Fields, { models, signal }: Context): Promise<object> {
  onlyKnown(fields, ["model", "state", "questions"]);
  const model = models.named(text(fields, "model"));
  const state = stateOf(fields.state);
  const questions = Object.fromEntries(
    Object.entries(objectAt("questions", fields.questions)).map(([id, question]) => [id, questionOf(id, question)]),
  );
  if (!Object.keys(questions).length) throw new HttpError("empty", "questions: expected at least one", "questions");
  const decided = await decide({ pipelines: model.pipelines }, state, questions, signal);
  const refused = decided.warnings.find((one) => one.type === "unsupported");
  if (refused?.type === "unsupported")
    throw new HttpError("wrong_model", `${refused.feature}: ${refused.details}`, "questions");
  const answers = Object.entries(decided.answers).map(([id, answer]) => [
    id,
    answer.type === "boolean" ? { type: "noul", noul: answer.probability } : answer,
  ]);
  const usage = { input_tokens: decided.tokens, output_tokens: 0 };
  return { model: model.id, answers: Object.fromEntries(answers), usage };
}

function objectAt(name: string, value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(name, `expected an object, got ${kindOf(value)}`);
  return value as Fields;
}

/** Reads a state: a text, an object, or parts. */
function stateOf(state: unknown): StatePart[] {
  if (typeof state === "string") return [{ type: "text", text: state }];
  if (Array.isArray(state)) return state.map((part, n) => objectAt(`state[${n}]`, part) as unknown as StatePart);
  return [{ type: "json", value: objectAt("state", state) }];
}

function questionOf(id: string, value: unknown): Question {
  const name = `questions.${id}`;
  const question = objectAt(name, value);
  onlyKnown(question, ["type", "instructions", "criteria"], `${name}.`);
  const {
    type,
    instructions = null,
    criteria,
  } = question as { type: string; instructions?: string; criteria?: object };
  if (type === "noul")
    return { type: "boolean", instructions, criteria: criteria ? objectAt(`${name}.criteria`, criteria) : null };
  if (type !== "choice" && type !== "score")
    throw invalid(`${name}.type`, `expected one of choice, score, noul, got ${JSON.stringify(type)}`);
  if (type === "score" && !Array.isArray(criteria)) throw invalid(`${name}.criteria`, "expected an array of levels");
  const options = type === "score" ? (criteria as never[]) : objectAt(`${name}.criteria`, criteria);
  const count = Object.keys(options).length;
  if (count < 1 || count > MOST[type])
    throw invalid(`${name}.criteria`, `expected 1 to ${MOST[type]} options, got ${count}`);
  return { type, instructions, criteria: options } as Question;
}
