// Texts as the passages that are found in them.

export interface Passage {
  id: number;
  text: string;
  /** The file that it is of, or the name of the text. */
  source: string;
}

/** Characters that a passage has at most, unless one sentence has more. */
const LENGTH = 240;
/** More passages than that take minutes to be read. */
export const MOST_PASSAGES = 1500;

/** The passages of a text: whole sentences of a paragraph, as many as fit. A text with a sentence a line has one a line. */
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
