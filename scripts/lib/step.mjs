// One step of a build, skipped if its inputs and outputs have not changed since its last run.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./run.mjs";

const stamps = join(root, "target/stamps");

/** Every file at or below `path` (relative to the root), in a stable order. */
function* filesBelow(path) {
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (statSync(full).isFile()) return yield full;
  for (const name of readdirSync(full).sort()) yield* filesBelow(join(path, name));
}

// Compares contents, not times: a checkout that changes only times rebuilds nothing.
function fingerprint(paths, facts) {
  const hash = createHash("sha256").update(JSON.stringify(facts));
  for (const path of paths) {
    for (const file of filesBelow(path)) {
      hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex");
}

/** A step's stamp file, the value of `fingerprint` before it, and whether nothing changed since the step ran. */
function look(name, { inputs, outputs, facts = null }) {
  const stamp = join(stamps, name.replaceAll(/[^\w.-]+/g, "-"));
  const before = fingerprint(inputs, facts);
  const state = () => before + fingerprint(outputs, null);
  const complete = outputs.every((path) => existsSync(join(root, path)));
  return { stamp, state, done: complete && existsSync(stamp) && readFileSync(stamp, "utf8") === state() };
}

/** Returns whether `step` would have nothing to do. */
export const isDone = (name, files) => look(name, files).done;

/**
 * Runs `body` unless nothing changed. `inputs` and `outputs` are files or folders relative to the root. `facts` is everything else that the
 * outputs depend on (flags, versions).
 * Returns whether it ran.
 */
export async function step(name, files, body) {
  const { stamp, state, done } = look(name, files);
  if (done) return false;

  rmSync(stamp, { force: true });
  const start = performance.now();
  process.stdout.write(`· ${name}\n`);
  await body();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, state());
  console.log(`  ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return true;
}
