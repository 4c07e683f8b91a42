// Texts without a label, one card at a time: a button for each label, or a swipe.

import { useRef, useState } from "preact/hooks";
import type { App } from "../../app.ts";
import { labelStyle } from "../../components/colours.ts";
import { percent } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { useSignalEffectNow } from "../../signal-effect.ts";
import { argmax, predict } from "./classifier.ts";
import { addExample } from "./lesson.ts";
import type { TeachState } from "./state.ts";
import { directionOf, placeOfSwipe, type Swipe } from "./swipe.ts";

/** The ways to swipe. */
const WAYS = ["left", "right", "up"] as const;

const ARROWS: Record<Swipe, string> = { left: "←", right: "→", up: "↑" };

export function Cards({ app, state }: { app: App; state: TeachState }) {
  const known = new Set(state.lesson.value.columns.flatMap(({ examples }) => examples.map(({ text }) => text)));
  const cards = state.cards.value.filter((text) => !known.has(text) && text !== app.text.value.trim());
  const [text, ...rest] = cards;
  const { columns } = state.lesson.value;
  if (text === undefined || columns.length < 2) return null;
  const skip = () => {
    state.cards.value = [...rest, text];
  };
  const sort = (place: number) => {
    const column = columns[place]!;
    state.change(addExample(state.lesson.peek(), column.id, text));
    app.announce(`${column.name}. ${rest[0] ? t`Next: ${rest[0]}` : t`That was the last one.`}`);
  };
  return (
    <section class="teach-cards" aria-labelledby="teach-cards-title">
      <h2 id="teach-cards-title">{t`Sort what it has not seen`}</h2>
      <Card key={text} app={app} state={state} text={text} sort={sort} />
      <div class="teach-row teach-sorting">
        {columns.map(({ id, name }, place) => (
          <button
            key={id}
            type="button"
            class="plain teach-label"
            style={labelStyle(place)}
            onClick={() => sort(place)}
          >
            <span class="teach-arrow" aria-hidden="true">
              {WAYS.filter((way) => placeOfSwipe(way) === place).map((way) => ARROWS[way])}
            </span>{" "}
            <span dir="auto">{name}</span>
          </button>
        ))}
        <button type="button" class="plain" onClick={skip} disabled={!rest.length}>{t`Skip`}</button>
      </div>
      <p class="hint">{tx`${cards.length === 1 ? t`The last one.` : t`${cards.length} to go.`} What you sort becomes an example.`}</p>
    </section>
  );
}

/** A text, the head's scores for it, and the swipe that sorts it. */
function Card({
  app,
  state,
  text,
  sort,
}: {
  app: App;
  state: TeachState;
  text: string;
  sort: (place: number) => void;
}) {
  const [vector, setVector] = useState<Float32Array | null>(null);
  const [moved, setMoved] = useState<{ x: number; y: number } | null>(null);
  const from = useRef({ x: 0, y: 0 });
  useSignalEffectNow(() => {
    const model = app.model.value;
    if (!model) return;
    const controller = new AbortController();
    state
      .vectors(model)
      .once(text, controller.signal)
      .then((vector) => !controller.signal.aborted && setVector(vector))
      .catch(() => {}); // the meters show the error
    return () => controller.abort();
  });
  const { columns } = state.lesson.value;
  const learnt = state.learnt.value;
  const shares =
    learnt && vector && vector.length === learnt.head.weights[0]!.length ? predict(learnt.head, vector) : null;
  const guess = shares && { name: learnt!.names[argmax(shares)]!, share: shares[argmax(shares)]! };
  const way = moved && directionOf(moved.x, moved.y);
  const place = way ? placeOfSwipe(way) : undefined;
  const target = place === undefined ? undefined : columns[place];
  return (
    <div
      class={`teach-card ${moved ? "is-moving" : ""}`}
      style={{
        ...(target ? labelStyle(place!) : {}),
        transform: moved ? `translate(${moved.x}px, ${Math.min(0, moved.y)}px) rotate(${moved.x / 25}deg)` : "",
      }}
      onPointerDown={(event) => {
        if (event.pointerType === "mouse" && event.button !== 0) return;
        from.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture(event.pointerId);
        setMoved({ x: 0, y: 0 });
      }}
      onPointerMove={(event) => {
        if (moved) setMoved({ x: event.clientX - from.current.x, y: event.clientY - from.current.y });
      }}
      onPointerUp={() => {
        setMoved(null);
        if (target) sort(place!);
      }}
      onPointerCancel={() => setMoved(null)}
    >
      <p dir="auto" lang="en">
        {text}
      </p>
      <p class="teach-guess">
        {target
          ? tx`Let go: it is ${<b dir="auto">{target.name}</b>}`
          : guess
            ? tx`It says: ${<b dir="auto">{guess.name}</b>}, ${percent(guess.share)}`
            : "…"}
      </p>
    </div>
  );
}
