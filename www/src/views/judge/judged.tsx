// The verdict on the sentence by one label, its reasons, and what would turn it.
import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { App } from "../../app.ts";
import { useAnnounced } from "../../components/announced.ts";
import { Chips } from "../../components/chips.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { SaveImage } from "../../components/save-image.tsx";
import { Took } from "../../components/took.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { named } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useLatest } from "../../latest.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { type Judgement, judgeText, nameOf, shownLabel, story } from "../../text/judge.ts";
import { type Range, shownOf, stretchesOf } from "../../text/stretches.ts";
import { useExactReasons } from "./exact-reasons.ts";
import { How } from "./how.tsx";
import { judgeOf, type LabelKind } from "./judges.ts";
import { OwnLabels } from "./own-labels.tsx";
import { paint } from "./picture.ts";
import { EXAMPLES } from "./presets.ts";
import { recordedJudgement } from "./recorded.ts";
import { Scale, Shares, styleOf, surenessOf } from "./scale.tsx";
import { Sentence } from "./sentence.tsx";
import type { JudgeState } from "./state.ts";
import { Swaps } from "./swaps.tsx";
import { Traps } from "./traps.tsx";

interface Props {
  app: App;
  state: JudgeState;
  kind: LabelKind;
}

/** A judgement with its question: while the next one is computed, the sentence may already differ. */
interface Answered {
  text: string;
  struck: readonly Range[];
  judgement: Judgement | undefined;
}

export function Judged({ app, state, kind }: Props) {
  const shown = useComputed(() => shownOf(app.text.value));
  const answer = useLatest<Answered>(app, () => {
    const [model, { shown: text }, struck, labels] = [
      app.model.value,
      shown.value,
      state.struck.value,
      state.labels.value,
    ];
    if (!model || !text.trim() || (kind === "labels" && labels.length < 2)) return null;
    return async (signal) => {
      const judge = await judgeOf(model, kind, labels);
      return { text, struck, judgement: await judgeText(judge, text, struck, signal) };
    };
  });
  const { shown: text, cut } = shown.value;
  const { value, error, ms, busy } = answer.value;
  const struck = state.struck.value;
  const recorded = value || struck.length > 0 ? undefined : recordedJudgement(kind, state.labels.value, text);
  const judgement = recorded ?? (value?.judgement && matching(value.judgement, text));
  const exact = useExactReasons(app, kind, text, struck);
  /** The start of the word whose alternatives are shown. */
  const held = useSignal<number | undefined>(undefined);
  useSignalEffectNow(() => {
    const words = stretchesOf(shown.value.shown);
    if (!words.some(({ kind, start }) => kind === "word" && start === held.peek())) held.value = undefined;
  });
  useAnnounced(app, busy || !judgement ? "" : summaryOf(kind, judgement));
  // the same element each time, so that keys do not render it again
  const below = useMemo(() => <Below app={app} state={state} kind={kind} />, [app, state, kind]);
  const nothing = struck.length > 0 && value !== undefined && !value.judgement;
  return (
    <div class="judged" aria-busy={busy}>
      {kind === "labels" && <OwnLabels app={app} state={state} />}
      <Sentence
        text={text}
        cut={cut}
        judgement={judgement}
        struck={struck}
        exact={exact.reasons.value}
        held={held.value}
        onStrike={(range) => state.strike(range)}
        onHold={({ start }) => (held.value = start)}
      />
      {judgement ? (
        <>
          <Said kind={kind} judgement={judgement} />
          <Took ms={ms} recorded={recorded !== undefined} />
        </>
      ) : nothing ? (
        <p class="hint">{t`No word is left to judge.`}</p>
      ) : (
        <Waiting app={app} />
      )}
      <ErrorText app={app} error={error} about={{ thing: t`The model that judges` }} />
      {judgement && (
        <Swaps app={app} state={state} kind={kind} text={text} judgement={judgement} held={held} exact={exact} />
      )}
      {judgement && (
        <SaveImage
          name="judge.png"
          isPlain
          text={summaryOf(kind, judgement)}
          paint={(canvas, dress) => paint(canvas, { kind, text, struck, judgement }, dress)}
        />
      )}
      {below}
    </div>
  );
}

/** What does not depend on the sentence: sentences to try, and how the verdict is computed. */
function Below({ app, state, kind }: Props) {
  return (
    <>
      {kind === "feeling" ? (
        <Traps app={app} state={state} />
      ) : (
        <>
          <h2>{t`Examples`}</h2>
          <Chips label={t`Examples`} chips={EXAMPLES[kind]} onChoose={(text) => state.write(text)} />
        </>
      )}
      <How kind={kind} />
    </>
  );
}

/** The judgement with the words that have kept their place in the current text. */
const matching = ({ verdict, reasons }: Judgement, text: string): Judgement => ({
  verdict,
  reasons: reasons.filter(({ start, end, word }) => text.slice(start, end) === word),
});

/** The verdict and its story in one sentence or two. */
export function summaryOf(kind: LabelKind, judgement: Judgement): string {
  const { verdict } = judgement;
  const said = nameOf(verdict);
  const sure = surenessOf(kind, verdict);
  return `${said === undefined ? t`It is unsure.` : t`It says ${shownLabel(verdict, said)}${sure && `, ${sure}`}.`} ${story(judgement, named)}`.trim();
}

/** The verdict in large type, on its scale, with the sentence about its reasons. */
function Said({ kind, judgement }: { kind: LabelKind; judgement: Judgement }) {
  const { verdict } = judgement;
  const said = nameOf(verdict);
  const sure = surenessOf(kind, verdict);
  return (
    <section class="judge-said" aria-label={t`The verdict`}>
      <p class="judge-verdict">
        {said === undefined
          ? t`It is unsure.`
          : tx`It says ${(
              <strong style={styleOf(kind, verdict.best)} dir="auto">
                {shownLabel(verdict, said)}
              </strong>
            )}${sure && <span class={kind === "feeling" ? "judge-odds" : undefined}>, {sure}</span>}`}
      </p>
      {kind === "feeling" ? <Scale verdict={verdict} kind={kind} /> : <Shares verdict={verdict} kind={kind} />}
      <p class="judge-story" dir="auto">
        {story(judgement, named)}
      </p>
    </section>
  );
}
