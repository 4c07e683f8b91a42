// A text of some hundred kB in a special language: the documents of this repository and the comments in its sources. A
// masked LM of everyday English can learn something from it, and it is present wherever the proofs run. It changes with
// the repository, so results are comparable only within one run.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { root } from "../../scripts/lib/run.mjs";

const FOLDERS = ["benches", "docs", "examples", "kernels/src", "models", "scripts", "shaders", "src", "tests", "www"];
/** Start of a comment line, by file extension. In documents every line counts. */
const COMMENT = { ".rs": /^\s*\/\/[/!]?/, ".ts": /^\s*(\/\/|\/\*\*|\*(?!\/))/, ".py": /^\s*#(?!!)/, ".md": /^/ };
COMMENT[".wgsl"] = COMMENT[".rs"];
COMMENT[".mjs"] = COMMENT[".js"] = COMMENT[".ts"];
/** Minimum number of letters in a paragraph. */
const SHORTEST = 40;
/** Every tenth paragraph is held out. */
const EVERY = 10;

/** Returns every file under a folder, in order of path. */
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

/** Returns the paragraphs of a file: consecutive comment lines, without code, tables and Markdown signs. */
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

/** Returns `{train, heldOut}`, which are disjoint sets of different paragraphs. Every tenth is held out. */
export function ownText() {
  const all = ["README.md", "CONTRIBUTING.md", ...FOLDERS.flatMap(files)].flatMap(paragraphs);
  const long = [...new Set(all)].filter((text) => text.replace(/[^a-z]/gi, "").length >= SHORTEST);
  return { train: long.filter((_, n) => n % EVERY !== 0), heldOut: long.filter((_, n) => n % EVERY === 0) };
}
