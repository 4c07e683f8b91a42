// The passages found, best first.
import type { RedactedEntity } from "webert";
import { t } from "../../language.ts";
import { partsOf } from "./personal-data.ts";
import type { Hit } from "./search.ts";

/** Passages with their closest words tinted. `chosen` is the id of the highlighted passage, as on the map. */
export function Results({
  hits,
  hidden,
  several,
  chosen,
  onChoose,
}: {
  hits: readonly Hit[];
  /** The hidden entities, by the passages' ids. */
  hidden: ReadonlyMap<number, readonly RedactedEntity[]>;
  /** True if the passages have several sources; each source is then named. */
  several: boolean;
  chosen: number | null;
  onChoose: (id: number | null) => void;
}) {
  return (
    <ol class="find-hits" aria-label={t`Passages, the closest first`}>
      {hits.map(({ id, text, source, isLiteral, tints }) => (
        <li
          key={id}
          class={id === chosen ? "is-chosen" : undefined}
          onPointerEnter={() => onChoose(id)}
          onPointerLeave={() => onChoose(null)}
        >
          <p dir="auto" lang="en">
            {partsOf(text, hidden.get(id) ?? []).map(({ start, end, placeholder }) =>
              placeholder ? (
                <span key={start} class="find-placeholder">
                  {placeholder}
                </span>
              ) : (
                tinted(text, start, end, tints)
              ),
            )}
          </p>
          {(several || !isLiteral) && (
            <p class="find-notes">
              {!isLiteral && <span class="find-badge">{t`no word in common`}</span>}
              {several && <span dir="auto">{source}</span>}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

/** A part of a text with its tints. */
function tinted(text: string, from: number, to: number, tints: Hit["tints"]) {
  let at = from;
  const parts = tints
    .filter(({ start, end }) => start >= from && end <= to)
    .flatMap(({ start, end, tint }) => {
      const before = text.slice(at, start);
      at = end;
      return [
        before,
        <mark key={start} style={{ "--tint": tint.toFixed(2) }}>
          {text.slice(start, end)}
        </mark>,
      ];
    });
  return [...parts, text.slice(at, to)];
}
