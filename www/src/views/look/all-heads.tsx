// All heads as small maps, one layer per row. A map's lines attend to its columns. Heads that attend to no word are left out.
import { Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t, tx } from "../../language.ts";
import { headAt, IDLE, idle, type Place } from "./attention.ts";
import { namedAt } from "./heads.ts";
import type { Read } from "./read.ts";

export function AllHeads({
  read,
  here,
  isOpen,
  isOwn,
  onToggle,
  onChoose,
}: {
  read: Read;
  here: Place;
  isOpen: boolean;
  isOwn: boolean;
  onToggle: (open: boolean) => void;
  onChoose: (place: Place) => void;
}) {
  const { layers, heads } = read.attention;
  return (
    <div class="all-heads">
      {!isOwn && (
        <button
          type="button"
          class="plain"
          aria-expanded={isOpen}
          aria-controls="all-heads"
          onClick={() => onToggle(!isOpen)}
        >
          {isOpen ? t`Fewer heads` : t`All ${layers * heads} heads`}
        </button>
      )}
      <div id="all-heads" hidden={!isOpen}>
        {isOpen && <Grid read={read} here={here} isOwn={isOwn} onChoose={onChoose} />}
      </div>
    </div>
  );
}

function Grid({
  read,
  here,
  isOwn,
  onChoose,
}: {
  read: Read;
  here: Place;
  isOwn: boolean;
  onChoose: (place: Place) => void;
}) {
  const box = useRef<HTMLFieldSetElement>(null);
  useMaps(box, read);
  const { attention } = read;
  const { layers, heads } = attention;
  const nameOf = ({ layer, head }: Place) => {
    const named = isOwn ? undefined : namedAt(layer, head);
    return named && t(named.relation.name);
  };
  const isIdle = (place: Place) =>
    !nameOf(place) && idle(attention, headAt(attention, place.layer, place.head)) >= IDLE;
  const places = Array.from({ length: layers * heads }, (_, n) => ({ layer: Math.floor(n / heads), head: n % heads }));
  const hidden = places.filter(isIdle).length;
  return (
    <>
      <p class="hint">{tx`Each map is a head. A row is a word; its strongest cell is the word that it looks at most.${
        hidden > 0 &&
        t` ${hidden === 1 ? t`One head` : t`${hidden} heads`} left out: in this sentence ${hidden === 1 ? t`it looks` : t`they look`} almost only at the marks [CLS] and [SEP].`
      }`}</p>
      <fieldset class="head-grid" ref={box} style={{ "--heads": String(heads) }}>
        <legend class="visually-hidden">{t`All heads`}</legend>
        {places.map((place) => (
          <Fragment key={`${place.layer}.${place.head}`}>
            {place.head === 0 && <span class="layer-name">{tx`Layer ${place.layer + 1}`}</span>}
            <Head
              read={read}
              place={place}
              name={nameOf(place)}
              isHere={place.layer === here.layer && place.head === here.head}
              isIdle={isIdle(place)}
              onChoose={onChoose}
            />
          </Fragment>
        ))}
      </fieldset>
    </>
  );
}

/** One head as a button. An idle head is an empty place, unless it is the head shown. */
function Head({
  read,
  place,
  name,
  isHere,
  isIdle,
  onChoose,
}: {
  read: Read;
  place: Place;
  name: string | undefined;
  isHere: boolean;
  isIdle: boolean;
  onChoose: (place: Place) => void;
}) {
  if (isIdle && !isHere) return <span class="no-head" />;
  const label = t`Layer ${place.layer + 1}, head ${place.head + 1}${name ? `: ${name}` : ""}`;
  return (
    <label class={`head${name ? " has-name" : ""}`} title={label}>
      <input type="radio" name="any-head" checked={isHere} aria-label={label} onChange={() => onChoose(place)} />
      <canvas data-head={headAt(read.attention, place.layer, place.head)} aria-hidden="true" />
    </label>
  );
}

/** Draws the maps of a box, one pixel per pair of words. It draws one layer per frame, because drawing all at once would block typing. */
function useMaps(box: { current: HTMLElement | null }, { attention }: Read): void {
  useLayoutEffect(() => {
    const maps = [...box.current!.querySelectorAll("canvas")];
    const ink = inkOf(maps[0] ?? box.current!);
    let at = 0;
    let next = 0;
    const draw = () => {
      for (const end = at + attention.heads; at < end && at < maps.length; at++) drawMap(maps[at]!, attention, ink);
      if (at < maps.length) next = requestAnimationFrame(draw);
    };
    next = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(next);
  });
}

function drawMap(canvas: HTMLCanvasElement, { count, shares }: Read["attention"], [red, green, blue]: Ink): void {
  const head = Number(canvas.dataset.head);
  const image = new ImageData(count, count);
  for (let at = 0; at < count * count; at++) {
    const alpha = 255 * Math.sqrt(shares[head * count * count + at]!);
    image.data.set([red, green, blue, alpha], 4 * at);
  }
  canvas.width = canvas.height = count;
  canvas.getContext("2d")!.putImageData(image, 0, 0);
}

/** Red, green and blue, from 0 to 255. */
type Ink = [number, number, number];

/** The colour of the maps, from the style sheet. */
function inkOf(element: Element): Ink {
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
