// Splits texts into passages.

export interface Passage {
  id: number;
  text: string;
  /** The file of the passage, or the name of the text. */
  source: string;
}

/** Maximum characters of a passage, unless one sentence has more. */
const LENGTH = 240;
/** Maximum number of passages; reading more would take minutes. */
export const MOST_PASSAGES = 1500;

/** The passages of a text: as many whole sentences of a paragraph as fit. A text with one sentence per line has one passage per line. */
export function passagesOf(text: string, source: string, from = 0): Passage[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  const passages: string[] = [];
  for (const paragraph of paragraphsOf(text)) {
    let passage = "";
    for (const { segment } of segmenter.segment(paragraph)) {
      if (passage && passage.length + segment.length > LENGTH) {
        passages.push(passage);
        passage = "";
      }
      passage += segment;
    }
    passages.push(passage);
  }
  return passages
    .map((passage) => passage.trim())
    .filter((passage) => /[\p{L}\p{N}]/u.test(passage))
    .map((text, at) => ({ id: from + at, text, source }));
}

/** Paragraphs are separated by blank lines; without blank lines, each line is a paragraph. Wrapped lines are joined. */
function paragraphsOf(text: string): string[] {
  const clean = text.replace(/\r\n?/g, "\n").trim();
  const blocks = clean.split(/\n\s*\n/);
  const paragraphs = blocks.length > 1 ? blocks : clean.split("\n");
  return paragraphs.map((paragraph) => paragraph.replace(/\s+/g, " "));
}
