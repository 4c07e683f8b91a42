// Station 3: one head compares a word's query with every key, and mixes what it finds by the softmax of the scores.
import type { App } from "../../app.ts";
import { local, wholePercent } from "../../format.ts";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { headAt, looks, strongest } from "../look/attention.ts";
import { opensWith } from "../look/heads.ts";
import { Question, type Quiz } from "./question.tsx";
import { cosine, type Inside, rowOf, type ScoredKey, scoredKeys } from "./read.ts";
import { type StationProps, WordChoice, wordIn } from "./words.tsx";

/** Number of keys in the table, and of values in the mix. */
const SHOWN = 6;
const TERMS = 3;

export function Looking({ app, state, inside }: StationProps) {
  const { words, pieces, attention } = inside;
  const texts = words.map(({ text }) => text);
  const named = opensWith(texts);
  const [layer, head] =
    named.layer < attention.layers && named.head < attention.heads ? [named.layer, named.head] : [0, 0];
  const chosen = wordIn(inside, state, named.relation.sources(texts)[0] ?? 0);
  const token = words[chosen]!.tokens[0]!;
  const rows = scoredKeys(inside, layer, head, token).slice(0, SHOWN);
  const width = inside.states[0]!.dims.at(-1)! / attention.heads;
  const place = t`layer ${layer + 1}, head ${head + 1}`;
  return (
    <Question id={`looking ${inside.text}`} answers={state.answers} quiz={quizOf(inside, layer, head, chosen, place)}>
      <WordChoice inside={inside} state={state} chosen={chosen} />
      <table class="inside-table">
        <caption>{t`Where ${place} looks from “${words[chosen]!.text}”`}</caption>
        <thead>
          <tr>
            <th scope="col">{t`Piece`}</th>
            <th scope="col">q · k / √{width}</th>
            <th scope="col">{t`after the softmax`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ token: key, score, share }) => (
            <tr key={key}>
              <th scope="row">{pieces[key]}</th>
              <td>{local(score.toFixed(2))}</td>
              <td>
                <span class="inside-bar" style={{ "--share": String(share) }} aria-hidden="true" />
                {wholePercent(share)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {t`Each piece makes three rows of ${width} numbers: a query (what it looks for), a key (what it offers) and a value (what it passes on). The query times each key is a score; the softmax makes shares of the scores, which add up to 100 %. The head returns the values, mixed by these shares. ${attention.heads} heads in each of ${attention.layers} layers do so at once.`}
      </p>
      <p>
        {t`The mix for “${words[chosen]!.text}”:`} <code class="inside-mix">{mixOf(rows, pieces)}</code>
      </p>
      <BothSides app={app} />
    </Question>
  );
}

/** The sum of values that a head returns, its greatest terms first; `v` is a piece's value. */
const mixOf = (rows: readonly ScoredKey[], pieces: readonly string[]): string =>
  `${rows
    .slice(0, TERMS)
    .map(({ token, share }) => `${local(share.toFixed(2))} · v(${pieces[token]})`)
    .join(" + ")} + …`;

/** The question: the word that the head looks at most, among three. */
function quizOf({ words, attention }: Inside, layer: number, head: number, from: number, place: string): Quiz {
  const row = looks(attention, headAt(attention, layer, head), from);
  const best = strongest(row, from);
  const others = [...row.keys()].filter((at) => at !== best && at !== from && /\p{L}/u.test(words[at]!.text));
  const places = [best, others[0], others.at(-1)].filter((at) => at !== undefined && at >= 0) as number[];
  const options = [...new Set(places.sort((a, b) => a - b).map((at) => words[at]!.text))];
  return {
    question: t`Which word does ${place} look at most from “${words[from]!.text}”?`,
    options,
    truth: Math.max(0, options.indexOf(words[best]?.text ?? "")),
  };
}

/** Two sentences that are the same up to the word "bank", and differ only after it. */
const BANKS = ["The bank of the river was wide.", "The bank with my deposit was closed."] as const;

/** Why both sides are read: the word's numbers differ, although all that precedes it is the same. */
function BothSides({ app }: { app: App }) {
  const answer = useLatest<number[]>(app, () => {
    const model = app.model.value;
    return model && ((signal) => similarities(model, signal));
  });
  const layers = answer.value.value;
  return (
    <section class="inside-aside">
      <h3>{t`Why it reads in both directions`}</h3>
      <p lang="en">
        {BANKS.map((text) => (
          <span key={text} class="inside-example">
            {text}
          </span>
        ))}
      </p>
      <p>
        {t`Up to “bank” both are the same: who reads from left to right must take it for the same thing. BERT looks at what follows as well.`}{" "}
        {layers &&
          t`The two “bank” begin alike, with a cosine of ${local(layers[0]!.toFixed(2))}, and end at ${local(layers.at(-1)!.toFixed(2))} after the last layer.`}
      </p>
    </section>
  );
}

/** The cosine of both words "bank" after each layer, the embeddings first. */
async function similarities(model: NonNullable<App["model"]["value"]>, signal: AbortSignal): Promise<number[]> {
  const [{ model: encoder }, tokenizer] = await Promise.all([model.inspected(), model.tokenizer()]);
  const found: Inside["states"][] = [];
  for (const text of BANKS) {
    const { input_ids } = tokenizer(text, { return_tensor: false });
    const ids = (input_ids as unknown as (number | bigint)[]).map(Number);
    const { hidden_states } = await encoder({ input_ids: [ids] }, { output_hidden_states: true, signal });
    found.push(hidden_states as unknown as Inside["states"]);
  }
  const BANK = 2; // after [CLS] and "The"
  return found[0]!.map((state, layer) => cosine(rowOf(state, BANK), rowOf(found[1]![layer]!, BANK)));
}
