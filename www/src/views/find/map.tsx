// The passages and the question on a plane. Near points are similar, as far as two numbers can show it.
import { scaleLinear } from "d3-scale";
import type { RedactedEntity } from "webert";
import { t } from "../../language.ts";
import type { Passage } from "./passages.ts";
import { partsOf } from "./personal-data.ts";
import { project } from "./projection.ts";
import type { Hit } from "./search.ts";
import type { MappedPassages } from "./state.ts";

const SIZE = 400;
const EDGE = 16;

export function PassageMap({
  mapped,
  passages,
  hidden,
  hits,
  vector,
  chosen,
  onChoose,
}: {
  mapped: MappedPassages;
  passages: readonly Passage[];
  /** The hidden entities, by the passages' ids. */
  hidden: ReadonlyMap<number, readonly RedactedEntity[]>;
  hits: readonly Hit[];
  vector: Float32Array | undefined;
  chosen: number | null;
  onChoose: (id: number | null) => void;
}) {
  const asked = vector && project(mapped.plane, vector);
  const points = [...mapped.points];
  const every = [...points.map(([, point]) => point), ...(asked ? [asked] : [])];
  const scales = [0, 1].map((axis) => {
    const values = every.map((point) => point[axis]!);
    const ends = [Math.min(...values), Math.max(...values)];
    return scaleLinear(ends, axis === 0 ? [EDGE, SIZE - EDGE] : [SIZE - EDGE, EDGE]);
  });
  const at = (point: readonly [number, number]) => ({ cx: scales[0]!(point[0]), cy: scales[1]!(point[1]) });
  const rank = new Map(hits.map(({ id }, place) => [id, place + 1]));
  const first = [...points].sort(([a], [b]) => Number(rank.has(a)) - Number(rank.has(b)));
  const shown = passages.find(({ id }) => id === chosen);
  return (
    <figure class="find-map">
      <svg
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        role="img"
        aria-label={t`A map of ${points.length} passages; the ${hits.length} that were found, and the question, are marked`}
        onPointerLeave={() => onChoose(null)}
      >
        {first.map(([id, point]) => (
          <circle
            key={id}
            {...at(point)}
            r={id === chosen ? 8 : rank.has(id) ? 6 : 3.5}
            class={`${rank.has(id) ? "is-hit" : ""} ${id === chosen ? "is-chosen" : ""}`}
            onPointerEnter={() => onChoose(id)}
            onClick={() => onChoose(id)}
          />
        ))}
        {asked && (
          <path
            class="find-question"
            transform={`translate(${at(asked).cx} ${at(asked).cy})`}
            d="M0-9 2.2-2.8 8.6-2.8 3.5 1.2 5.3 7.3 0 3.7-5.3 7.3-3.5 1.2-8.6-2.8-2.2-2.8Z"
          />
        )}
      </svg>
      <figcaption dir="auto" lang={shown ? "en" : undefined}>
        {shown
          ? withPlaceholders(shown, hidden.get(shown.id) ?? [])
          : t`Each dot is a passage; what is alike stands close. The star is your question, large dots are what was found.`}
      </figcaption>
    </figure>
  );
}

/** The room of a map that is still to come: what stands beside and below it stays in its place. */
export const MapPlace = () => (
  <figure class="find-map" aria-hidden="true">
    <svg viewBox={`0 0 ${SIZE} ${SIZE}`} />
    <figcaption>{t`The map of the passages is being drawn …`}</figcaption>
  </figure>
);

const withPlaceholders = ({ text }: Passage, entities: readonly RedactedEntity[]) =>
  partsOf(text, entities)
    .map(({ start, end, placeholder }) => placeholder ?? text.slice(start, end))
    .join("");
