// Installs missing packages on a fresh machine by Debian's package manager.

import { existsSync } from "node:fs";
import { runQuietly } from "./lib/run.mjs";

/** Returns whether packages can be installed here without asking anybody. */
export const canApt = () => process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

let updated = false;

/** Installs `packages`; `what` is their name in messages. */
export function aptInstall(packages, what) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  console.log(`installing ${what}: ${packages.join(" ")}`);
  if (!updated) runQuietly("apt-get", ["update"], { env });
  updated = true;
  runQuietly("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
}
