// The fenced code blocks of a document, and how each runs.

const FENCE = /^(?:<!-- block: (?<marker>.+) -->\n)?```(?<language>\w+)\n(?<code>[\s\S]*?)^```$/gm;

/** Languages of programs. Blocks of other languages, e.g. json and diff, run nowhere. */
export const PROGRAMS = ["js", "ts", "jsx", "html", "sh"];

/**
 * Returns the blocks of a document's text: { language, code, line, how, detail }. `how` is the word of the comment before a block:
 * "run" (the default), "page", "continues" (run after the code of the block before), "file" (a file of a recipe; `detail` is its name)
 * or "not" (not run; `detail` is the reason).
 */
export function blocksOf(text) {
  return [...text.matchAll(FENCE)].map(({ index, groups: { marker = "run", language, code } }) => {
    const [, how, detail] = /^(run|page|continues|file|not run:) ?(.*)$/.exec(marker) ?? [];
    if (how === undefined || (how === "not run:" && !detail)) throw new Error(`unknown marker "${marker}"`);
    const line = text.slice(0, index).split("\n").length;
    return { language, code, line, how: how === "not run:" ? "not" : how, detail };
  });
}
