// Builds in the background while the page is already served.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { root, yieldTo } from "./run.mjs";

/** The lines with which step.mjs reports a finished binary. */
const MADE = /^ {2}wasm (\S+): ([\d.]+ s)$/;

/**
 * Runs a build in a process of its own, at the lowest priority. Calls `log` for each finished binary, and at the end with the outcome and, after a
 * failure, the output. Returns a promise that is fulfilled at the end in either case.
 */
export function buildBehind(command, args, log = console.log) {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill();
  process.once("exit", stop);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      printed += `${line}\n`;
      const [made, name, time] = MADE.exec(line) ?? [];
      if (made) log(`built: ${name} (${time})`);
    });
  }
  log("Faster builds for this browser and its graphics card are being made meanwhile.");
  return new Promise((resolve) => {
    const end = (why) => {
      process.off("exit", stop);
      if (why === undefined) log("All is built. Pages that are loaded from now on take the fastest build.");
      else
        log(
          `${printed}\nThe faster builds could not be made (${why}); the page goes on with what there is. npm run build tries again.`,
        );
      resolve();
    };
    child.on("spawn", () => yieldTo(child));
    let failed;
    child.on("error", (error) => (failed = error.message));
    child.on("close", (code, signal) => end(failed ?? (code === 0 ? undefined : `exit ${signal ?? code}`)));
  });
}

/**
 * The replacement for a file that does not exist yet: browsers with relaxed SIMD get the binary without it, which has the same glue. The code
 * itself does without threads and the GPU until it is bundled with their binaries.
 */
export const standIn = (file) => (file === "dist/webert_relaxed.wasm" ? "dist/webert_simd128.wasm" : undefined);
