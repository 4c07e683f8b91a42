// Formatting and biome's rules, clippy for this machine and for wasm32, the crates' documentation, the types, the dependencies, and the packed
// files of the package and the crates. Any warning is an error.

import { checkDependencies } from "./dependencies.mjs";
import { FEATURES, PACKAGES } from "./lib/crates.mjs";
import { Failure, isMain, main, run } from "./lib/run.mjs";
import { checkPackedCrates } from "./packed-crates.mjs";
import { setup } from "./setup.mjs";
import { buildable, cargoFor, fullVariants, searchVariant } from "./wasm.mjs";

/** Runs all checks, also after a failure, so that one run shows everything; then throws if any failed. */
export function lint(tools) {
  const { native } = tools;
  // Only binaries with all features export training to JavaScript: check one of the CPU's and the GPU's.
  const isOther = ({ glue }, n, all) => all.findIndex((other) => other.glue === glue) === n && glue !== "threads_full";
  const variants = [...buildable(tools), searchVariant, ...fullVariants.filter(isOther)];
  const failures = [];
  const attempt = (what, body) => {
    try {
      body();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(what);
      console.error(error.message);
    }
  };
  const check = (what, command, args, env) => attempt(what, () => run(command, args, { env }));
  const clippy = (what, tools, args, env) =>
    check(
      `clippy (${what})`,
      tools.clippy[0],
      [...tools.clippy.slice(1), "--locked", ...args, "--", "-D", "warnings"],
      env,
    );
  const tsc = (project) =>
    check(`tsc (${project})`, process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit", "-p", project]);

  check("fmt", native.cargo, ["fmt", "--all", "--check"], native.env);
  for (const variant of variants) {
    // The lints of our code need no standard library of our own.
    const { wasm, args, env } = cargoFor(tools, { ...variant, smallLibrary: false });
    const tests = variant === searchVariant ? [] : ["--tests"]; // which run models
    clippy(variant.name, wasm, ["--release", "--lib", ...tests, ...args], env);
  }
  // In the folder that the stage rust locks while it compiles.
  clippy("native", native, ["--workspace", "--all-targets", ...FEATURES], native.env);
  // After clippy, which has compiled the dependencies.
  check("doc", native.cargo, ["doc", "--locked", "--no-deps", ...FEATURES, ...PACKAGES], {
    ...native.env,
    RUSTDOCFLAGS: "-D warnings",
  });
  attempt("crates", () => checkPackedCrates(native));
  attempt("dependencies", () => checkDependencies(native));
  check("biome", process.execPath, ["node_modules/@biomejs/biome/bin/biome", "ci", "--error-on-warnings"]);
  const tool = (what, ...args) => check(what, process.execPath, [`node_modules/.bin/${what}`, ...args]);
  tool("publint", "--strict");
  // The package has modules only. It promises nothing for require() and for resolution without exports.
  tool("attw", "--pack", ".", "--profile", "esm-only", "--quiet");
  tsc("tsconfig.json");
  tsc("tsconfig.worker.json");
  tsc("www/tsconfig.json");
  tsc("www/service-worker/tsconfig.json");
  if (failures.length > 0) throw new Failure(`found something: ${failures.join(", ")}`);
}

if (isMain(import.meta.url)) await main(async () => lint(await setup()));
