// Checks that the crates can be published: cargo packs exactly the files that compile them, and their licences.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { capture, Failure, root } from "./lib/run.mjs";

/** Files that cargo adds; it adds the last one only in a repository. */
const added = ["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"];
const licences = ["LICENSE-APACHE", "LICENSE-MIT"];

/** The published crates: their folders, the packed subfolders with the kind of file, and single files. */
const crates = {
  webert: {
    folder: "",
    packed: {
      src: ".rs",
      "src/tokenizer/unicode/data": ".txt",
      "src/tokenizer/pipeline/data": ".txt",
      shaders: ".wgsl",
      examples: ".rs",
    },
    files: ["README.md", ...licences],
  },
  "webert-kernels": { folder: "kernels", packed: { src: ".rs" }, files: licences },
};

function checkFiles(name, { folder, packed, files }, { cargo, env }) {
  const list = capture(cargo, ["package", "--list", "--allow-dirty", "-p", name], { env });
  if (list === null) throw new Failure(`cargo package --list -p ${name} fails`);
  const found = list
    .replaceAll("\\", "/")
    .split("\n")
    .filter((path) => !added.includes(path));
  const wanted = [
    ...files,
    ...Object.entries(packed).flatMap(([below, kind]) =>
      readdirSync(join(root, folder, below), { recursive: true })
        .filter((path) => path.endsWith(kind))
        .map((path) => `${below}/${path.replaceAll("\\", "/")}`),
    ),
  ];
  const lacking = wanted.filter((path) => !found.includes(path));
  const extra = found.filter((path) => !wanted.includes(path));
  if (lacking.length > 0) throw new Failure(`the packed crate ${name} lacks ${lacking.join(", ")}`);
  if (extra.length > 0)
    throw new Failure(`the packed crate ${name} holds ${extra.join(", ")}, which nobody who uses it needs`);
}

/** Checks the fields that the registry requires, and that every dependency has a version. */
function checkManifest({ name, publish, description, license, keywords, categories, dependencies }) {
  if (publish !== null)
    throw new Failure(`the manifest of ${name} limits who publishes it: ${publish.join(", ") || "nobody"}`);
  for (const [field, value] of Object.entries({
    description,
    license,
    keywords: keywords.join(),
    categories: categories.join(),
  })) {
    if (!value) throw new Failure(`the manifest of ${name} has no ${field}`);
  }
  const free = dependencies.filter(({ kind, req }) => kind !== "dev" && req === "*");
  if (free.length > 0)
    throw new Failure(
      `the manifest of ${name} has no version of ${free.map((dependency) => dependency.name).join(", ")}`,
    );
}

/** Checks the files and the manifest of each crate, without compiling or asking a registry. `cargo publish --dry-run --workspace` does both. */
export function checkPackedCrates(native) {
  const metadata = capture(native.cargo, ["metadata", "--no-deps", "--format-version", "1"], { env: native.env });
  if (metadata === null) throw new Failure("cargo metadata fails");
  const { packages } = JSON.parse(metadata);
  for (const [name, crate] of Object.entries(crates)) {
    checkManifest(packages.find((other) => other.name === name));
    checkFiles(name, crate, native);
  }
}
