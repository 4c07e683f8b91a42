// Reads the marked spans of entities.txt and compares a model's spans with them.

/** The text of each line of entities.txt, and its marked spans: `[Anna](PERSON)`, `[4111 …](ID/card)`. */
export const marked = (file) => file.split("\n").filter(Boolean).map(markedLine);

function markedLine(line) {
  let text = "";
  let end = 0;
  const spans = [];
  for (const { 0: whole, 1: word, 2: label, 3: kind, index } of line.matchAll(/\[([^[\]]+)\]\(([A-Z]+)(?:\/([a-z]+))?\)/g)) {
    text += line.slice(end, index);
    spans.push({ label, kind: kind ?? label, start: text.length, end: text.length + word.length });
    text += word;
    end = index + whole.length;
  }
  return { text: text + line.slice(end), spans };
}

const key = ({ label, start, end }) => `${label} ${start} ${end}`;
/** Converts groups of a token-classification pipeline to spans. */
export const spansOf = (groups) => groups.map(({ entity_group: label, start, end }) => ({ label, start, end }));

/** Precision, recall and F1 of exact spans, as in CoNLL. `rows` have the true `spans` and the spans `found`. */
export function f1(rows) {
  const all = (name) => rows.flatMap((row, n) => row[name].map((span) => `${n} ${key(span)}`));
  const [there, found] = [new Set(all("spans")), new Set(all("found"))];
  const right = [...found].filter((span) => there.has(span)).length;
  return { precision: right / found.size || 0, recall: right / there.size || 0, f1: (2 * right) / (there.size + found.size) || 0, count: there.size };
}

/** Returns whether spans cover every character of one span. */
export const covers = (found, { start, end }) =>
  Array.from({ length: end - start }, (_, n) => start + n).every((at) => found.some((other) => other.start <= at && at < other.end));
