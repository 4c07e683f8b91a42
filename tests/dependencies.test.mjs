// The checks of the dependencies find the faults that they look for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongInCargoLock, wrongInNpmLock } from "../scripts/dependencies.mjs";

const crate = (name, lines) => `[[package]]\nname = "${name}"\nversion = "1.0.0"\n${lines.join("\n")}\n\n`;
const SOURCE = 'source = "registry+https://github.com/rust-lang/crates.io-index"';
const CHECKSUM = `checksum = "${"0a".repeat(32)}"`;

test("crates: accepts ours and the registry's with a digest, and names others", () => {
  const lock = [
    crate("ours", []),
    crate("fine", [SOURCE, CHECKSUM, 'dependencies = [\n "ours",\n]']),
    crate("bare", [SOURCE]),
    crate("git", ['source = "git+https://example.com/git"']),
  ].join("");
  assert.deepEqual(wrongInCargoLock(lock), ["bare has no digest", "git comes from git+https://example.com/git"]);
});

test("npm: accepts a digest and a permissive licence, more licences for tools, and names others", () => {
  const integrity = "sha512-AAAA";
  const packages = {
    "": { license: "GPL-3.0" },
    "node_modules/fine": { integrity, license: "(MIT OR GPL-3.0-only)" },
    "node_modules/font": { integrity, license: "OFL-1.1", dev: true },
    "node_modules/shipped-font": { integrity, license: "OFL-1.1" },
    "node_modules/both": { integrity, license: "MIT AND GPL-3.0-only", dev: true },
    "node_modules/none": { integrity, dev: true },
    "node_modules/loose": { license: "MIT" },
  };
  assert.deepEqual(wrongInNpmLock(JSON.stringify({ packages })), [
    "node_modules/shipped-font: licence OFL-1.1",
    "node_modules/both: licence MIT AND GPL-3.0-only",
    "node_modules/none: licence undefined",
    "node_modules/loose has no digest",
  ]);
});
