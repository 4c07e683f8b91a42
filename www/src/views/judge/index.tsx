// Judge: a verdict on the sentence, and which of its words it depends on.
import { useEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { Choices } from "../../components/choices.tsx";
import { Judged } from "./judged.tsx";
import type { Kind } from "./judges.ts";
import { Names } from "./names.tsx";
import { FIRST } from "./presets.ts";
import { stateOf } from "./state.ts";

const KINDS: readonly { id: Kind; title: string }[] = [
  { id: "feeling", title: "Feeling" },
  { id: "topic", title: "Topic" },
  { id: "labels", title: "Your own labels" },
  { id: "names", title: "Names and numbers" },
];

function View({ app }: { app: App }) {
  const state = stateOf(app);
  const kind = state.kind.value;
  useEffect(() => app.suggest(FIRST, []), []);
  return (
    <div class="judge">
      <p class="hint lead">
        {kind === "names"
          ? "BERT marks the names and numbers in your sentence."
          : "BERT judges your sentence. A thick line marks a word that the verdict depends on; press a word to strike it out."}
      </p>
      <Choices
        label="What it is judged by"
        name="judge-as"
        options={KINDS}
        chosen={kind}
        onChoose={(id) => state.choose(id)}
      />
      {kind === "names" ? <Names app={app} /> : <Judged key={kind} app={app} state={state} kind={kind} />}
    </div>
  );
}

export default { id: "judge", title: "Judge", View };
