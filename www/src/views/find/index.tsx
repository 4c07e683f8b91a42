import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { PasteField } from "../../components/paste-field.tsx";
import { Took } from "../../components/took.tsx";
import { Mistake } from "../../explain.ts";
import { language, t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { readTexts } from "./files.ts";
import { HidePersonalData } from "./hide.tsx";
import { MapPlace, PassageMap } from "./map.tsx";
import { MOST_PASSAGES } from "./passages.ts";
import { PRESETS, type Preset } from "./presets.ts";
import { Results } from "./results.tsx";
import { answer } from "./search.ts";
import { canBeMapped, collectionOf, type FindState, stateOf } from "./state.ts";

const QUESTIONS = PRESETS.flatMap(({ questions }) => questions);

function View({ app }: { app: App }) {
  const state = stateOf(app);
  const { error, attempt } = useAttempt();
  const isPasting = useSignal(false);
  const choices = useRef(0);
  /** Loads a text and takes it, unless the visitor chose another one meanwhile: loads end in any order. */
  const choose = <T,>(load: () => Promise<T>, take: (loaded: T) => void) =>
    attempt(async () => {
      const mine = ++choices.current;
      const loaded = await load();
      if (mine === choices.current) take(loaded);
    });
  const takePreset = (preset: Preset) =>
    choose(preset.load, (text) => {
      state.collection.value = collectionOf(preset.name, { [preset.name]: text });
      isPasting.value = false;
      app.suggest(preset.questions[0]!, QUESTIONS);
    });
  const take = (name: string, texts: Record<string, string>) => {
    const collection = collectionOf(name, texts);
    if (!collection.passages.length) throw new Mistake(t`It contains no text.`);
    state.collection.value = collection;
    isPasting.value = false;
  };
  const takeFiles = (files: Iterable<File>) =>
    choose(
      () => readTexts([...files]),
      (texts) => {
        const names = Object.keys(texts);
        take(names.length === 1 ? names[0]! : t`${names.length} files`, texts);
      },
    );
  const takePasted = (text: string) =>
    choose(
      async () => text,
      (text) => take(t`your text`, { "your text": text }),
    );
  useEffect(() => {
    if (!state.collection.peek() && choices.current === 0) takePreset(PRESETS[0]!);
    const ends = [state.show(), state.personalData.follow()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <div
      class="find"
      data-drop
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (!event.dataTransfer?.files.length) return;
        event.preventDefault();
        takeFiles(event.dataTransfer.files);
      }}
    >
      <p class="hint lead">{t`Ask in your own words: BERT finds the passages of a text that mean the same.`}</p>
      <Answers app={app} state={state} />
      <section class="find-text" aria-labelledby="find-text-title">
        <h2 id="find-text-title">{t`Text to search`}</h2>
        <Sources state={state} takePreset={takePreset} takeFiles={takeFiles} isPasting={isPasting} />
        {isPasting.value && <Paste take={takePasted} />}
        <ErrorText error={error.value} />
        <Indexing state={state} />
      </section>
    </div>
  );
}

/** The question of the page's field, its passages and the map. */
function Answers({ app, state }: { app: App; state: FindState }) {
  const chosen = useSignal<number | null>(null);
  const found = useLatest(app, () => {
    const [ready, text] = [state.ready.value, app.text.value.trim()];
    return ready && text ? (signal) => answer(ready, text, signal) : null;
  });
  const { value, ms, busy, error } = found.value;
  const [mapped, ready, collection] = [state.mapped.value, state.ready.value, state.collection.value];
  // the first one's questions are there before its text
  const preset = collection ? PRESETS.find(({ name }) => name === collection.name) : PRESETS[0];
  const hidden = ready && state.personalData.hidden(ready.passages);
  const several = new Set(ready?.passages.map(({ source }) => source)).size > 1;
  return (
    <div class="find-answers">
      <section aria-labelledby="find-title" aria-busy={busy}>
        <h2 id="find-title">
          {value ? t`Closest to your sentence` : state.progress.value ? t`Reading …` : t`Ask something`}
        </h2>
        {preset && (
          <Chips
            label={t`Questions to try`}
            chips={preset.questions}
            onChoose={(question) => (app.text.value = question)}
          />
        )}
        {value && hidden && (
          <div class={busy ? "stale" : undefined}>
            <Results
              hits={value.hits}
              hidden={hidden}
              several={several}
              chosen={chosen.value}
              onChoose={(id) => (chosen.value = id)}
            />
            <Took ms={ms} />
          </div>
        )}
        <ErrorText app={app} error={error ?? state.error.value} about={{ thing: t`The search program` }} />
        <HidePersonalData finder={state.personalData} />
      </section>
      {mapped && ready && hidden ? (
        <PassageMap
          mapped={mapped}
          passages={ready.passages}
          hidden={hidden}
          hits={value?.hits ?? []}
          vector={value?.vector}
          chosen={chosen.value}
          onChoose={(id) => (chosen.value = id)}
        />
      ) : (
        !state.error.value && canBeMapped(collection) && <MapPlace />
      )}
    </div>
  );
}

function Sources({
  state,
  takePreset,
  takeFiles,
  isPasting,
}: {
  state: FindState;
  takePreset: (preset: Preset) => void;
  takeFiles: (files: Iterable<File>) => void;
  isPasting: { value: boolean };
}) {
  return (
    <div class="find-row">
      {PRESETS.map((preset) => (
        <button
          key={preset.id}
          type="button"
          class="chip"
          aria-pressed={state.collection.value?.name === preset.name}
          onClick={() => takePreset(preset)}
        >
          {t(preset.name)}
        </button>
      ))}
      <button
        type="button"
        class="chip"
        aria-expanded={isPasting.value}
        onClick={() => (isPasting.value = !isPasting.value)}
      >{t`Paste a text …`}</button>
      <label class="chip find-files">{tx`${(
        <input
          type="file"
          multiple
          class="visually-hidden"
          accept=".txt,.md,.csv,.tsv,.json,.html,.htm,text/*"
          onChange={({ currentTarget }) => {
            if (currentTarget.files?.length) takeFiles([...currentTarget.files]);
            currentTarget.value = ""; // so that the same files can be chosen again
          }}
        />
      )}Open files …`}</label>
    </div>
  );
}

function Paste({ take }: { take: (text: string) => void }) {
  const text = useSignal("");
  return (
    <form
      class="find-paste"
      onSubmit={(event) => {
        event.preventDefault();
        take(text.value);
      }}
    >
      <PasteField text={text} label={t`A text to look in`} placeholder={t`Paste a text here`} />
      <button type="submit">{t`Read it`}</button>
    </form>
  );
}

/** The name of a collection: a preset's in the visitor's language, a file's as it is. */
const nameOf = (name: string) => (PRESETS.some((preset) => preset.name === name) ? t(name) : name);

/** The progress of reading, or a summary of what was read. */
function Indexing({ state }: { state: FindState }) {
  const [progress, collection, ready] = [state.progress.value, state.collection.value, state.ready.value];
  if (progress)
    return (
      <p class="find-progress">
        <label for="find-progress">{tx`Reading ${progress.loaded} of ${progress.total} passages …`}</label>
        <progress id="find-progress" max={progress.total} value={progress.loaded} />
      </p>
    );
  if (!collection || !ready) return null;
  return (
    <p
      class="hint"
      role="status"
    >{tx`${ready.index.size.toLocaleString(language.value)} passages of ${nameOf(collection.name)} are in the index${
      collection.left > 0
        ? t`; ${collection.left.toLocaleString(language.value)} more had no room (${MOST_PASSAGES} at most)`
        : ""
    }. It finds by meaning and by words; nothing leaves this page. The page's model is small: a larger one for sentence embeddings, opened as your own, finds better.`}</p>
  );
}

export default { id: "find", View };
