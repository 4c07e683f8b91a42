// Station 5: the same last state, read by four heads.
import { useComputed } from "@preact/signals";
import { Bars } from "../../components/bars.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import type { Model } from "../../model.ts";
import { ENTITY_NAMES } from "../../text/entity-names.ts";
import { labelName } from "../../text/label-names.ts";
import { fillGaps } from "../../text/offered.ts";
import { type Found, findNames } from "../judge/entities.ts";
import { type Hidden, hide } from "../watch/hidden.ts";
import { Question } from "./question.tsx";
import type { StationProps } from "./words.tsx";

interface Scored {
  name: string;
  score: number;
}

/** The answers of the four heads. */
interface Answers {
  hidden: Hidden;
  text: string;
  words: Scored[];
  feeling: Scored[];
  topic: Scored[];
  names: Found[];
}

/** The longest text that the heads read. */
const MOST = 600;
const SHOWN = 3;

async function ask(model: Model, whole: string, hidden: Hidden, signal: AbortSignal): Promise<Answers> {
  const text = whole.slice(0, MOST);
  const [unmask, sentiment, topics, entities] = await Promise.all([
    model.fillMask(),
    model.sentiment(),
    model.topic(),
    model.entities(),
  ]);
  const scored = async (classify: typeof sentiment): Promise<Scored[]> => {
    const answers = (await classify(text, { top_k: SHOWN, signal })) as unknown as { label: string; score: number }[];
    return answers.map(({ label, score }) => ({ name: labelName(label.replaceAll("_", " and ")), score }));
  };
  const lists = await fillGaps(unmask, hidden.masked, { count: SHOWN, signal });
  return {
    hidden,
    text,
    words: (lists[hidden.mask] ?? []).map(({ token_str, score }) => ({ name: token_str, score })),
    feeling: await scored(sentiment),
    topic: await scored(topics),
    names: entities ? await findNames(entities, text, signal) : [],
  };
}

export function Answering({ app, state }: Omit<StationProps, "inside">) {
  const hidden = useComputed(() => hide(app.text.value, app.hidden[0]));
  const answer = useLatest<Answers>(app, () => {
    const [model, text, asked] = [app.model.value, app.text.value, hidden.value];
    return model && asked && ((signal) => ask(model, text, asked, signal));
  });
  const { value, error, busy } = answer.value;
  return (
    <Question
      id="answering"
      answers={state.answers}
      quiz={{
        question: t`A hidden word, a feeling, a topic, names: how many encoders answer these four questions?`,
        options: ["1", "2", "4"],
        truth: 0,
      }}
    >
      <ErrorText app={app} error={error} />
      <div class="inside-heads" aria-busy={busy}>
        {value && <Heads {...value} />}
      </div>
      <p>
        {t`One encoder reads the sentence; four small layers, the heads, read its last state. The heads of word and names read each piece's numbers, those of feeling and topic the numbers at [CLS]. A head has less than a hundredth of the weights: that is why one model serves many tasks, and why a new one is taught in minutes. The head of names also brings an adapter, which changes the encoder's weights a little.`}
      </p>
      <p>
        {t`The numbers can also be used as they are, without a head: the mean over a text is its place on a map of meanings, by which Find searches. This is called feature-based use.`}
      </p>
    </Question>
  );
}

function Heads({ hidden, text, words, feeling, topic, names }: Answers) {
  const cards: [title: string, bars: readonly Scored[], isTranslated?: boolean][] = [
    [hidden.word ? t`Word: in place of “${hidden.word}”` : t`Word: in the gap`, words],
    [t`Feeling`, feeling, true],
    [t`Topic`, topic, true],
  ];
  return (
    <>
      {cards.map(([title, bars, isTranslated = false]) => (
        <section key={title}>
          <h3>{title}</h3>
          <Bars label={title} bars={bars} isTranslated={isTranslated} />
        </section>
      ))}
      <section>
        <h3>{t`Names and numbers`}</h3>
        {names.length === 0 ? (
          <p class="hint">{t`It finds none.`}</p>
        ) : (
          <ul>
            {names.map(({ start, end, label }) => (
              <li key={start}>
                <b lang="en">{text.slice(start, end)}</b> · {t(ENTITY_NAMES[label]?.[0] ?? label)}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
