// Chromium over lavapipe, Mesa's software driver of Vulkan. It compiles a shader once and keeps it on disk; SwiftShader, Chromium's own driver,
// compiles all shaders again at each load of a model, for about 11 s of processor time.

import { createHash } from "node:crypto";
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { vulkanManifests } from "../setup.mjs";
import { Failure, root, runQuietly } from "./run.mjs";

const DRIVER = "libvk_swiftshader.so";
/** Tells ANGLE, which draws pages, where its driver is. */
const MANIFEST = "vk_swiftshader_icd.json";
const source = join(root, "scripts/lavapipe/driver.c");
const folder = join(root, "target/lavapipe");

/** The folder of Chromium's files, and the name of its executable there. The path given may be that of a script that starts it. */
function installed(chromium) {
  for (const home of [dirname(realpathSync(chromium)), "/usr/lib/chromium", "/usr/lib64/chromium-browser"]) {
    const name = ["chromium", "chrome", "chromium-browser"].find((name) => existsSync(join(home, name)));
    if (name !== undefined && existsSync(join(home, DRIVER))) return { home, name };
  }
  throw new Failure(`there is no ${DRIVER} beside ${chromium}`);
}

/** The path of Mesa's driver. */
function mesaDriver() {
  const manifest = vulkanManifests().find((path) => basename(path).startsWith("lvp_icd"));
  if (manifest === undefined) throw new Failure("there is no lavapipe: install mesa-vulkan-drivers");
  return JSON.parse(readFileSync(manifest, "utf8")).ICD.library_path;
}

/** A second name for a file, or a copy where the system permits no link. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

/** Fills `made` with links to Chromium's files and with the driver that passes its calls to Mesa's. */
function fill(made, { home, name }, driver) {
  for (const file of readdirSync(home))
    if (![name, DRIVER, MANIFEST].includes(file)) symlinkSync(join(home, file), join(made, file));
  // Chromium looks for its files beside the executable, which must not be a symbolic link for that.
  linkOrCopy(join(home, name), join(made, name));
  const flags = ["-O1", "-shared", "-fPIC", "-fvisibility=hidden", `-DDRIVER="${driver}"`];
  runQuietly("cc", [...flags, "-o", join(made, DRIVER), source, "-ldl"]);
  const manifest = JSON.parse(readFileSync(join(home, MANIFEST), "utf8"));
  manifest.ICD.library_path = join(home, DRIVER);
  writeFileSync(join(made, MANIFEST), JSON.stringify(manifest));
}

/**
 * The path of a Chromium whose WebGPU computes on lavapipe, made in target/ from the installed `chromium`. Test files may ask for it at the
 * same time. Throws a Failure if something for it is missing.
 */
export function chromiumOnLavapipe(chromium) {
  if (process.platform !== "linux") throw new Failure("lavapipe runs on Linux only");
  const found = installed(chromium);
  const driver = mesaDriver();
  const { size, mtimeMs } = statSync(join(found.home, found.name));
  const facts = [found, size, mtimeMs, driver, readFileSync(source, "utf8")];
  const key = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
  const ready = join(folder, key);
  const program = join(ready, found.name);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const made = mkdtempSync(join(folder, "new-"));
  try {
    fill(made, found, driver);
    renameSync(made, ready);
  } catch (error) {
    rmSync(made, { recursive: true });
    // Another process was faster.
    if (!existsSync(program)) throw error;
  }
  for (const name of readdirSync(folder))
    if (name !== key && !name.startsWith("new-")) rmSync(join(folder, name), { recursive: true });
  return program;
}

/** The environment of that Chromium: its shaders are kept in target/. */
export const lavapipeEnv = () => ({
  ...process.env,
  MESA_SHADER_CACHE_DIR: join(root, "target/mesa-shaders"),
  // Mesa complains at every start of a session without a folder for windows' sockets.
  XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? tmpdir(),
});
