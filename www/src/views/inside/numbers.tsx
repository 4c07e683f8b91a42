// Station 2: a piece becomes a row of numbers, the sum of its word, its place and its segment.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { local } from "../../format.ts";
import { language, t } from "../../language.ts";
import { type Parts, tablesOf } from "./embeddings.ts";
import { Question } from "./question.tsx";
import { cosine, rowOf } from "./read.ts";
import { Strip } from "./strip.tsx";
import { type StationProps, WordChoice, wordIn } from "./words.tsx";

/** Number of values that are written out. */
const WRITTEN = 4;

export function Numbers({ app, state, inside }: StationProps) {
  const width = inside.states[0]!.dims.at(-1)!;
  const chosen = wordIn(inside, state, 0);
  const word = inside.words[chosen]!;
  const token = word.tokens[0]!;
  const parts = useParts(app, inside.ids[token]!, token);
  const after = rowOf(inside.states[0]!, token);
  const strips: [string, ArrayLike<number>][] = [
    ...(parts
      ? ([
          [t`the word “${inside.pieces[token]!}”`, parts.word],
          [t`+ place ${token}`, parts.place],
          [t`+ segment 1`, parts.segment],
          [t`= the sum`, parts.sum],
        ] satisfies [string, ArrayLike<number>][])
      : []),
    [t`the sum, normalised: what the first layer reads`, after],
  ];
  return (
    <Question
      id="numbers"
      answers={state.answers}
      quiz={{
        question: t`How many numbers stand for one piece?`,
        options: ["1", String(width), (30_522).toLocaleString(language.value)],
        truth: 1,
      }}
    >
      <WordChoice inside={inside} state={state} chosen={chosen} />
      <dl class="inside-strips">
        {strips.map(([name, values]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Strip values={values} label={t`${width} numbers: ${firstOf(values)} …`} />
              <code>{firstOf(values)} …</code>
            </dd>
          </div>
        ))}
      </dl>
      <p>
        {t`The word's row says what it is, the place's row where it stands, the segment's row whether it belongs to the first or the second sentence. All three were learnt. BERT has no other notion of order: without places, “dog bites man” and “man bites dog” would be the same.`}
      </p>
      <Senses inside={inside} chosen={chosen} />
    </Question>
  );
}

const firstOf = (values: ArrayLike<number>) =>
  Array.from({ length: WRITTEN }, (_, at) => local(values[at]!.toFixed(2))).join(language.value === "en" ? ", " : "; ");

/** The parts of a token's embedding, once they are read; undefined for a file that cannot be read here. */
function useParts(app: StationProps["app"], id: number, position: number): Parts | undefined {
  const parts = useSignal<Parts | undefined>(undefined);
  const source = app.model.value?.source;
  useEffect(() => {
    let isCurrent = true;
    const read = async () => (source === undefined ? undefined : (await tablesOf(source))?.parts(id, position));
    read().then(
      (found) => isCurrent && (parts.value = found),
      () => {}, // the strip of the sum stays, which the encoder returns
    );
    return () => {
      isCurrent = false;
    };
  }, [source, id, position]);
  return parts.value;
}

/** How alike the chosen word's numbers are to the other words', before the first layer and after the last. */
function Senses({ inside, chosen }: { inside: StationProps["inside"]; chosen: number }) {
  const { words, states } = inside;
  const [first, last] = [states[0]!, states.at(-1)!];
  const of = (layer: (typeof states)[number], word: number) => rowOf(layer, words[word]!.tokens[0]!);
  const others = words
    .map(({ text }, at) => ({
      text,
      at,
      before: cosine(of(first, at), of(first, chosen)),
      after: cosine(of(last, at), of(last, chosen)),
    }))
    .filter(({ at, text }) => at !== chosen && /\p{L}/u.test(text))
    .sort((a, b) => b.after - a.after)
    .slice(0, 6);
  if (others.length === 0) return null;
  return (
    <table class="inside-table">
      <caption>{t`How alike the numbers of “${words[chosen]!.text}” are to the others' (cosine)`}</caption>
      <thead>
        <tr>
          <th scope="col">{t`Word`}</th>
          <th scope="col">{t`before the first layer`}</th>
          <th scope="col">{t`after the last`}</th>
        </tr>
      </thead>
      <tbody>
        {others.map(({ text, at, before, after }) => (
          <tr key={at}>
            <th scope="row">{text}</th>
            <td>{local(before.toFixed(2))}</td>
            <td>{local(after.toFixed(2))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
