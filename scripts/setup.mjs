// What has to be on the machine besides Node: npm's packages, Rust, and for the tests a browser.
// Installs what it can, says what it cannot, and is silent when there is nothing to do.

import "./lib/node-version.mjs";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aptInstall, canApt } from "./apt.mjs";
import { Failure, isMain, main, runQuietly } from "./lib/run.mjs";
import { step } from "./lib/step.mjs";
import { toolchain } from "./toolchain.mjs";

/** npm's packages, as the lock file says. */
export async function ensurePackages() {
  await step("npm ci", { inputs: ["package-lock.json"], outputs: ["node_modules/.package-lock.json"] }, () =>
    runQuietly("npm", ["ci", "--no-audit", "--no-fund"]));
}

const browsers = {
  chromium: { name: "Chromium", variable: "CHROMIUM", programs: ["chromium", "chromium-browser", "google-chrome"], debian: "chromium" },
  firefox: { name: "Firefox", variable: "FIREFOX", programs: ["firefox", "firefox-esr"], debian: "firefox-esr" },
};

/** Where a browser is, "chromium" or "firefox": in $CHROMIUM or $FIREFOX, on the PATH, or installed now. */
export function ensureBrowser(which) {
  const { name, variable, programs, debian } = browsers[which];
  const given = process.env[variable];
  if (given) {
    if (existsSync(given)) return given;
    throw new Failure(`${variable} is ${given}, which does not exist.`);
  }
  const find = () => (process.env.PATH ?? "").split(delimiter)
    .flatMap((folder) => programs.map((program) => join(folder, program)))
    .find((path) => existsSync(path));
  const found = find();
  if (found) return found;
  if (!canApt()) {
    throw new Failure(`The tests need ${name}: install it (Debian: apt-get install ${debian}) or set ${variable} to its path.`);
  }
  aptInstall([debian], `${name}, for the tests`);
  return find();
}

/** Sees to it that there is a Vulkan driver, if only Mesa's in software: tests/gpu.rs wants one. */
export function ensureVulkan() {
  const folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
  const found = folders.some((folder) => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".json")));
  // Elsewhere the tests say themselves that they were skipped.
  if (!found && canApt()) aptInstall(["mesa-vulkan-drivers"], "a Vulkan driver, for the tests of the GPU");
}

/** Everything that a build needs; gives the toolchains. */
export async function setup() {
  await ensurePackages();
  return toolchain();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { native, wasm } = await setup();
    console.log(`native: ${native.version}\nwasm32: ${wasm.version}\nbrowsers: ${ensureBrowser("chromium")}, ${ensureBrowser("firefox")}`);
  });
}
