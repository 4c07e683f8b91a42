// Builds the page from www/ to target/page/. scripts/serve.mjs serves it beside dist/ and models/.

import "./lib/node-version.mjs";
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Failure, isMain, main, root } from "./lib/run.mjs";
import { step } from "./lib/step.mjs";

const at = (path) => join(root, path);
/** The page's folder in the project. */
export const PAGE = "target/page";
/** The files that are copied unchanged, by their names in the page. */
const COPIED = {
  "index.html": "www/index.html",
  "icon.svg": "www/icon.svg",
  "share.png": "docs/page.png",
  "text.woff2": "node_modules/@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2",
};

/** The page imports the package from beside it; the package is not bundled into the page. */
const thePackage = {
  name: "the package",
  setup(builder) {
    builder.onResolve({ filter: /^webert(\/|$)/ }, ({ path }) => ({
      path: `./dist/${path === "webert" ? "index" : path.replace(/^webert\/(models\/)?/, "")}.js`,
      external: true,
    }));
  },
};

/** The view that opens first; its styles are part of the page's. */
const FIRST_VIEW = "guess";

/** The style sheets by their names: style.css with the shared styles and the first view's, and one for each further view. */
function styles() {
  const views = readdirSync(at("www/src/views")).filter((name) => existsSync(at(`www/src/views/${name}/style.css`)));
  const shared = ["tokens", "base", "parts", "curve", "frame"].map((name) => `./style/${name}.css`);
  const sheet = (paths) => paths.map((path) => `@import "${path}";\n`).join("");
  const own = (view) => `./views/${view}/style.css`;
  return {
    style: sheet([...shared, own(FIRST_VIEW)]),
    ...Object.fromEntries(
      views.filter((view) => view !== FIRST_VIEW).map((view) => [`view-${view}`, sheet([own(view)])]),
    ),
  };
}

/** Returns whether the service worker keeps a file of the page. It keeps no source maps and no files that only other sites show. */
const isKept = (name) => !/\.map$|^index\.html$|^share\.png$/.test(name);

/** The files of the package's code that a page may import, by paths beside the page: all that dist/index.js reaches. */
function packageFiles() {
  const found = new Set();
  const follow = (name) => {
    if (found.has(name) || !existsSync(at(`dist/${name}`))) return;
    found.add(name);
    const text = readFileSync(at(`dist/${name}`), "utf8");
    for (const [, next] of text.matchAll(/(?:from|import)\s*\(?\s*["']\.\/([\w.-]+\.js)["']/g)) follow(next);
  };
  for (const name of ["index.js", "minilm-topic.js"]) follow(name);
  return [...found].map((name) => `dist/${name}`);
}

/** Bundler options of all scripts and styles of the page. */
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: "es2022",
  logLevel: "warning",
  legalComments: "none",
};

/** Writes the page's program to `outdir`: one script and its chunks, the script that reports missing ones, the styles. */
async function bundle(build, outdir, isSite) {
  await build({
    ...common,
    outdir,
    format: "esm",
    splitting: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: "external",
    chunkNames: "page-[name]-[hash]",
    entryPoints: { main: "www/src/main.tsx" },
    loader: { ".tsv": "text" },
    plugins: [thePackage],
    define: { SITE: String(isSite) },
  });
  await build({ ...common, outdir, format: "iife", entryPoints: { failed: "www/src/failed.ts" } });
  for (const [name, contents] of Object.entries(styles())) {
    const stdin = { contents, resolveDir: at("www/src"), loader: "css", sourcefile: `${name}.css` };
    await build({ ...common, outfile: `${outdir}/${name}.css`, stdin, external: ["*.woff2"] });
  }
}

/**
 * Writes the page to `folder`, a path in the project: everything except the package. `isSite`: guides and reference are
 * beside it, and it links to them.
 */
export async function makePage(folder, isSite = false) {
  const { build } = await import("esbuild");
  const outdir = `${folder}-new`; // moved into place at once, because a browser may be reading
  rmSync(at(outdir), { recursive: true, force: true });
  try {
    await bundle(build, outdir, isSite);
    for (const [name, path] of Object.entries(COPIED)) copyFileSync(at(path), at(`${outdir}/${name}`));
    const FILES = JSON.stringify(["./", ...readdirSync(at(outdir)).filter(isKept), ...packageFiles()]);
    const entryPoints = { sw: "www/service-worker/sw.ts" };
    await build({ ...common, outdir, format: "iife", entryPoints, define: { FILES } });
  } catch (error) {
    if (error.errors) throw new Failure("esbuild failed"); // esbuild has printed the reason
    throw error;
  }
  rmSync(at(folder), { recursive: true, force: true });
  renameSync(at(outdir), at(folder));
}

/** Brings the page up to date. */
export const buildPage = () =>
  step(
    "page",
    {
      inputs: [
        "www",
        "models/train/text",
        "models/eval/cloze.tsv",
        "package-lock.json",
        "scripts/page.mjs",
        "dist/index.js",
      ],
      outputs: [`${PAGE}/index.html`, `${PAGE}/main.js`],
    },
    () => makePage(PAGE),
  );

if (isMain(import.meta.url)) await main(buildPage);
