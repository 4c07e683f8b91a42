// Sets up the machine: npm's packages, Rust, and browsers for the tests. Installs what it can, names what it cannot install, and prints nothing if
// nothing is missing.

import "./lib/node-version.mjs";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aptInstall, canApt } from "./apt.mjs";
import { Failure, isMain, main, runQuietly } from "./lib/run.mjs";
import { step } from "./lib/step.mjs";
import { toolchain } from "./toolchain.mjs";

/** Installs npm's packages by the lock file. */
export async function ensurePackages() {
  await step("npm ci", { inputs: ["package-lock.json"], outputs: ["node_modules/.package-lock.json"] }, () =>
    runQuietly("npm", ["ci", "--no-audit", "--no-fund"]),
  );
}

const triplet = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" }[process.arch];
const programs = {
  chromium: {
    name: "Chromium",
    variable: "CHROMIUM",
    files: ["chromium", "chromium-browser", "google-chrome"],
    debian: "chromium",
  },
  firefox: { name: "Firefox", variable: "FIREFOX", files: ["firefox", "firefox-esr"], debian: "firefox-esr" },
  webkit: {
    name: "WebKitGTK",
    variable: "WEBKIT",
    files: ["MiniBrowser"],
    debian: "libwebkit2gtk-4.1-0",
    folders: ["lib", `lib/${triplet}`, "libexec"].map((folder) => `/usr/${folder}/webkit2gtk-4.1`),
  },
  xvfb: { name: "Xvfb", variable: "XVFB", files: ["Xvfb"], debian: "xvfb" },
};

/** The path of a program for the tests: from its variable, on the PATH, or installed now. */
function ensureProgram({ name, variable, files, folders = [], debian }) {
  const given = process.env[variable];
  if (given) {
    if (existsSync(given)) return given;
    throw new Failure(`${variable} is ${given}, which does not exist.`);
  }
  const find = () =>
    [...(process.env.PATH ?? "").split(delimiter), ...folders]
      .flatMap((folder) => files.map((file) => join(folder, file)))
      .find((path) => existsSync(path));
  const found = find();
  if (found) return found;
  if (!canApt()) {
    throw new Failure(
      `The tests need ${name}: install it (Debian: apt-get install ${debian}) or set ${variable} to its path.`,
    );
  }
  aptInstall([debian], `${name}, for the tests`);
  return find();
}

/** The path of a browser ("chromium", "firefox" or "webkit"): from $CHROMIUM and so on, on the PATH, or installed now. */
export const ensureBrowser = (which) => ensureProgram(programs[which]);

/** The path of Xvfb, a display without a screen for browsers that need one: from $XVFB, on the PATH, or installed now. */
export const ensureDisplay = () => ensureProgram(programs.xvfb);

/** The programs that `npm test` needs, by the environment variable for each path. */
export function ensurePrograms() {
  // WebKit is available as a package only on Linux.
  const needed = process.platform === "linux" ? Object.values(programs) : [programs.chromium, programs.firefox];
  return Object.fromEntries(needed.map((program) => [program.variable, ensureProgram(program)]));
}

/** The files that tell programs where the Vulkan drivers of this machine are. */
export const vulkanManifests = () =>
  ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".json"));

/** Ensures a Vulkan driver for tests that compute on a GPU, at least Mesa's software driver. */
export function ensureVulkan() {
  // On other systems the tests report that they were skipped.
  if (vulkanManifests().length === 0 && canApt())
    aptInstall(["mesa-vulkan-drivers"], "a Vulkan driver, for the tests of the GPU");
}

/** Ensures everything that a build needs and returns the toolchains. */
export async function setup() {
  await ensurePackages();
  return toolchain();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { native, wasm } = await setup();
    console.log(
      `native: ${native.version}\nwasm32: ${wasm.version}\nfor the tests: ${Object.values(ensurePrograms()).join(", ")}`,
    );
  });
}
