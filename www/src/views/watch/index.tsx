// Watch it think: the answers of the model's own head over the state of each layer, for one hidden word.
import { useComputed } from "@preact/signals";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { SaveImage } from "../../components/save-image.tsx";
import { Took } from "../../components/took.tsx";
import { Words } from "../../components/words.tsx";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import type { Range } from "../../text/stretches.ts";
import { type Hidden, hide } from "./hidden.ts";
import { ASKED, type Rung, rungsOf, story } from "./ladder.ts";
import { LadderFigure } from "./ladder-figure.tsx";
import { paint } from "./picture.ts";
import { Scrubber, usePlayer } from "./player.tsx";
import { EXAMPLES, recordedRungs } from "./recorded.ts";

/** An answer with its question: while the next answer is computed, the sentence may already differ. */
interface Thought {
  hidden: Hidden;
  rungs: Rung[];
}

function View({ app }: { app: App }) {
  const hidden = useComputed(() => hide(app.text.value, app.hidden[0]));
  const thought = useLatest<Thought>(app, () => {
    const [model, asked] = [app.model.value, hidden.value];
    return model && asked && ((signal) => think(model, asked, signal));
  });
  const shown = useComputed((): { value: Thought | undefined } => {
    const { value } = thought.value;
    const asked = hidden.value;
    if (value || !asked || app.status.value.kind === "failed") return { value };
    const rungs = recordedRungs(app.text.value, asked);
    return { value: rungs && { hidden: asked, rungs } };
  });
  const player = usePlayer(shown);
  const { error, ms } = thought.value;
  const { value } = shown.value;
  const isRecorded = value !== undefined && value !== thought.value.value;
  const busy = thought.value.busy && !isRecorded;
  useAnnounced(app, value && !busy ? story(value.rungs) : "");
  if (!hidden.value)
    return <p class="hint">{t`Write a sentence: one of its words is hidden, and you see each layer guess it.`}</p>;
  return (
    <div class="watch">
      <p class="hint lead">{t`What BERT would say for a hidden word after each of its layers: watch it make up its mind.`}</p>
      <Sentence
        hidden={hidden.value}
        said={value && !busy ? value.rungs[player.layer.value]?.words[0]?.word : undefined}
        onHide={(range) => app.hide([range])}
      />
      <p class="hint">{tx`${hidden.value.word ? t`The model does not see “${hidden.value.word}”. ` : ""}Press another word to hide it instead.`}</p>
      {error ? (
        <ErrorText app={app} error={error} about={{ gaps: true, limit: app.limit.value }} />
      ) : value ? (
        <div class={busy ? "stale" : ""} aria-busy={busy}>
          <p class={player.playing.value ? "story yet" : "story"} dir="auto">
            {story(value.rungs)}
          </p>
          <LadderFigure rungs={value.rungs} layer={player.layer.value} />
          <Scrubber player={player} rungs={value.rungs} />
          <Took ms={ms} recorded={isRecorded} />
          <SaveImage
            name="watch-it-think.png"
            text={story(value.rungs)}
            paint={(canvas, dress) => paint(canvas, value.hidden, value.rungs, dress)}
          />
          <details class="how">
            <summary>{t`How this is computed`}</summary>
            <p>{t`BERT turns each piece of the sentence into numbers, which its layers change one after the other; only after the last one does its masked-LM head read a word from the gap. Here the same head reads after every layer, as if it were the last (“logit lens”). It was trained on the last layer alone, so its answers for low layers are a hint, not their knowledge. Special tokens, pieces of words and repetitions of a neighbour are left out. A stronger green is a greater probability.`}</p>
          </details>
        </div>
      ) : (
        <p class="hint pending">
          {app.model.value
            ? "…"
            : t`The layers answer once the model is loaded. The examples below answer at once, with recorded answers.`}
        </p>
      )}
      <Chips
        label={t`Examples`}
        chips={EXAMPLES.map(({ text }) => text)}
        onChoose={(text, index) => {
          app.text.value = text;
          app.hide([EXAMPLES[index]!]);
        }}
      />
    </div>
  );
}

async function think(model: NonNullable<App["model"]["value"]>, hidden: Hidden, signal: AbortSignal): Promise<Thought> {
  const unmask = await model.fillMask();
  const layers = await unmask.lens(hidden.masked, { top_k: ASKED, signal });
  return { hidden, rungs: rungsOf(layers, hidden.mask, hidden.before, hidden.after) };
}

/** The sentence in large type. The hidden word's place shows the answer of the layer in view. */
function Sentence({
  hidden,
  said,
  onHide,
}: {
  hidden: Hidden;
  said: string | undefined;
  onHide: (range: Range) => void;
}) {
  const { stretches, gap, word, cutBefore, cutAfter } = hidden;
  return (
    <Words
      label={t`The sentence: choose the word to hide`}
      stretches={[...(cutBefore ? [{ start: 0, end: 0, text: "… ", kind: "between" } as const] : []), ...stretches]}
      dress={({ start, kind }) =>
        start === stretches[gap]!.start
          ? {
              class: "hidden-word",
              pressed: true,
              label: `${word ? t`${word}, hidden` : t`gap`}${said ? `: ${said}` : ""}`,
              content: said ?? "\u2003\u2003",
            }
          : { pressed: false, ...(kind === "gap" && { label: t`gap`, content: "____" }) }
      }
      onPress={({ start, end }) => onHide({ start, end })}
      {...(cutAfter && { more: t`… The rest of the text is too far from the gap to be read here.` })}
    />
  );
}

export default { id: "watch", View };
