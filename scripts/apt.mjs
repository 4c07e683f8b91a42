// Debian's package manager, for what a fresh machine lacks.

import { existsSync } from "node:fs";
import { runQuietly } from "./lib/run.mjs";

/** Whether packages can be installed here without asking anybody. */
export const canApt = () => process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

let updated = false;

/** Installs `packages`; `what` is what a person calls them. */
export function aptInstall(packages, what) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  console.log(`installing ${what}: ${packages.join(" ")}`);
  if (!updated) runQuietly("apt-get", ["update"], { env });
  updated = true;
  runQuietly("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
}
