// Look: where attention heads look in the sentence, named heads first.
import { useComputed, useSignal } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Choices } from "../../components/choices.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { timeLeft } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { AllHeads } from "./all-heads.tsx";
import { headAt, type Place } from "./attention.ts";
import { AttentionTable } from "./attention-table.tsx";
import { busiest, evidence, NAMED, namedAt, opensWith, targetsOf } from "./heads.ts";
import { MOST_WORDS, type Read, read } from "./read.ts";
import { Stage } from "./stage.tsx";

/** The stored form of a head's place: "2.4". */
const written = ({ layer, head }: Place) => `${layer}.${head}`;

function placeOf(text: string, { layers, heads }: Read["attention"]): Place | undefined {
  const [, layer, head] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  return layer && Number(layer) < layers && Number(head) < heads
    ? { layer: Number(layer), head: Number(head) }
    : undefined;
}

function View({ app }: { app: App }) {
  const chosen = app.saved("look.head", "");
  const isAll = app.saved("look.all", "");
  const word = useSignal(-1);
  useSignalEffectNow(() => {
    app.text.value;
    word.value = -1;
  });
  const answer = useLatest<Read>(app, () => {
    const [model, text] = [app.model.value, app.text.value];
    return model && text.trim() ? (signal) => read(model, text, signal) : null;
  });
  const isOwn = app.model.value?.name !== undefined;
  const place = useComputed((): Place | undefined => {
    const { value } = answer.value;
    if (!value?.words.length) return undefined;
    const given = placeOf(chosen.value, value.attention);
    if (given) return given;
    if (app.model.value?.name === undefined) return opensWith(value.words.map(({ text }) => text));
    const { heads } = value.attention;
    const best = busiest(value.attention);
    return { layer: Math.floor(best / heads), head: best % heads };
  });
  const { value, error, busy } = answer.value;
  const here = place.value;
  const named = here && !isOwn ? namedAt(here.layer, here.head) : undefined;
  const choose = (at: Place) => {
    chosen.value = written(at);
    word.value = -1;
  };
  useAnnounced(
    app,
    value && here && !busy
      ? `${titleOf(here, named && t(named.relation.name))}. ${summary(value, here, word.value, named)}`
      : "",
  );
  if (error) return <ErrorText app={app} error={error} />;
  if (!app.text.value.trim())
    return <p class="hint">{t`Write a sentence: you see which of its words look at which.`}</p>;
  if (!value) return <Waiting app={app} />;
  if (!here) return <p class="hint">{t`There is no word in this text.`}</p>;
  return (
    <div class="look" aria-busy={busy}>
      <p class="hint lead">{t`To read a word, BERT looks at others. Lines show where one of its heads looks; some have a job that can be named.`}</p>
      {!isOwn && <NamedHeads here={here} onChoose={choose} />}
      <section aria-labelledby="look-title">
        <h2 id="look-title">{titleOf(here, named && t(named.relation.name))}</h2>
        <Missing app={app} read={value} named={named} />
        <Stage
          read={value}
          head={headAt(value.attention, here.layer, here.head)}
          sources={named && sourcesIn(value, named)}
          word={word}
        />
        {value.cut && (
          <p class="hint">{tx`The first ${Math.min(MOST_WORDS, value.words.length)} words are read and shown.`}</p>
        )}
        <p class="look-told" dir="auto">
          {summary(value, here, word.value, named)}
        </p>
        {named && <p class="hint">{evidence(named)}</p>}
        <p class="hint">{t`This is where the head looks, not why the model decides.`}</p>
        <AttentionTable
          read={value}
          head={headAt(value.attention, here.layer, here.head)}
          title={titleOf(here, named && t(named.relation.name))}
        />
      </section>
      <AllHeads
        read={value}
        here={here}
        isOpen={isAll.value === "1" || isOwn}
        isOwn={isOwn}
        onToggle={(open) => (isAll.value = open ? "1" : "")}
        onChoose={choose}
      />
      <HowFound isOwn={isOwn} />
    </div>
  );
}

function Waiting({ app }: { app: App }) {
  const status = app.status.value;
  if (app.model.value || status.kind !== "loading") return <p class="hint">…</p>;
  const left = status.seconds === undefined ? "" : t`: ${timeLeft(status.seconds)} left`;
  return <p class="hint">{tx`You will see which words look at which once the model is loaded${left}.`}</p>;
}

const titleOf = ({ layer, head }: Place, name?: string) =>
  name ? t`${name}: layer ${layer + 1}, head ${head + 1}` : t`Layer ${layer + 1}, head ${head + 1}`;

const sourcesIn = ({ words }: Read, { relation }: { relation: (typeof NAMED)[number]["relation"] }) =>
  relation.sources(words.map(({ text }) => text));

/** A sentence that describes the drawing: for the chosen word, or for the first word that the head is about. */
function summary(read: Read, here: Place, word: number, named?: (typeof NAMED)[number]): string {
  const head = headAt(read.attention, here.layer, here.head);
  const from = word >= 0 && word < read.words.length ? word : named ? sourcesIn(read, named)[0] : undefined;
  if (from === undefined) return t`Choose a word to see where it looks.`;
  return t`“${read.words[from]!.text}” looks at ${targetsOf(read.attention, read.words, head, from)}.`;
}

/** The named heads: one tab stop, arrow keys choose. */
function NamedHeads({ here, onChoose }: { here: Place; onChoose: (place: Place) => void }) {
  return (
    <Choices
      label={t`Heads with a name`}
      name="named-head"
      options={NAMED.map(({ id, relation }) => ({ id, title: t(relation.name) }))}
      chosen={NAMED.find(({ layer, head }) => layer === here.layer && head === here.head)?.id}
      onChoose={(id) => onChoose(NAMED.find((one) => one.id === id)!)}
    />
  );
}

/** A message for a head without words in the sentence, and an example sentence. */
function Missing({ app, read, named }: { app: App; read: Read; named: (typeof NAMED)[number] | undefined }) {
  if (!named || sourcesIn(read, named).length > 0) return null;
  return (
    <p class="look-missing">
      {t(named.relation.none)}{" "}
      <button type="button" class="chip" onClick={() => (app.text.value = named.relation.example)}>
        {named.relation.example}
      </button>
    </p>
  );
}

function HowFound({ isOwn }: { isOwn: boolean }) {
  return (
    <details class="how">
      <summary>{t`How the heads got their names`}</summary>
      {isOwn && <p>{t`The names belong to the built-in model's heads; your own model has others.`}</p>}
      <p>{t`Nobody taught a head its job. A script searched thousands of plain sentences for pairs of words by a simple rule. For each of the 72 heads it counted how often the word with most attention, without the word itself, is the other word of the pair. One half of the sentences chose the head, the other half is counted in the figures. A head gets a name only if it beats a fixed distance. The sentences come from the model’s training and test texts.`}</p>
      <ul>
        {NAMED.map(({ id, relation }) => (
          <li key={id}>
            {t(relation.name)}: {t(relation.rule)}.
          </li>
        ))}
      </ul>
      <p>{t`A word in several pieces looks as the mean of its pieces and is looked at as their sum. The rest of the 100 % goes to the marks [CLS] and [SEP] at the ends; idle heads look there.`}</p>
    </details>
  );
}

export default { id: "look", View };
