// What each entry may import, and the threads of an edge function.
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { dir, test } from "./over-server.mjs";

const root = resolve(import.meta.dirname, "..");

test("browser code imports nothing from Node", async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    write: false,
    metafile: true,
    platform: "browser",
    logLevel: "error",
    splitting: true,
    outdir: dir,
    external: ["#*"],
    entryPoints: [
      "src/js/index.ts",
      "src/js/engine/worker.ts",
      ...["index", "slim", "inline", "service-worker", "edge"].map((name) => `src/js/entries/${name}.ts`),
    ],
  });
  const outside = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external }) => external);
  assert.deepEqual(
    outside.filter(({ path }) => !path.startsWith("#")),
    [],
  );
});

test("an edge function has one thread", async () => {
  const nothing = {
    name: "nothing",
    setup(builder) {
      builder.onResolve({ filter: /^#/ }, ({ path }) => ({ path, namespace: "nothing" }));
      builder.onLoad({ filter: /./, namespace: "nothing" }, () => ({ contents: "export default undefined;" }));
    },
  };
  const options = { absWorkingDir: root, bundle: true, format: "esm", logLevel: "error", plugins: [nothing] };
  const outfile = join(dir, "edge.mjs");
  await build({ ...options, outfile, entryPoints: ["src/js/entries/edge.ts"] });
  const { platform } = await import(pathToFileURL(outfile).href);
  for (const threads of [0, 1]) assert.equal(typeof (await platform.createEngine({ threads })).load, "function");
  await assert.rejects(platform.createEngine({ threads: 2 }), { code: "unsupported", message: /has one thread/ });
});
