// The rooms of src/js form floors: a file imports files of its own room and of floors below, and no files form a circle.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";

/** From the top down. Rooms of one floor do not import each other. */
const FLOORS = [
  ["cli"],
  ["index.ts"],
  ["entries"],
  ["training", "search", "redaction"],
  ["api"],
  ["embeddings", "fill-mask"],
  ["tokenizer"],
  ["classes"],
  ["tasks.ts"],
  ["tensor"],
  ["engine"],
  ["sources", "threads"],
  ["options"],
  ["env.ts"],
  ["task-names.ts", "source.ts"],
  ["abort.ts"],
  ["values.ts", "nearest-name.ts", "on-demand.ts", "mutex.ts"],
  ["errors.ts"],
];
const src = join(import.meta.dirname, "../src/js");
const roomOf = (file) => relative(src, file).split("/")[0];
const floorOf = (file) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
// built.d.ts declares what the build makes, for every room.
const files = readdirSync(src, { recursive: true })
  .filter((name) => /\.ts$/.test(name) && name !== "built.d.ts")
  .map((name) => join(src, name));

/** The files that `file` imports, types included; `import()` too unless `atOnce`. */
function imports(file, atOnce) {
  const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const pattern = atOnce ? /(?:\bfrom |^import )"(\.[^"]+)"/gm : /(?:\bfrom |\bimport ?\(?)"(\.[^"]+)"/g;
  const paths = [...code.matchAll(pattern)].map(([, path]) => normalize(join(dirname(file), path)));
  return paths.map((path) => path.replace(/\.js$/, ".ts")).filter((path) => files.includes(path));
}

test("every room of src/js has a floor, and imports lead down", () => {
  assert.ok(files.length > 100);
  for (const file of files) {
    assert.ok(floorOf(file) >= 0, `${roomOf(file)} is on no floor`);
    for (const other of imports(file, false)) {
      if (roomOf(other) === roomOf(file)) continue;
      assert.ok(floorOf(other) > floorOf(file), `${relative(src, file)} imports ${relative(src, other)}`);
    }
  }
});

test("no files of src/js import each other in a circle", () => {
  const done = new Set();
  const visit = (file, path) => {
    assert.ok(!path.includes(file), [...path, file].map((name) => relative(src, name)).join(" → "));
    if (done.has(file)) return;
    for (const other of imports(file, true)) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.equal(done.size, files.length);
});
