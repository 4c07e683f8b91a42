// A text of some hundred kB in a language of its own: what this repository says about itself, in its documents and the comments of
// its sources. A masked LM of everyday English has something to learn from it, and it is there wherever the proofs run. It grows with
// the repository, so figures are compared within a run only.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { root } from "../../scripts/lib/run.mjs";

const FOLDERS = ["benches", "docs", "examples", "kernels/src", "models", "scripts", "shaders", "src", "tests", "www"];
/** How a line of comment begins, by the file's extension; a document's lines all count. */
const COMMENT = { ".rs": /^\s*\/\/[/!]?/, ".ts": /^\s*(\/\/|\/\*\*|\*(?!\/))/, ".py": /^\s*#(?!!)/, ".md": /^/ };
COMMENT[".wgsl"] = COMMENT[".rs"];
COMMENT[".mjs"] = COMMENT[".js"] = COMMENT[".ts"];
/** Letters of the shortest paragraph that is taken. */
const SHORTEST = 40;
/** Each paragraph of this number is held out. */
const EVERY = 10;

/** Every file under a folder, in order of their paths. */
function files(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : files(path);
      return COMMENT[extname(entry.name)] ? [path] : [];
    });
}

/** The paragraphs of a file: lines of comment that follow one another, without code, tables and the signs of Markdown. */
function paragraphs(path) {
  const sign = COMMENT[extname(path)];
  const found = [[]];
  let isCode = false;
  for (const line of readFileSync(join(root, path), "utf8").split("\n")) {
    const text = sign.test(line) ? line.replace(sign, "").replace("*/", "").trim() : "";
    if (text.startsWith("```")) isCode = !isCode;
    else if (text === "" || isCode || text.startsWith("|")) found.push([]);
    else if (/^([-*#]|\d+\.) /.test(text)) found.push([text.replace(/^\S+ /, "")]);
    else found.at(-1).push(text);
  }
  return found.map((lines) =>
    lines
      .join(" ")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[`*[\]]|@\w+/g, "")
      .trim(),
  );
}

/** `{train, heldOut}`: paragraphs, none of them twice; every tenth is held out. */
export function ownText() {
  const all = ["README.md", "CONTRIBUTING.md", ...FOLDERS.flatMap(files)].flatMap(paragraphs);
  const long = [...new Set(all)].filter((text) => text.replace(/[^a-z]/gi, "").length >= SHORTEST);
  return { train: long.filter((_, n) => n % EVERY !== 0), heldOut: long.filter((_, n) => n % EVERY === 0) };
}
