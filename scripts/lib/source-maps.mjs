// Source maps for the code of pages: with their sources inside, and named by the code. Node's code is readable without one.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The scripts of pages, which are minified. package.json leaves out the maps of all others. */
export const MAPPED = /^(index|slim|inline|compat|service-worker|(train-)?worker|minilm-\w+|(chunk|part)-\w+)\.js$/;
/** Paths of sources begin with one of these folders. A prefix in front depends on where a build step ran. */
const SOURCE = /(?:^|\/)((?:src\/js|models)\/.*)$/;

/** Returns the sources of a map as paths from dist/. Binaries and scripts in a script as text have no readable content. */
function readable({ sources, sourcesContent, names, mappings }) {
  const paths = sources.map((source) => {
    const [, path] = SOURCE.exec(source.replaceAll("\\", "/")) ?? [];
    return path === undefined ? `generated/${source.split(/[#/]/).pop()}` : `../${path}`;
  });
  const contents = sourcesContent.map((content, n) => (SOURCE.test(sources[n]) ? content : "// generated\n"));
  return { version: 3, sources: paths, sourcesContent: contents, names, mappings };
}

/** Rewrites the map of a script of `folder`, and makes the script name it. Spaces at the end of the script may be replaced. */
export function nameMap(folder, name) {
  const path = join(folder, name);
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8"));
  writeFileSync(`${path}.map`, JSON.stringify(readable(map)));
  const text = readFileSync(path, "utf8");
  const comment = `\n//# sourceMappingURL=${name}.map\n`;
  writeFileSync(path, text.trimEnd().padEnd(text.length - comment.length) + comment);
}

/**
 * Returns the source map of a script from the maps of its pieces. Each piece begins at `line`, counted from 0. A map with sections says the
 * same, but Vite 5 cannot read it.
 */
export function joinMaps(pieces) {
  const joined = { version: 3, sources: [], sourcesContent: [], names: [] };
  const lines = [];
  // Source, line, column and name of the latest segment: segments hold differences.
  const before = [0, 0, 0, 0];
  for (const { line, map } of pieces) {
    const now = [joined.sources.length, 0, 0, joined.names.length];
    const moved = (segment) => {
      const [column, ...others] = decodeVlq(segment);
      const differences = others.map((difference, n) => {
        now[n] += difference;
        const from = before[n];
        before[n] = now[n];
        return now[n] - from;
      });
      return encodeVlq([column, ...differences]);
    };
    lines.length = Math.min(lines.length, line);
    while (lines.length < line) lines.push("");
    for (const text of map.mappings.split(";")) lines.push(text.split(",").filter(Boolean).map(moved).join(","));
    for (const field of ["sources", "sourcesContent", "names"]) joined[field].push(...map[field]);
  }
  return { ...joined, mappings: lines.join(";") };
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the numbers of a segment of a source map's mappings (base 64, five bits per digit, the lowest bit of a number is its sign). */
export function decodeVlq(segment) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/** Returns a segment of a source map's mappings: the inverse of `decodeVlq`. */
export function encodeVlq(numbers) {
  return numbers
    .map((number) => {
      let rest = number < 0 ? (-number << 1) | 1 : number << 1;
      let text = "";
      do {
        const bits = rest & 31;
        rest >>>= 5;
        text += DIGITS[rest ? bits | 32 : bits];
      } while (rest);
      return text;
    })
    .join("");
}
