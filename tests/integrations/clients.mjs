// The clients that tests call webert's adapters with. They are installed into target/integrations at their first use, not by `npm ci`,
// because few people need them: 250 MB.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, runQuietly } from "../../scripts/lib/run.mjs";

const here = import.meta.dirname;

/** The folder with the installed clients. Test files that run at the same time install into folders of their own; the first one wins. */
export function installed() {
  const lock = readFileSync(join(here, "package-lock.json"));
  const folder = join(root, "target/integrations", createHash("sha256").update(lock).digest("hex").slice(0, 12));
  if (existsSync(join(folder, "load.mjs"))) return folder;
  mkdirSync(join(root, "target/integrations"), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(here, file), join(draft, file));
  cpSync(join(root, ".npmrc"), join(draft, ".npmrc"));
  runQuietly("npm", ["ci", "--ignore-scripts", "--loglevel=error"], { cwd: draft });
  writeFileSync(join(draft, "load.mjs"), "export const load = (name) => import(name);\n");
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(folder, "load.mjs"))) throw error;
  }
  return folder;
}

/** A client's module. */
export async function client(name) {
  const { load } = await import(pathToFileURL(join(installed(), "load.mjs")).href);
  return load(name);
}

/** The installed version of a package. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(join(installed(), "node_modules", name, "package.json"), "utf8")).version;
