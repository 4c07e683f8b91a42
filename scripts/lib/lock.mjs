// Allows one build at a time: two would write the same files under target/ and dist/.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./run.mjs";

const file = join(root, "target/build.lock");

function holder() {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0; // released between the two calls
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM"; // another user's running process
  }
}

/** Runs `body` while no other process of this checkout runs one; waits for its turn. */
export async function locked(body) {
  mkdirSync(join(root, "target"), { recursive: true });
  for (let told = false; ; ) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const pid = holder();
    if (!isAlive(pid)) {
      // Either a killed build, or a build that has not written its number yet; hence the pause.
      await sleep(200);
      if (holder() === pid && !isAlive(pid)) rmSync(file, { force: true });
      continue;
    }
    if (!told) console.log(`waiting for another build (process ${pid})`);
    told = true;
    await sleep(300);
  }
  try {
    return await body();
  } finally {
    rmSync(file, { force: true });
  }
}
