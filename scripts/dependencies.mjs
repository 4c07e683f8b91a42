// Checks the dependencies: all come from the registries, with a locked digest for each file, under licences that permit ours.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { capture, Failure, root } from "./lib/run.mjs";

/** Licences of crates and of npm packages at run time. */
const PERMISSIVE = [
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 WITH LLVM-exception",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSL-1.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unicode-3.0",
  "Unlicense",
  "Zlib",
];
/** Licences of development dependencies: tools, and the page's font with a licence of its own. */
const FOR_TOOLS = [...PERMISSIVE, "BlueOak-1.0.0", "CC-BY-3.0", "MPL-2.0", "OFL-1.1", "Python-2.0"];

const CARGO_LOCKS = ["Cargo.lock", "fuzz/Cargo.lock"];
const NPM_LOCKS = ["package-lock.json", "scripts/reference/package-lock.json"];
/** The machines for which crates are fetched. */
const TARGETS = ["x86_64-unknown-linux-gnu", "wasm32-unknown-unknown"];

const require = createRequire(import.meta.url);
const read = (path) => readFileSync(join(root, path), "utf8");

/** Returns whether the SPDX expression permits one of `licences`; old crates write "MIT/Apache-2.0". */
function allows(expression, licences) {
  const satisfies = require("spdx-satisfies"); // not earlier: this file is read before packages are installed
  try {
    return satisfies(expression.replaceAll("/", " OR "), licences);
  } catch {
    return false; // no expression
  }
}

/** The faults of a Cargo.lock: packages that are neither ours nor the registry's, or have no digest. */
export function wrongInCargoLock(text) {
  const wrong = [];
  for (const [, entry] of text.matchAll(/\[\[package\]\]\n([^[]*)/g)) {
    const value = (key) => new RegExp(`^${key} = "(.*)"$`, "m").exec(entry)?.[1];
    const [name, source, checksum] = ["name", "source", "checksum"].map(value);
    if (source === undefined) continue; // a crate of the workspace
    if (source !== "registry+https://github.com/rust-lang/crates.io-index") wrong.push(`${name} comes from ${source}`);
    else if (!/^[0-9a-f]{64}$/.test(checksum)) wrong.push(`${name} has no digest`);
  }
  return wrong;
}

/** The faults of a package-lock.json: packages without a digest, or under an unexpected licence. */
export function wrongInNpmLock(text) {
  const wrong = [];
  for (const [path, { integrity, license, link, dev, optional }] of Object.entries(JSON.parse(text).packages)) {
    if (path === "" || link) continue;
    if (!/^sha512-/.test(integrity)) wrong.push(`${path} has no digest`);
    if (!allows(String(license), dev || optional ? FOR_TOOLS : PERMISSIVE)) wrong.push(`${path}: licence ${license}`);
  }
  return wrong;
}

/** Throws if a dependency breaks a rule. `native`: the tools of this machine. */
export function checkDependencies(native) {
  const wrong = [
    ...CARGO_LOCKS.flatMap((path) => wrongInCargoLock(read(path)).map((what) => `${path}: ${what}`)),
    ...NPM_LOCKS.flatMap((path) => wrongInNpmLock(read(path)).map((what) => `${path}: ${what}`)),
  ];
  const targets = TARGETS.flatMap((target) => ["--filter-platform", target]);
  const metadata = capture(native.cargo, ["metadata", "--format-version", "1", "--locked", ...targets], {
    env: native.env,
  });
  if (metadata === null) throw new Failure("cargo metadata failed: dependencies are not checked");
  for (const { name, license, source } of JSON.parse(metadata).packages) {
    if (source !== null && !allows(license ?? "none", PERMISSIVE))
      wrong.push(`Cargo.lock: ${name}: licence ${license}`);
  }
  if (wrong.length > 0) throw new Failure(`dependencies:\n${wrong.join("\n")}`);
}
