// The classifiers of the view Judge: the package's heads for sentiment and topic, and labels of the visitor by sentence vectors.
import type { Pipeline } from "webert";
import type { Model } from "../../model.ts";
import type { Judge } from "../../text/judge.ts";

/** What a text is judged by. */
export type Kind = "feeling" | "topic" | "labels" | "names" | "pairs";

/** The kinds that name one label for the whole text. */
export type LabelKind = Exclude<Kind, "names" | "pairs">;

type Classify = Pipeline<"text-classification">;
type Scored = { label: string; score: number };

/** The name of a label of the package's models, as the page writes it: "science_technology" has two parts. */
const readable = (label: string) => label.replaceAll("_", " and ");

/** A classifier over a pipeline: `labels` are its labels, in the order in which the page shows them. */
export function classifierOf(classify: Classify, labels: readonly string[]): Judge {
  return {
    labels: labels.map(readable),
    isProbability: true,
    judge: async (texts, signal) => {
      const answers = (await classify([...texts], { top_k: labels.length, signal: signal! })) as Scored[][];
      return answers.map((answer) => labels.map((label) => answer.find((one) => one.label === label)?.score ?? 0));
    },
  };
}

/** The labels of a pipeline, sorted by name. */
async function labelsOf(classify: Classify): Promise<string[]> {
  const [answer] = (await classify(["."], { top_k: 1000 })) as Scored[][];
  return answer!.map(({ label }) => label).sort();
}

/** The sentence that stands for a label: closer to texts about it than the bare word. */
const described = (label: string) => `This text is about ${label}.`;

/** Judges by the cosine between a text's vector and each label's. Nothing is trained. */
async function nearest(embed: Pipeline<"feature-extraction">, labels: readonly string[]): Promise<Judge> {
  const vectors = async (texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> => {
    const { dims, data } = await embed([...texts], { pooling: "model", normalize: true, signal: signal! });
    const width = dims.at(-1)!;
    const numbers = Float32Array.from(data as ArrayLike<number>);
    return texts.map((_, at) => numbers.subarray(at * width, (at + 1) * width));
  };
  const known = await vectors(labels.map(described));
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return {
    labels,
    isProbability: false,
    judge: async (texts, signal) =>
      (await vectors(texts, signal)).map((vector) => known.map((label) => cosine(vector, label))),
  };
}

/** The classifiers of a model, and the model's `replaced` when the first of them was made. */
interface Made {
  replaced: number;
  judges: Map<string, Promise<Judge>>;
}

const made = new WeakMap<Model, Made>();

/** A model's classifier of a kind. It is made at its first use, and again after the model's encoder was replaced. */
export function judgeOf(model: Model, kind: LabelKind, labels: readonly string[]): Promise<Judge> {
  const replaced = model.replaced.peek();
  let all = made.get(model);
  if (all?.replaced !== replaced) made.set(model, (all = { replaced, judges: new Map() }));
  const { judges } = all;
  const key = kind === "labels" ? JSON.stringify(labels) : kind;
  const there = judges.get(key);
  if (there) return there;
  const judge = make(model, kind, labels);
  judges.set(key, judge);
  judge.catch(() => judges.delete(key)); // the next call tries again
  return judge;
}

async function make(model: Model, kind: LabelKind, labels: readonly string[]): Promise<Judge> {
  if (kind === "labels") return nearest(await model.embeddings(), labels);
  const classify = await (kind === "feeling" ? model.sentiment() : model.topic());
  return classifierOf(classify, await labelsOf(classify));
}
