// Loads the parts of the package's code that a page needs later. The build writes parts into scripts, and a table of the
// scripts' URLs: see scripts/lib/parts.mjs. Bundlers copy a file whose URL is written out and leave its text alone. With
// import() of a name they would split the code, which Vite's default configuration refuses in Workers.
import { holder, table } from "#parts";
import { WebertError } from "../errors.js";
import { importingAgain } from "../on-demand.js";
import { fileUrl } from "../sources/urls.js";
import { importGluesBy } from "../threads/builds.js";

/** A part's exports. */
type PartExports = Record<string, unknown>;
/** Runs a part. It receives functions that return another part's exports, load a part, and return a file's URL. */
type ScriptPart = (get: (part: string) => PartExports, load: Load, url: (path: string) => URL) => PartExports;
/** Loads a part. `name` is its script's letter and its place there as a digit of base 36, then the letters of other needed scripts. */
type Load = (name: string) => Promise<PartExports>;

/** Scripts register here. A module's exports would be dropped by bundlers that treat the file as a script. */
const registered = globalThis as {
  webertParts?: Record<string, ScriptPart[]>;
  webertGlues?: Record<string, PartExports>;
};

/** The letter of the glue for search, which is no script of parts. */
const GLUE = "_";

/** Lets the package's code load its parts, and glues, by their URLs. */
export function startParts(): void {
  const importUrl = importingAgain(table.importUrl);
  importGluesBy(table.importUrl);
  const exports: Record<string, PartExports> = {};
  const scripts: Record<string, Promise<unknown>> = {};
  const get = (part: string): PartExports => {
    if (!part) return holder.core();
    const script = part[0]!;
    const run = registered.webertParts?.[table.key + script]?.[Number.parseInt(part[1]!, 36)];
    if (!run) throw new WebertError("not_found", `the package's script ${script} is of another build`);
    return (exports[part] ??= run(get, load, (path) => table.urls[path]!()));
  };
  const fetched = (script: string) => {
    const name = script === GLUE ? "webert_search.js" : `${table.prefix}${script}.js`;
    const begun = (scripts[script] ??= (async () => importUrl(fileUrl(name, table.scripts[script]!).href))());
    begun.catch(() => delete scripts[script]);
    return begun;
  };
  const load: Load = async (name) => {
    await Promise.all([name[0]!, ...name.slice(2)].map(fetched));
    return name[0] === GLUE ? registered.webertGlues!.search! : get(name.slice(0, 2));
  };
  holder.load = load;
}
