// Judge: a verdict on the sentence, and which of its words it depends on.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { Choices } from "../../components/choices.tsx";
import { t } from "../../language.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { Judged } from "./judged.tsx";
import type { Kind } from "./judges.ts";
import { Names } from "./names.tsx";
import { Pairs } from "./pairs.tsx";
import { FIRST } from "./presets.ts";
import { stateOf } from "./state.ts";

/** What a sentence can be judged by; pairs only if the visitor's model has the head. */
const kindsOf = (hasPairs: boolean): readonly { id: Kind; title: string }[] => [
  { id: "feeling", title: t`Feeling` },
  { id: "topic", title: t`Topic` },
  { id: "labels", title: t`Your own labels` },
  { id: "names", title: t`Names and numbers` },
  ...(hasPairs ? [{ id: "pairs" as const, title: t`Two sentences` }] : []),
];

const LEADS: Partial<Record<Kind, () => string>> = {
  names: () => t`BERT marks the names and numbers in your sentence.`,
  pairs: () => t`BERT judges whether the second sentence follows the first one.`,
};

/** True once the model in use is known to have a head for pairs of sentences. */
function useHasPairs(app: App): boolean {
  const found = useSignal(false);
  useSignalEffectNow(() => {
    const model = app.model.value;
    found.value = false;
    model?.nextSentence().then(
      (head) => model === app.model.peek() && (found.value = head !== null),
      () => {}, // the model's other heads work
    );
  });
  return found.value;
}

function View({ app }: { app: App }) {
  const state = stateOf(app);
  const hasPairs = useHasPairs(app);
  const kind = state.kind.value === "pairs" && !hasPairs ? "feeling" : state.kind.value;
  useLayoutEffect(() => {
    app.suggest(FIRST); // before the first frame
  }, []);
  return (
    <div class="judge">
      <p class="hint lead">
        {LEADS[kind]?.() ??
          t`BERT judges your sentence. A thick line marks a word that the verdict depends on; press a word to strike it out, hold it for other words.`}
      </p>
      <Choices
        label={t`What it is judged by`}
        name="judge-as"
        options={kindsOf(hasPairs)}
        chosen={kind}
        onChoose={(id) => state.choose(id)}
      />
      {kind === "names" ? (
        <Names app={app} />
      ) : kind === "pairs" ? (
        <Pairs app={app} state={state} />
      ) : (
        <Judged key={kind} app={app} state={state} kind={kind} />
      )}
    </div>
  );
}

export default { id: "judge", View };
