// A lesson as a text: what a reload keeps and a link holds.
import { type Lesson, labelsOf, lessonOf, MOST_LABELS, tidy } from "./lesson.ts";
import { PRESETS } from "./presets.ts";

/** Longer texts than this make links that programs cut. */
const LONGEST = 8000;

/** The lesson as JSON, or the id of the preset that it is; undefined where it is too long for a link. */
export function encodeLesson(lesson: Lesson): string | undefined {
  const labels = labelsOf(lesson);
  const json = JSON.stringify(Object.entries(labels).map(([name, texts]) => [name, ...texts]));
  const preset = PRESETS.find(
    ({ labels }) => JSON.stringify(Object.entries(labels).map(([n, t]) => [n, ...t])) === json,
  );
  if (preset) return preset.id;
  return json.length <= LONGEST ? json : undefined;
}

/** The lesson of such a text; the lesson of the first preset if the text is not valid. */
export function decodeLesson(encoded: string): Lesson {
  const preset = PRESETS.find(({ id }) => id === encoded);
  if (preset) return lessonOf(preset.labels);
  try {
    const columns: unknown = JSON.parse(encoded);
    if (Array.isArray(columns) && columns.length <= MOST_LABELS && columns.every(isColumn))
      return lessonOf(Object.fromEntries(columns.map(([name, ...texts]) => [name, texts.map(tidy).filter(Boolean)])));
  } catch {
    // a link that somebody cut
  }
  return lessonOf(PRESETS[0]!.labels);
}

const isColumn = (column: unknown): column is [string, ...string[]] =>
  Array.isArray(column) && column.length > 0 && column.every((part) => typeof part === "string");
