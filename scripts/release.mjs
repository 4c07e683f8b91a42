// `node scripts/release.mjs check` tells whether a release can be made; `fill` writes the fields of release.json into the manifests.
// `notes` prints the CHANGELOG's section of the version, for the release's text.

import "./lib/node-version.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, isMain, main, root } from "./lib/run.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

/** What a value looks like that nobody has filled in. */
const PLACEHOLDER = /TODO|OWNER|example\.(org|com)/;

/** The fields of release.json that a maintainer fills in, and what each must be. */
const FIELDS = {
  repository: /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/,
  homepage: /^https:\/\/\S+$/,
  bugs: /^https:\/\/\S+$/,
  author: /\S/,
};

/** Returns package.json's text with the fields of a release. */
export function filledPackage(text, { repository, homepage, bugs, author }) {
  const { license, repository: _, homepage: __, bugs: ___, author: ____, ...manifest } = JSON.parse(text);
  const fields = { license, author, homepage, repository: { type: "git", url: `git+${repository}.git` }, bugs };
  const entries = Object.entries(manifest);
  const at = entries.findIndex(([name]) => name === "type");
  const all = [...entries.slice(0, at), ...Object.entries(fields), ...entries.slice(at)];
  return `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`;
}

/** Returns a Cargo.toml's text with the fields of a release in its section [package]. */
export function filledCrate(text, { repository, homepage, author }) {
  const [, before, section, after] = /^([\s\S]*?\[package\]\n)([\s\S]*?)(\n(?:\[[\s\S]*)?)$/.exec(text) ?? [];
  if (section === undefined) throw new Failure("a Cargo.toml has no section [package]");
  const kept = section.split("\n").filter((line) => line && !/^(repository|homepage|authors) =/.test(line));
  const fields = Object.entries({ repository, homepage, authors: [author] });
  const lines = fields.map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const at = kept.findIndex((line) => line.startsWith("license ="));
  return `${before}${[...kept.slice(0, at + 1), ...lines, ...kept.slice(at + 1)].join("\n")}\n${after}`;
}

const CRATES = ["Cargo.toml", "kernels/Cargo.toml"];

function fill() {
  const fields = JSON.parse(read("release.json"));
  const wrong = wrongFields(fields);
  if (wrong.length) throw new Failure(wrong.join("\n"));
  writeFileSync(join(root, "package.json"), filledPackage(read("package.json"), fields));
  for (const path of CRATES) writeFileSync(join(root, path), filledCrate(read(path), fields));
}

/** Returns what is wrong with the fields of release.json. */
export function wrongFields(fields) {
  return Object.entries(FIELDS).flatMap(([name, form]) => {
    const value = fields[name];
    if (typeof value !== "string" || !form.test(value))
      return [`release.json: ${name}: expected ${form}, got ${value}`];
    return PLACEHOLDER.test(value) ? [`release.json: ${name}: expected a value, got the placeholder ${value}`] : [];
  });
}

/** Returns the CHANGELOG's section of a version; undefined if there is none. */
export function notesOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  return section?.slice(section.indexOf("\n") + 1).trim();
}

/** Returns everything that keeps a release from being made. `tag` is the tag that is released, if one is. */
export function problems({ fields, manifest, crates, changelog, tag }) {
  const found = wrongFields(fields);
  const { version } = JSON.parse(manifest);
  if (!found.length) {
    if (filledPackage(manifest, fields) !== manifest)
      found.push("package.json: expected the fields of release.json: run `node scripts/release.mjs fill`");
    for (const [path, text] of Object.entries(crates))
      if (filledCrate(text, fields) !== text)
        found.push(`${path}: expected the fields of release.json: run \`node scripts/release.mjs fill\``);
  }
  for (const [path, text] of Object.entries(crates)) {
    const [, own] = /^version = "([^"]+)"$/m.exec(text) ?? [];
    if (own !== version) found.push(`${path}: expected version ${version}, as package.json has, got ${own}`);
  }
  if (!notesOf(changelog, version)) found.push(`CHANGELOG.md: expected a section [${version}]`);
  else if (!new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m").test(changelog))
    found.push(`CHANGELOG.md: expected the date of ${version}: ## [${version}] - YYYY-MM-DD`);
  if (tag !== undefined && tag !== `v${version}`) found.push(`expected the tag v${version}, got ${tag}`);
  return found;
}

function check(tag) {
  const found = problems({
    fields: JSON.parse(read("release.json")),
    manifest: read("package.json"),
    crates: Object.fromEntries(CRATES.map((path) => [path, read(path)])),
    changelog: read("CHANGELOG.md"),
    tag,
  });
  if (found.length) throw new Failure(found.join("\n"));
  console.log("A release can be made.");
}

if (isMain(import.meta.url)) {
  await main(() => {
    const [command, argument] = process.argv.slice(2);
    if (command === "check") return check(argument);
    if (command === "fill") return fill();
    if (command === "notes")
      return console.log(notesOf(read("CHANGELOG.md"), JSON.parse(read("package.json")).version));
    throw new Failure(`expected one of check, fill, notes, got ${command}`);
  });
}
