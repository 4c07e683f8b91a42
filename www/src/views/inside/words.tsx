// The sentence as words to choose from, and the choice of a layer.
import { Words } from "../../components/words.tsx";
import { t } from "../../language.ts";
import type { Inside } from "./read.ts";
import type { InsideState } from "./state.ts";

/** What each station receives. */
export interface StationProps {
  app: import("../../app.ts").App;
  state: InsideState;
  inside: Inside;
}

/** The index of the word in view; `otherwise` if the visitor chose none. */
export const wordIn = ({ words }: Inside, state: InsideState, otherwise: number): number =>
  state.word.value >= 0 && state.word.value < words.length ? state.word.value : Math.max(0, otherwise);

export function WordChoice({ inside, state, chosen }: { inside: Inside; state: InsideState; chosen: number }) {
  const { text, words } = inside;
  let at = 0;
  const stretches = words.flatMap(({ start, end, text: word }) => {
    const between = { start: at, end: start, text: text.slice(at, start), kind: "between" as const };
    at = end;
    return [between, { start, end, text: word, kind: "word" as const }];
  });
  return (
    <Words
      label={t`The sentence: choose a word`}
      stretches={stretches}
      dress={({ start }) => ({ class: "inside-word", pressed: words[chosen]?.start === start })}
      onPress={({ start }) => (state.word.value = words.findIndex((word) => word.start === start))}
    />
  );
}

export function LayerChoice({ state, count, chosen }: { state: InsideState; count: number; chosen: number }) {
  return (
    <label class="inside-layer">
      {t`Layer`}
      <input
        type="range"
        min={1}
        max={count}
        value={chosen + 1}
        aria-valuetext={t`Layer ${chosen + 1} of ${count}`}
        onInput={({ currentTarget }) => (state.layer.value = Number(currentTarget.value) - 1)}
      />
      <output>
        {chosen + 1} / {count}
      </output>
    </label>
  );
}
