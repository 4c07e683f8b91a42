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
  const sections = map.sections?.map(({ offset, map: part }) => ({ offset, map: readable(part) }));
  writeFileSync(`${path}.map`, JSON.stringify(sections ? { version: 3, sections } : readable(map)));
  const text = readFileSync(path, "utf8");
  const comment = `\n//# sourceMappingURL=${name}.map\n`;
  writeFileSync(path, text.trimEnd().padEnd(text.length - comment.length) + comment);
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
