// The package and the page in WebKit, Safari's engine, by the WebKitGTK port on Linux.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { ensureBrowser, ensureDisplay } from "../scripts/setup.mjs";
import { testBrowser } from "./undriven.mjs";

if (process.platform === "linux") {
  const screen = spawn(ensureDisplay(), ["-displayfd", "1", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [display] = await once(screen.stdout, "data");
  await testBrowser("WebKit", (url, home) => {
    // Shared memory is off by default, unlike in Safari.
    const env = { ...process.env, DISPLAY: `:${display}`.trim(), HOME: home, JSC_useSharedArrayBuffer: "1" };
    return spawn(ensureBrowser("webkit"), [url], { stdio: "ignore", env });
  });
  after(() => screen.kill());
} else {
  test("WebKit", { skip: "its test runs on Linux" });
}
