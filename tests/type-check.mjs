// Compiles a TypeScript program that imports the package, as a strict project would.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const tsc = resolve(import.meta.dirname, "../node_modules/typescript/bin/tsc");
const RESOLUTIONS = [
  ["esnext", "bundler"],
  ["nodenext", "nodenext"],
];

/** Checks the types of `program.ts` in `folder` for bundlers and for Node, with each of `libs`. Throws if tsc reports an error. */
export function checkTypes(folder, libs, ...flags) {
  for (const [module, resolution] of RESOLUTIONS) {
    for (const lib of libs) {
      const project = ["--ignoreConfig", "--noEmit", "--strict", "--target", "es2022", "--lib", lib, "--types", ""];
      const modules = ["--module", module, "--moduleResolution", resolution];
      execFileSync(process.execPath, [tsc, ...project, ...flags, ...modules, "program.ts"], {
        cwd: folder,
        stdio: "inherit",
      });
    }
  }
}
