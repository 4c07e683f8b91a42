// Station 4: the feed-forward of a layer, whose units fire or stay silent for a word.
import { amount, local, wholePercent } from "../../format.ts";
import { language, t } from "../../language.ts";
import { Question } from "./question.tsx";
import { activeUnits, type Inside, rowOf, weightsOf } from "./read.ts";
import { Strip } from "./strip.tsx";
import { LayerChoice, type StationProps, WordChoice, wordIn } from "./words.tsx";

/** Number of units in the table, and cells in a row of the drawing. */
const SHOWN = 5;
const COLUMNS = 64;

/** The shares of units that fire, between the options of the question. */
const BOUNDS = [0.1, 0.5];

export function Thinking({ app, state, inside }: StationProps) {
  const { words, activations } = inside;
  const chosen = wordIn(inside, state, words.length - 2);
  const layer = state.layer.value >= 0 ? Math.min(state.layer.value, activations.length - 1) : 0;
  const token = words[chosen]!.tokens[0]!;
  const units = activations[layer]!.dims.at(-1)!;
  const active = activeUnits(inside, layer, token);
  const share = active.length / units;
  const named = units.toLocaleString(language.value);
  return (
    <Question
      id={`thinking ${inside.text}`}
      answers={state.answers}
      quiz={{
        question: t`How many of the ${named} units of layer 1 fire for “${words[chosen]!.text}”?`,
        options: [t`fewer than 10 %`, t`10 to 50 %`, t`more than 50 %`],
        truth: BOUNDS.filter((bound) => activeUnits(inside, 0, token).length / units >= bound).length,
      }}
    >
      <WordChoice inside={inside} state={state} chosen={chosen} />
      <LayerChoice state={state} count={activations.length} chosen={layer} />
      <Strip
        values={rowOf(activations[layer]!, token)}
        columns={COLUMNS}
        label={t`${active.length} of ${named} units fire in layer ${layer + 1}`}
      />
      <p>
        {t`In layer ${layer + 1}, ${active.length} of ${named} units fire for “${words[chosen]!.text}”: ${wholePercent(share)}. Attention carries numbers between words; the feed-forward works on each word alone. A unit fires if the word's numbers fit its pattern, and then adds its own row to them. Much of what BERT knows is stored here.`}
      </p>
      <Units inside={inside} layer={layer} active={active.slice(0, SHOWN)} />
      <Weights inside={inside} app={app} />
    </Question>
  );
}

/** The strongest units, each with the other word of the sentence for which it fires most. */
function Units({
  inside,
  layer,
  active,
}: {
  inside: Inside;
  layer: number;
  active: { unit: number; value: number }[];
}) {
  const { words, activations } = inside;
  const strongestFor = (unit: number) => {
    const of = ({ tokens }: (typeof words)[number]) => rowOf(activations[layer]!, tokens[0]!)[unit]!;
    return words.filter((word) => of(word) > 0.1).sort((a, b) => of(b) - of(a));
  };
  return (
    <table class="inside-table">
      <caption>{t`The units that fire most`}</caption>
      <thead>
        <tr>
          <th scope="col">{t`Unit`}</th>
          <th scope="col">{t`value`}</th>
          <th scope="col">{t`fires in this sentence for`}</th>
        </tr>
      </thead>
      <tbody>
        {active.map(({ unit, value }) => (
          <tr key={unit}>
            <th scope="row">{unit + 1}</th>
            <td>{local(value.toFixed(2))}</td>
            <td>
              {strongestFor(unit)
                .slice(0, 4)
                .map(({ text }) => text)
                .join(", ")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Where the model's weights are. */
function Weights({ inside, app }: Pick<StationProps, "inside" | "app">) {
  const { states, activations } = inside;
  const { attention, forward, embeddings } = weightsOf({
    hidden: states[0]!.dims.at(-1)!,
    units: activations[0]!.dims.at(-1)!,
    layers: activations.length,
    vocabulary: app.tokenizer.value?.get_vocab().size ?? 0,
    positions: app.limit.value,
  });
  const [layers, all] = [attention + forward, attention + forward + embeddings];
  return (
    <p>
      {t`Of the weights in the layers, ${wholePercent(attention / layers)} are attention's and ${wholePercent(forward / layers)} the feed-forward's. The table of words and places has ${wholePercent(embeddings / all)} of all ${amount(all, "")}.`}
    </p>
  );
}
