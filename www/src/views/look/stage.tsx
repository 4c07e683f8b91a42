// The sentence with arcs from word to word: for all words that the head is about, or for the word under the pointer.
import type { Signal } from "@preact/signals";
import { Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { moveFocus } from "../../components/arrow-keys.ts";
import { t } from "../../language.ts";
import { arcPath, type Box } from "./arcs.ts";
import { type Arc, arcsOf, looks, mainArcs, runsOf } from "./attention.ts";
import { targetsOf } from "./heads.ts";
import type { Read } from "./read.ts";

/** `sources`: the words that the head is about; undefined means all. `word`: the chosen word; -1: none. */
export function Stage({
  read,
  head,
  sources,
  word,
}: {
  read: Read;
  head: number;
  sources: number[] | undefined;
  word: Signal<number>;
}) {
  const { words, attention } = read;
  const box = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const [pointed, setPointed] = useState(-1);
  const [boxes, size] = useBoxes(box, read);
  const from = pointed >= 0 && pointed < words.length ? pointed : word.value < words.length ? word.value : -1;
  const row = from >= 0 ? looks(attention, head, from) : undefined;
  const arcs = row
    ? arcsOf(attention, head, from)
    : mainArcs(attention, head).filter((arc) => !sources || sources.includes(arc.from));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") word.value = -1;
    else moveFocus(event, [...box.current!.querySelectorAll("button")]);
  };
  // if all words are meant, none of them is emphasised
  const marked = sources && 2 * sources.length <= words.length ? sources : [];
  const active = Math.min(stop, words.length - 1);
  const wordAt = (at: number) => (
    <button
      key={at}
      type="button"
      class={`look-word${at === from ? " from" : ""}${marked.includes(at) ? " source" : ""}`}
      style={{ "--share": (row?.[at] ?? 0).toFixed(3) }}
      aria-pressed={at === word.value}
      aria-label={t`${words[at]!.text} looks at ${targetsOf(attention, words, head, at)}`}
      tabIndex={at === active ? 0 : -1}
      onFocus={() => setStop(at)}
      onPointerEnter={(event) => event.pointerType === "mouse" && setPointed(at)}
      onClick={() => (word.value = word.value === at ? -1 : at)}
    >
      {words[at]!.text}
    </button>
  );
  return (
    <div
      class="stage"
      ref={box}
      dir="auto"
      role="group"
      aria-label={t`The words: choose one to see where it looks`}
      onKeyDown={onKeyDown}
      onPointerLeave={() => setPointed(-1)}
    >
      {runsOf(words).map((run) => (
        <Fragment key={run[0]}>
          {run[0]! > 0 && words[run[0]!]!.start > words[run[0]! - 1]!.end ? " " : ""}
          <span class="run">{run.map(wordAt)}</span>
        </Fragment>
      ))}
      <svg class="arcs" width={size.width} height={size.height} aria-hidden="true">
        <defs>
          <marker
            id="arc-end"
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="10"
            markerHeight="10"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0.5L7.5 4L0 7.5z" />
          </marker>
        </defs>
        {arcs.map((arc) => (
          <Line key={`${arc.from} ${arc.to}`} arc={arc} boxes={boxes} />
        ))}
      </svg>
    </div>
  );
}

function Line({ arc, boxes }: { arc: Arc; boxes: readonly Box[] }) {
  const [from, to] = [boxes[arc.from], boxes[arc.to]];
  if (!from || !to) return null;
  return (
    <path
      d={arcPath(from, to)}
      style={{
        strokeWidth: `${(1.5 + 3.5 * arc.share).toFixed(1)}px`,
        opacity: Math.min(1, 0.45 + arc.share).toFixed(2),
      }}
      marker-end="url(#arc-end)"
    />
  );
}

/** The places of the words in the box, measured again for another text or width. */
function useBoxes(box: { current: HTMLElement | null }, read: Read): [Box[], { width: number; height: number }] {
  const [found, setFound] = useState<[Box[], { width: number; height: number }]>([[], { width: 0, height: 0 }]);
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => {
      const boxes = [...element.querySelectorAll("button")].map((word) => ({
        left: word.offsetLeft,
        top: word.offsetTop,
        width: word.offsetWidth,
        height: word.offsetHeight,
      }));
      setFound([boxes, { width: element.clientWidth, height: element.clientHeight }]);
    };
    const watching = new ResizeObserver(measure);
    watching.observe(element);
    measure();
    document.fonts?.ready.then(measure);
    return () => watching.disconnect();
  }, [read]);
  return found;
}
