// The package and the page in Firefox.

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBrowser } from "../scripts/setup.mjs";
import { testBrowser } from "./undriven.mjs";

const preferences = {
  "app.update.disabledForTesting": true,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};

await testBrowser("Firefox", async (url, profile) => {
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});\n`);
  await writeFile(join(profile, "user.js"), lines.join(""));
  return spawn(ensureBrowser("firefox"), ["--headless", "--no-remote", "--profile", profile, url], { stdio: "ignore" });
});
