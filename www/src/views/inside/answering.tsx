// Station 5: the same last state, read by four heads.
import { useComputed } from "@preact/signals";
import { type Bar, Bars } from "../../components/bars.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { t } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import type { Model } from "../../model.ts";
import { ENTITY_NAMES } from "../../text/entity-names.ts";
import { nameOf, shownLabel, type Verdict, verdictOf } from "../../text/judge.ts";
import { fillGaps } from "../../text/offered.ts";
import { type Found, findNames } from "../judge/entities.ts";
import { judgeOf } from "../judge/judges.ts";
import { surenessOf } from "../judge/scale.tsx";
import { type Hidden, hide } from "../watch/hidden.ts";
import { Question } from "./question.tsx";
import type { StationProps } from "./words.tsx";

/** The answers of the four heads. */
interface Answers {
  hidden: Hidden;
  text: string;
  words: Bar[];
  feeling: Verdict;
  topic: Verdict;
  names: Found[];
}

/** The longest text that the heads read. */
const MOST = 600;
const SHOWN = 3;

async function ask(model: Model, whole: string, hidden: Hidden, signal: AbortSignal): Promise<Answers> {
  const text = whole.slice(0, MOST);
  const [unmask, entities] = await Promise.all([model.fillMask(), model.entities()]);
  const judged = async (kind: "feeling" | "topic"): Promise<Verdict> => {
    const judge = await judgeOf(model, kind, []);
    const [scores] = await judge.judge([text], signal);
    return verdictOf(judge, scores!);
  };
  const lists = await fillGaps(unmask, hidden.masked, { count: SHOWN, signal });
  return {
    hidden,
    text,
    words: (lists[hidden.mask] ?? []).map(({ token_str, score }) => ({ name: token_str, score })),
    feeling: await judged("feeling"),
    topic: await judged("topic"),
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
  const word = hidden.word ? t`Word: in place of “${hidden.word}”` : t`Word: in the gap`;
  return (
    <>
      <section>
        <h3>{word}</h3>
        <Bars label={word} bars={words} />
      </section>
      <Label title={t`Feeling`} kind="feeling" verdict={feeling} />
      <Label title={t`Topic`} kind="topic" verdict={topic} />
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

/** A classifier's verdict as the view Judge words it. Its bars have no numbers, because the models' cards support only some. */
function Label({ title, kind, verdict }: { title: string; kind: "feeling" | "topic"; verdict: Verdict }) {
  const said = nameOf(verdict);
  const sure = surenessOf(kind, verdict);
  const bars = verdict.labels
    .map((label, at) => ({ name: shownLabel(verdict, label), score: verdict.scores[at]! }))
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN);
  return (
    <section>
      <h3>{title}</h3>
      <p>{said === undefined ? t`It is unsure.` : t`It says ${shownLabel(verdict, said)}${sure && `, ${sure}`}.`}</p>
      <Bars label={title} bars={bars} isTranslated isUnnumbered />
    </section>
  );
}
