// Formatting, clippy for this machine and for wasm32, the types, and how the package is packed; any warning is an error.

import { Failure, run } from "./lib/run.mjs";
import { buildable, cargoFor } from "./wasm.mjs";

/** Runs all of it, whatever fails, so that one run shows everything; then throws if anything did. */
export function lint(tools) {
  const { native } = tools;
  const variants = buildable(tools);
  const failures = [];
  const check = (what, command, args, env) => {
    try {
      run(command, args, { env });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(what);
    }
  };
  const clippy = (what, tools, args, env) =>
    check(`clippy (${what})`, tools.clippy[0], [...tools.clippy.slice(1), "--locked", ...args, "--", "-D", "warnings"], env);
  const tsc = (project) =>
    check(`tsc (${project})`, process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit", "-p", project]);

  check("fmt", native.cargo, ["fmt", "--all", "--check"], native.env);
  clippy("native", native, ["--workspace", "--all-targets"], native.env);
  for (const variant of variants) {
    const { wasm, args, env } = cargoFor(tools, variant);
    clippy(variant.name, wasm, ["--release", "--lib", "--tests", ...args], env);
  }
  const tool = (what, ...args) => check(what, process.execPath, [`node_modules/.bin/${what}`, ...args]);
  tool("publint", "--strict");
  // What require() and resolution before exports find is not promised: the package is modules alone.
  tool("attw", "--pack", ".", "--profile", "esm-only", "--quiet");
  tsc("tsconfig.json");
  tsc("tsconfig.worker.json");
  if (failures.length > 0) throw new Failure(`found something: ${failures.join(", ")}`);
}
