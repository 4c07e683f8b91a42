// Chooses the layer in view. The ladder plays once, from the embeddings up; then the visitor can scrub it.
import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import type { Rung } from "./ladder.ts";

/** Milliseconds per layer while the ladder plays. */
const STEP = 420;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export interface Player {
  /** The layer in view; the last one unless the ladder plays or is scrubbed. */
  readonly layer: Signal<number>;
  readonly playing: Signal<boolean>;
  play(): void;
  /** Shows a layer and stops playing. */
  go(layer: number): void;
}

/** True if the ladder was played since the page was loaded. */
let played = false;

/** Plays the first answer, if motion is wanted. Later answers show their last layer. */
export function usePlayer(thought: ReadonlySignal<{ value: { rungs: readonly Rung[] } | undefined }>): Player {
  const layer = useSignal(0);
  const playing = useSignal(false);
  const last = () => (thought.peek().value?.rungs.length ?? 1) - 1;
  const play = () => {
    layer.value = 0;
    playing.value = true;
  };
  useSignalEffectNow(() => {
    if (!thought.value.value) return;
    if (played || still()) {
      if (!playing.peek()) layer.value = last();
      return;
    }
    played = true;
    play();
  });
  useSignalEffectNow(() => {
    if (!playing.value) return;
    if (layer.value >= last()) {
      playing.value = false;
      return;
    }
    const step = setTimeout(() => (layer.value = Math.min(layer.peek() + 1, last())), STEP);
    return () => clearTimeout(step);
  });
  return {
    layer,
    playing,
    play,
    go: (to) => {
      playing.value = false;
      layer.value = to;
    },
  };
}

/** The name of a layer. */
export const nameOf = (layer: number) => (layer === 0 ? t`Embeddings` : t`Layer ${layer}`);

/** The slider and buttons for the layers. */
export function Scrubber({ player, rungs }: { player: Player; rungs: readonly Rung[] }) {
  const layer = Math.min(player.layer.value, rungs.length - 1);
  const said = rungs[layer]?.words[0]?.word;
  return (
    <div class="scrubber">
      {!still() && (
        <button type="button" class="plain" onClick={player.play}>
          {player.playing.value ? t`From the start` : t`Play again`}
        </button>
      )}
      <label>
        <span>{nameOf(layer)}</span>
        <input
          type="range"
          min={0}
          max={rungs.length - 1}
          step={1}
          value={layer}
          aria-label={t`Layer`}
          aria-valuetext={`${nameOf(layer)}${said ? `: ${said}` : ""}`}
          onInput={(event) => player.go(Number(event.currentTarget.value))}
        />
      </label>
    </div>
  );
}
