// Merges the chunks that an entry imports at once: with brotli each separate file takes some hundred bytes more, and each
// is a request.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeVlq, encodeVlq } from "./source-maps.mjs";

/** Imports and re-exports of minified modules: `import{a as b}from"./chunk-X.js"`, `import"./chunk-X.js"`. */
export const FROM = /(import|export)(?:\{([^}]*)\}from)?"\.\/(chunk-\w+\.js)";?/g;
export const EXPORTS = /export\s*\{([^}]*)\};?\s*$/;

/** `a as b,c` as pairs of the local and the exported name. */
export const pairs = (list) =>
  (list ?? "")
    .split(",")
    .filter(Boolean)
    .map((one) => {
      const [name, as = name] = one.trim().split(/\s+as\s+/);
      return [name, as];
    });

/** The chunks that a file of `folder` imports, directly and indirectly; import() is not followed. */
function chunksOf(folder, name, seen = new Set()) {
  for (const [, , , chunk] of readFileSync(join(folder, name), "utf8").matchAll(FROM)) {
    if (seen.has(chunk)) continue;
    seen.add(chunk);
    chunksOf(folder, chunk, seen);
  }
  return seen;
}

/**
 * Merges all chunks that the file `entry` of `folder` imports at once, and makes every file import the merged chunk. esbuild made the files
 * with `splitting` and `minify`. `options` are the options of the build. Returns the name of the merged chunk.
 */
export async function mergeChunks(build, folder, entry, options) {
  const chunks = [...chunksOf(folder, entry)];
  /** By chunk and exported name, the name that the merged file exports. */
  const names = new Map();
  let count = 0;
  const source = chunks.map((chunk) => {
    const text = readFileSync(join(folder, chunk), "utf8");
    const exported = pairs(EXPORTS.exec(text)?.[1]).map(([, as]) => [as, `_${(count++).toString(36)}`]);
    names.set(chunk, new Map(exported));
    // esbuild then combines the chunk's source map and its own
    writeFileSync(join(folder, chunk), `${text}\n//# sourceMappingURL=${chunk}.map\n`);
    return `export{${exported.map(([as, name]) => `${as} as ${name}`)}}from"./${chunk}";`;
  });
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: source.join("\n"), resolveDir: folder, sourcefile: "chunks.js" },
    outdir: folder,
    entryNames: options.chunkNames,
    write: false,
    plugins: [{ name: "others", setup: (builder) => leaveOut(builder, chunks) }],
  });
  for (const chunk of chunks) for (const end of ["", ".map"]) rmSync(join(folder, chunk + end));
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const merged = outputFiles.map(({ path }) => path.split(/[/\\]/).pop()).find((name) => name.endsWith(".js"));
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".js") || name === merged) continue;
    const text = readFileSync(join(folder, name), "utf8");
    const moved = redirect(text, merged, names);
    if (moved === text) continue;
    writeFileSync(join(folder, name), moved);
    shiftMap(join(folder, name), text, moved);
  }
  return merged;
}

/** Files that are not merged stay where they are. */
function leaveOut(builder, chunks) {
  builder.onResolve({ filter: /^\.\// }, ({ path }) =>
    chunks.includes(path.slice(2)) ? undefined : { path, external: true },
  );
}

/** A module's text with imports of `merged` in place of imports of the chunks in it. */
function redirect(text, merged, names) {
  const imported = [];
  const rest = text.replace(FROM, (whole, kind, list, chunk) => {
    const known = names.get(chunk);
    if (!known) return whole;
    const moved = pairs(list).map(([name, as]) => `${known.get(name)} as ${as}`);
    if (kind === "export") return `export{${moved}}from"./${merged}";`;
    imported.push(...moved);
    return "";
  });
  if (rest === text) return text;
  return `${imported.length ? `import{${imported}}from"./${merged}";` : `import"./${merged}";`}${rest}`;
}

/** Number of characters by which mapped code is found again. */
const MARK = 64;

/** Shifts the source map of a file whose imports, at the beginning of its first line, have changed. */
function shiftMap(path, before, after) {
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8"));
  const [first] = /^[^,;]*/.exec(map.mappings);
  if (!first) return; // the first line has no mapped code
  const [column, ...others] = decodeVlq(first);
  const moved = after.indexOf(before.slice(column, column + MARK));
  if (moved < 0) throw new Error(`${path}: the code at column ${column} is missing after its imports changed`);
  const mappings = encodeVlq([moved, ...others]) + map.mappings.slice(first.length);
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, mappings }));
}
