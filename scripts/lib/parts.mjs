// Writes the chunks that an entry imports later as parts: functions in scripts, which src/js/entries/parts.ts loads by their URLs.
// Each replacement keeps the length of the text, so that source maps stay right.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXPORTS, FROM, pairs } from "./merge-chunks.mjs";
import { joinMaps } from "./source-maps.mjs";

const LATER = /import\("\.\/([\w-]+\.js)"\)/g;
const URLS = /new URL\("([^"]+)",import\.meta\.url\)/g;
/** The import of the table of parts. */
const TABLE = /import\{([^}]*)\}from"#parts";?/;
/** Bytes. Vite turns files that are smaller into data: URLs, which a strict content security policy refuses. */
const LEAST = 4097;
/** The glue for search, and its letter. */
const SEARCH = "webert_search.js";
const GLUE = "_";
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Names in parts. esbuild's minifier makes no names of this form. */
const [GET, LOAD, URL_OF, HOLDER] = ["__g", "__l", "__u", "__h"];

function padded(text, old) {
  if (text.length > old.length) throw new Error(`"${text}" is longer than "${old}"`);
  return text.padEnd(old.length);
}

/** A chunk's text, the chunks that it imports at once, and whether a page needs it with every pipeline. */
function readChunks(folder, entry, core) {
  const chunks = new Map();
  const visit = (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const needs = [...text.matchAll(FROM)].map(([, , , chunk]) => chunk).filter((chunk) => chunk !== core);
    if (name !== entry && name !== core) chunks.set(name, { text, needs });
    for (const other of [...needs, ...[...text.matchAll(LATER)].map(([, file]) => file)])
      if (!chunks.has(other) && other !== SEARCH) visit(other);
  };
  for (const name of [entry, core]) visit(name);
  return chunks;
}

/** The chunks that a chunk needs to run, itself first. */
function closure(chunks, name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const next of chunks.get(name).needs) closure(chunks, next, seen);
  return seen;
}

/** The chunks of each script: a large chunk alone, the ones of every pipeline together, the ones of threads, and all small ones together. */
function scriptsOf(chunks) {
  const exporting = (as) => [...chunks.keys()].find((name) => new RegExp(`\\bas ${as}\\b`).test(chunks.get(name).text));
  const first = [...closure(chunks, exporting("tokenizerClassOf"))];
  const pool = exporting("createThreadPool");
  const ofThreads = pool === undefined ? [] : [...closure(chunks, pool)].filter((name) => !first.includes(name));
  const others = [...chunks.keys()].filter((name) => !first.includes(name) && !ofThreads.includes(name)).sort();
  const isSmall = (name) => name.startsWith("chunk-") && chunks.get(name).text.length < LEAST;
  const small = others.filter(isSmall);
  const large = others.filter((name) => !isSmall(name)).map((name) => [name]);
  const groups = [first, ofThreads, ...large].filter((group) => group.length > 0);
  for (let at = 0; at < small.length; at += DIGITS.length) groups.push(small.slice(at, at + DIGITS.length));
  if (groups.length > DIGITS.length) throw new Error(`${groups.length} scripts of parts, more than letters`);
  return groups;
}

