// The rooms of src/js form floors: a file imports files of its own room and of floors below, and no files form a circle.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";

/** From the top down. Rooms of one floor do not import each other. */
const FLOORS = [
  ["cli"],
  ["integrations", "measure"],
  ["index-and-compat.ts"],
  ["index.ts", "compat.ts"],
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
  ["errors.ts", "generated"],
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

/** The rooms of the crate, from the top down, as in docs/architecture.md. */
const RUST_FLOORS = [
  ["wasm"],
  ["train"],
  ["tasks", "search"],
  ["engine"],
  ["checkpoint"],
  ["model"],
  ["backend"],
  ["batch", "config", "tokenizer", "random"],
  ["json"],
  ["error"],
];
const crate = join(import.meta.dirname, "../src");

/** The code of a Rust file, without comments and unit tests. */
const rustCode = (file) =>
  readFileSync(join(crate, file), "utf8")
    .split("#[cfg(test)]\nmod tests")[0]
    .replace(/\/\/.*$/gm, "");

/** The rooms that Rust code names, by `crate::room` or `crate::{room, …}`. */
function roomsIn(code) {
  const groups = [...code.matchAll(/\bcrate::\{([^;]*?)\};/g)].flatMap(([, group]) => [...group.matchAll(/\b\w+/g)]);
  const paths = [...code.matchAll(/\bcrate::(\w+)/g)].map(([, name]) => name);
  return [...paths, ...groups.map(([name]) => name)]
    .map((name) => (/^(Error|Result)$/.test(name) ? "error" : name))
    .filter((name) => RUST_FLOORS.flat().includes(name));
}

test("every room of the crate has a floor, and imports lead down", () => {
  const rust = readdirSync(crate, { recursive: true }).filter((name) => name.endsWith(".rs") && name !== "lib.rs");
  assert.ok(rust.length > 200);
  const floor = (room) => RUST_FLOORS.findIndex((rooms) => rooms.includes(room));
  for (const file of rust) {
    const [room, ...inside] = file.replace(/(\/mod)?\.rs$/, "").split("/");
    assert.ok(floor(room) >= 0, `${room} is on no floor`);
    const code = rustCode(file);
    for (const other of roomsIn(code)) {
      assert.ok(other === room || floor(other) > floor(room), `src/${file} imports ${other}`);
    }
    // Other rooms are named from `crate`, so a path of `super` stays inside its room.
    const supers = Math.max(
      0,
      ...[...code.matchAll(/\b(?:super::)+/g)].map(([path]) => path.length / "super::".length),
    );
    assert.ok(supers <= inside.length, `src/${file} leaves its room by super`);
  }
});
