// Runs other programs, for their output, their effect, or both.

import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

/** The project's root, an absolute path with a trailing slash. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** A failure that a person can act on: printed as its message, without a stack. */
export class Failure extends Error {}

const withEnv = (env) => ({ ...process.env, ...env });

/** The trimmed stdout of `command`; null if it is missing or fails. */
export function capture(command, args, { env } = {}) {
  const done = spawnSync(command, args, { cwd: root, env: withEnv(env), encoding: "utf8", maxBuffer: 1 << 28 });
  return done.status === 0 ? done.stdout.trim() : null;
}

/** Runs `command` with its output shown; throws if it fails. */
export function run(command, args, { env, cwd = root } = {}) {
  const done = spawnSync(command, args, { cwd, env: withEnv(env), stdio: ["ignore", "inherit", "inherit"] });
  if (done.error) throw new Failure(`cannot run ${command}: ${done.error.message}`);
  if (done.status !== 0) throw new Failure(`failed (${done.signal ?? done.status}): ${command} ${args.join(" ")}`);
}

/** As `run`, in parallel with others; returns a promise. */
export function runBeside(command, args, { env } = {}) {
  const child = spawn(command, args, { cwd: root, env: withEnv(env), stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Failure(`cannot run ${command}: ${error.message}`)));
    child.on("close", (code, signal) =>
      code === 0 ? resolve() : reject(new Failure(`failed (${signal ?? code}): ${command} ${args.join(" ")}`)),
    );
  });
}

/** Runs `command` silently; its output is shown only if it fails. */
export function runQuietly(command, args, { env, cwd = root } = {}) {
  const done = spawnSync(command, args, {
    cwd,
    env: withEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (done.status === 0) return;
  process.stderr.write((done.stdout ?? "") + (done.stderr ?? ""));
  throw new Failure(`failed (${done.error?.message ?? done.signal ?? done.status}): ${command} ${args.join(" ")}`);
}

/**
 * Starts `command` silently, in parallel with others; its output is shown only if it fails. Returns `{ done, stop() }`; `done` resolves on success.
 * `isLow`: run with the lowest priority.
 */
export function start(command, args, { env, isLow = false } = {}) {
  const child = spawn(command, args, { cwd: root, env: withEnv(env), stdio: ["ignore", "pipe", "pipe"] });
  if (isLow) child.on("spawn", () => yieldTo(child));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  const done = new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Failure(`cannot run ${command}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      process.stderr.write(text);
      reject(new Failure(`failed (${signal ?? code}): ${command} ${args.join(" ")}`));
    });
  });
  done.catch(() => {}); // callers that wait for it handle the error
  return { done, stop: () => child.kill() };
}

/** Lowers the priority of a started program, if the system supports it. */
export function yieldTo({ pid }, priority = constants.priority.PRIORITY_LOW) {
  try {
    setPriority(pid, priority);
  } catch {
    // without support it competes with the other programs
  }
}

/** Passes the stdout of `command` chunk by chunk to `heard` and returns whether it succeeded. `priority`: the system's priority, for programs that yield. */
function listen(command, args, { env, cwd = root }, heard, priority) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: withEnv(env), stdio: ["ignore", "pipe", "inherit"] });
    if (priority !== undefined) child.on("spawn", () => yieldTo(child, priority));
    child.stdout.setEncoding("utf8").on("data", heard);
    child.on("error", (error) => reject(new Failure(`cannot run ${command}: ${error.message}`)));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** Runs `command` with its output shown and returned: `{ ok, text }`. Does not throw if it fails. */
export async function tee(command, args, { env } = {}) {
  let text = "";
  const ok = await listen(command, args, { env }, (chunk) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  return { ok, text };
}

/** As `tee`, in parallel with others: shows the output after the end, below `title`. `yields`: other programs come first. */
export async function teeWhole(command, args, title, { env, cwd, yields = false } = {}) {
  let text = "";
  const priority = yields ? constants.priority.PRIORITY_BELOW_NORMAL : undefined;
  const ok = await listen(command, args, { env, cwd }, (chunk) => (text += chunk), priority);
  console.log(`\n${title}\n${text}`);
  return { ok, text };
}

/** Runs a command's main function. A Failure prints its message and sets exit code 1. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

/** Returns whether Node was started with the module at `url`. */
export const isMain = (url) => process.argv[1] !== undefined && fileURLToPath(url) === realpathSync(process.argv[1]);