/** Returns a chunk's code as the code of a function. `idOf` returns a chunk's id, `loadOf` the argument that loads it. */
function bodyOf(text, idOf, loadOf) {
  const exported = [];
  const body = text
    .replace(FROM, (whole, kind, list, chunk) => {
      const id = idOf(chunk);
      if (kind === "export") {
        for (const [imported, as] of pairs(list)) exported.push(`${as}:${GET}("${id}").${imported}`);
        return padded("", whole);
      }
      const taken = pairs(list).map(([imported, as]) => (imported === as ? as : `${imported}:${as}`));
      return padded(taken.length ? `const{${taken}}=${GET}("${id}");` : "", whole);
    })
    .replace(EXPORTS, (_, list) => {
      for (const [name, as] of pairs(list)) exported.push(name === as ? as : `${as}:${name}`);
      return "";
    })
    .replace(LATER, (whole, file) => padded(`${LOAD}("${loadOf(file)}")`, whole))
    .replace(URLS, (whole, path) => padded(`${URL_OF}("${path}")`, whole));
  if (/\bimport\.meta\b|\bimport\b[{*(]|\bexport\b[{*]/.test(body)) throw new Error("a part imports or exports");
  return `(${GET},${LOAD},${URL_OF})=>{\n${body}\nreturn{${exported}}}`;
}

/** Returns the source map of a script: each chunk begins a line below its function's head. */
function mapOf(folder, group) {
  const maps = group.map((name) => JSON.parse(readFileSync(join(folder, `${name}.map`), "utf8")));
  const lines = group.map((name) => bodyLines(readFileSync(join(folder, name), "utf8")));
  let line = 1;
  const pieces = maps.map((map, n) => {
    const piece = { line, map };
    line += lines[n] + 1; // the line that returns its exports and is the head of the next function
    return piece;
  });
  return JSON.stringify(joinMaps(pieces));
}
const bodyLines = (text) => text.replace(EXPORTS, "").split("\n").length;

/**
 * Rewrites the files of `folder`, which `mergeChunks` made: `entry` imports `core` at once and all other chunks later. A chunk that is
 * an entry, too, remains beside its part.
 */
export function writeParts(folder, entry, core) {
  const chunks = readChunks(folder, entry, core);
  const groups = scriptsOf(chunks);
  const ids = new Map([[core, ""]]);
  groups.forEach((group, n) => group.forEach((name, at) => ids.set(name, DIGITS[n] + DIGITS[at])));
  const idOf = (name) => ids.get(name);
  const loadOf = (name) => {
    if (name === SEARCH) return GLUE;
    const others = new Set([...closure(chunks, name)].map((other) => idOf(other)[0]));
    others.delete(idOf(name)[0]);
    return idOf(name) + [...others].join("");
  };
  const key = createHash("sha256")
    .update([...chunks.values()].map(({ text }) => text).join(""))
    .digest("hex")
    .slice(0, 8);
  const prefix = `part-${entry.replace(/\.js$/, "")}_`;
  const rows = [`${GLUE}:()=>new URL("./${SEARCH}",import.meta.url)`];
  groups.forEach((group, n) => {
    const script = `${prefix}${DIGITS[n]}.js`;
    const parts = group.map((name) => bodyOf(chunks.get(name).text, idOf, loadOf));
    const text = `(globalThis.webertParts??={})["${key}${DIGITS[n]}"]=[${parts}]\n`;
    writeFileSync(join(folder, script), text.padEnd(LEAST));
    writeFileSync(join(folder, `${script}.map`), mapOf(folder, group));
    rows.push(`"${DIGITS[n]}":()=>new URL("./${script}",import.meta.url)`);
  });
  const texts = [...chunks.values()].map(({ text }) => text);
  const urls = [...new Set(texts.flatMap((text) => [...text.matchAll(URLS)].map(([, path]) => path)))];
  const others = urls.map((path) => `"${path}":()=>new URL("${path}",import.meta.url)`);
  // Without its comments, bundlers would look for the files of this import(). esbuild's minifier removes comments.
  const byUrl = "importUrl:(url)=>import(/* webpackIgnore: true *//* turbopackIgnore: true *//* @vite-ignore */url)";
  const table = `{${byUrl},key:"${key}",prefix:"${prefix}",scripts:{${rows}},urls:{${others}}}`;
  for (const name of chunks.keys())
    if (name.startsWith("chunk-")) for (const end of ["", ".map"]) rmSync(join(folder, name + end));
  writeCore(folder, core, importedFrom(core, texts), loadOf, table);
  writeEntry(folder, entry, core, loadOf, table);
}

/** The names that texts import from the core. */
function importedFrom(core, texts) {
  const froms = texts.flatMap((text) => [...text.matchAll(FROM)]).filter(([, , , chunk]) => chunk === core);
  return new Set(froms.flatMap(([, , list]) => pairs(list).map(([name]) => name)));
}

/** Lets the core load parts, and lets parts get the core's exports `needed`. Modules get only what they import. */
function writeCore(folder, core, needed, loadOf, table) {
  const modules = readdirSync(folder).filter((name) => name.endsWith(".js") && !name.startsWith("part-"));
  const imported = importedFrom(
    core,
    modules.map((name) => readFileSync(join(folder, name), "utf8")),
  );
  const path = join(folder, core);
  const text = readFileSync(path, "utf8");
  const exported = pairs(EXPORTS.exec(text)[1]);
  const held = exported.filter(([, as]) => needed.has(as)).map(([name, as]) => `${as}:${name}`);
  const kept = exported.filter(([, as]) => imported.has(as)).map(([name, as]) => `${name} as ${as}`);
  const { body, table: own } = withTable(text.replace(EXPORTS, ""), loadOf, table);
  const head = `var ${HOLDER}={core:()=>({${held}})};${own}`;
  writeFileSync(path, `${head}\n${body}\nexport{${[...kept, HOLDER]}};\n`);
  moveMap(path);
}

function writeEntry(folder, entry, core, loadOf, table) {
  const path = join(folder, entry);
  const { body, table: own } = withTable(readFileSync(path, "utf8"), loadOf, table);
  writeFileSync(path, `import{${HOLDER}}from"./${core}";${own}\n${body}`);
  moveMap(path);
}

/** Moves the source map of a file down by one line. */
function moveMap(path) {
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8"));
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
}

/** Makes a module load parts in place of import(). If it imports the table, the table's declaration is returned beside it. */
function withTable(given, loadOf, table) {
  const text = given.replace(LATER, (whole, file) => padded(`${HOLDER}.load("${loadOf(file)}")`, whole));
  const [whole, list] = TABLE.exec(text) ?? [];
  if (!whole) return { body: text, table: "" };
  const names = Object.fromEntries(pairs(list));
  const body = text.replace(TABLE, () => padded("", whole));
  return { body, table: `const ${names.holder}=${HOLDER},${names.table}=${table};` };
}
