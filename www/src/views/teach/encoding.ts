// A lesson as a text, for a reload and for links.
import { type Lesson, labelsOf, lessonOf, MOST_LABELS, tidy } from "./lesson.ts";
import { PRESETS } from "./presets.ts";

/** Maximum length in a link; programs cut longer ones. */
const LONGEST = 8000;

/** The lesson as JSON, or the id of its preset; undefined if it is too long for a link. */
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
    // the link was cut
  }
  return lessonOf(PRESETS[0]!.labels);
}

const isColumn = (column: unknown): column is [string, ...string[]] =>
  Array.isArray(column) && column.length > 0 && column.every((part) => typeof part === "string");
