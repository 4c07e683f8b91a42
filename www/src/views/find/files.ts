// Text files that a visitor drops.
import { Mistake } from "../../explain.ts";
import { t } from "../../language.ts";

/** Maximum size of a file. */
const LARGEST = 5e6;

/** The texts of files by their names. Throws a Mistake if a file is not text. */
export async function readTexts(files: readonly File[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const file of files) {
    if (file.size > LARGEST) throw new Mistake(t`${file.name} is too large: up to 5 MB of text can be read here.`);
    const text = await file.text();
    // binary data decodes to zeros and replacement characters
    if (/\0|\uFFFD{3}/.test(text.slice(0, 4000)))
      throw new Mistake(t`${file.name} is not text. Supported are plain text files: .txt, .md, .csv, .html.`);
    texts[file.name] = /\.html?$/i.test(file.name) ? textOfHtml(text) : text;
  }
  return texts;
}

/** The text of a page, without its scripts and styles. */
function textOfHtml(html: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const element of page.querySelectorAll("script, style, noscript, nav")) element.remove();
  for (const block of page.querySelectorAll("p, li, h1, h2, h3, h4, td, div, br")) block.append("\n\n");
  return page.body.textContent ?? "";
}
