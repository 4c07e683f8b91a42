// A lesson: labels and their examples. Every change returns a new lesson; nothing is changed in place.

export interface Example {
  id: number;
  text: string;
}

export interface Column {
  id: number;
  name: string;
  examples: readonly Example[];
}

export interface Lesson {
  columns: readonly Column[];
}

/** A text and its label, as in files. */
export interface Row {
  text: string;
  label: string;
}

/** Maximum number of labels; a screen has no room for more. */
export const MOST_LABELS = 12;
/** Maximum number of examples. More take seconds to read, and the table of products grows with the square of their number. */
export const MOST_EXAMPLES = 600;
/** Maximum characters of an example; the model reads fewer. */
export const LONGEST_TEXT = 2000;
/** Maximum characters of a label. */
export const LONGEST_NAME = 40;

let lastId = 0;
const newId = () => ++lastId;

/** A text as a lesson keeps it: trimmed, on one line, and not too long. */
export const tidy = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, LONGEST_TEXT);
const tidyName = (name: string) => tidy(name).slice(0, LONGEST_NAME);

/** The lesson of texts by their label. */
export function lessonOf(labels: Record<string, readonly string[]>): Lesson {
  return {
    columns: Object.entries(labels).map(([name, texts]) => ({
      id: newId(),
      name,
      examples: texts.map((text) => ({ id: newId(), text })),
    })),
  };
}

/** Texts by their label. */
export const labelsOf = ({ columns }: Lesson): Record<string, string[]> =>
  Object.fromEntries(columns.map(({ name, examples }) => [name, examples.map(({ text }) => text)]));

/** All examples in order, each with the index of its column among the columns that have examples. */
export function taughtOf(lesson: Lesson) {
  const columns = lesson.columns.filter(({ examples }) => examples.length > 0);
  const examples = columns.flatMap(({ examples }, label) => examples.map((example) => ({ ...example, label })));
  return { names: columns.map(({ name }) => name), examples };
}

export const countOf = ({ columns }: Lesson) => columns.reduce((sum, { examples }) => sum + examples.length, 0);

const mapColumns = (lesson: Lesson, change: (column: Column) => Column): Lesson => ({
  columns: lesson.columns.map(change),
});

/** Gives a text a label. If the text is under another label, it moves; if it already has the label, nothing changes. */
export function addExample(lesson: Lesson, column: number, text: string): Lesson {
  const clean = tidy(text);
  if (!clean) return lesson;
  const known = lesson.columns.find(({ examples }) => examples.some((example) => example.text === clean));
  if (known?.id === column) return lesson;
  if (!known && countOf(lesson) >= MOST_EXAMPLES) return lesson;
  return mapColumns(lesson, (one) => {
    const others = one.examples.filter((example) => example.text !== clean);
    return { ...one, examples: one.id === column ? [...others, { id: newId(), text: clean }] : others };
  });
}

/** Changes the text of an example. An empty text removes the example; if the text already exists, only the other example stays. */
export function editExample(lesson: Lesson, id: number, text: string): Lesson {
  const clean = tidy(text);
  const isDouble = lesson.columns.some(({ examples }) => examples.some((one) => one.text === clean && one.id !== id));
  if (!clean || isDouble) return removeExample(lesson, id);
  return mapColumns(lesson, (column) => ({
    ...column,
    examples: column.examples.map((example) => (example.id === id ? { id, text: clean } : example)),
  }));
}

export function removeExample(lesson: Lesson, id: number): Lesson {
  return mapColumns(lesson, (column) => ({ ...column, examples: column.examples.filter((one) => one.id !== id) }));
}

/** Moves an example to another label. */
export function moveExample(lesson: Lesson, id: number, to: number): Lesson {
  const from = lesson.columns.find(({ examples }) => examples.some((example) => example.id === id));
  const moved = from?.examples.find((example) => example.id === id);
  if (!moved || from?.id === to || !lesson.columns.some((column) => column.id === to)) return lesson;
  return mapColumns(removeExample(lesson, id), (column) =>
    column.id === to ? { ...column, examples: [...column.examples, moved] } : column,
  );
}

/** A name that no column has: the requested name, with a number if it is taken. */
function freeName(lesson: Lesson, wish: string, self?: number): string {
  const names = lesson.columns.filter(({ id }) => id !== self).map(({ name }) => name);
  if (!names.includes(wish)) return wish;
  let number = 2;
  while (names.includes(`${wish} ${number}`)) number++;
  return `${wish} ${number}`;
}

/** Adds an empty label. */
export function addColumn(lesson: Lesson, name = ""): Lesson {
  if (lesson.columns.length >= MOST_LABELS) return lesson;
  const wish = tidyName(name) || "new label";
  return { columns: [...lesson.columns, { id: newId(), name: freeName(lesson, wish), examples: [] }] };
}

/** Renames a label; an empty name changes nothing. */
export function renameColumn(lesson: Lesson, id: number, name: string): Lesson {
  const wish = tidyName(name);
  if (!wish) return lesson;
  return mapColumns(lesson, (column) => (column.id === id ? { ...column, name: freeName(lesson, wish, id) } : column));
}

export function removeColumn(lesson: Lesson, id: number): Lesson {
  return { columns: lesson.columns.filter((column) => column.id !== id) };
}

/**
 * The lesson of a file's rows, and the number of rows left out. Rows of the most frequent labels are kept, in the file's order.
 */
export function lessonOfRows(rows: readonly Row[]): { lesson: Lesson; left: number } {
  const counts = new Map<string, number>();
  for (const { label } of rows) counts.set(tidyName(label), (counts.get(tidyName(label)) ?? 0) + 1);
  const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!).slice(0, MOST_LABELS);
  const texts = new Map<string, string>(); // a text has one label: the last one in the file
  for (const { text, label } of rows) {
    const [clean, name] = [tidy(text), tidyName(label)];
    if (names.includes(name) && (texts.size < MOST_EXAMPLES || texts.has(clean))) texts.set(clean, name);
  }
  const labels = Object.fromEntries(
    [...counts.keys()].filter((name) => names.includes(name)).map((name) => [name, [] as string[]]),
  );
  for (const [text, name] of texts) labels[name]!.push(text);
  const distinct = new Set(rows.map(({ text }) => tidy(text))).size;
  return { lesson: lessonOf(labels), left: distinct - texts.size };
}
