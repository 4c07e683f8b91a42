// What is built while the page is served already.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { root, yieldTo } from "./run.mjs";

/** The lines with which step.mjs says that a binary has been made. */
const MADE = /^ {2}wasm (\S+): ([\d.]+ s)$/;

/**
 * Runs a build in a process of its own, after everything else that the machine does. Tells with `log` of each binary that it has made,
 * and at the end how it went, with what it printed where it failed. Gives a promise that is fulfilled at the end, in either case.
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
 * What is served for a file that is not there yet: to browsers with relaxed SIMD the binary without, which has the same glue. The code does
 * without threads and the GPU by itself, until it is bundled with theirs.
 */
export const standIn = (file) => (file === "dist/webert_relaxed.wasm" ? "dist/webert_simd128.wasm" : undefined);
