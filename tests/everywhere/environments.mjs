// Environments in which the package must work without configuration: a table of small applications.
//
// `files`: the application's files, beside the package in node_modules/webert and its `dependencies`.
// `build`: the command that bundles it. `serve`: the command that serves it on PORT; without it `root` is served unchanged, with
// `headers`, below the path `at`. CDN in a file is replaced by the address of another origin that serves `cdn`.
// `requests`: paths of the server that answer with results, instead of a page.
// `program`: a command that prints the result. `extension`: the folder is an extension, whose page.html is opened.
// `fails`: the expected error. `threads`: the requested number. `often`: part of `npm test`; others take minutes.

/** An application's own code. It calls `report` with the answers of two of the package's models, or with the error. */
const program = ({
  from = "webert",
  options = {},
  setup = "",
  report = "(result) => { globalThis.result = result; }",
} = {}) => `
import { pipeline, env } from "${from}";
${setup}
const done = (async () => {
  const start = performance.now();
  const unmask = await pipeline("fill-mask", null, ${JSON.stringify(options)});
  const [{ token_str }] = await unmask("Paris is the [MASK] of France.");
  const ms = Math.round(performance.now() - start);
  const classify = await pipeline("text-classification", null, ${JSON.stringify(options)});
  const [{ label }] = await classify("I love this film, it is wonderful.");
  const { threads } = unmask.info;
  await unmask.dispose();
  await classify.dispose();
  return { token_str, label, threads, ms };
})().catch((error) => ({ code: error.code, error: error.stack }));
done.then(${report});
`;
const page = (script, attributes = "type=module") =>
  `<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><title>webert</title><div id=app></div><script ${attributes}>${script}</script>`;
const scriptPage = (src, attributes = "type=module") => page("", `${attributes} src="${src}"`);
const own = "/node_modules/webert/dist/index.js";
const inWorker = (kind) => `const worker = new ${kind}("/worker.js", { type: "module" });
  const port = worker.port ?? worker;
  port.onmessage = ({ data }) => { globalThis.result = data; };
  worker.onerror = ({ message }) => { globalThis.result = { error: message }; };`;
const serviceWorkerPage =
  page(`navigator.serviceWorker.addEventListener("message", ({ data }) => { globalThis.result = data; });
  await navigator.serviceWorker.register("/sw.js", { type: "module" });
  (await navigator.serviceWorker.ready).active.postMessage("go");`);
const toClient =
  "() => {}); onmessage = (event) => event.waitUntil(done.then((result) => event.source.postMessage(result))";
const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const manifest = {
  manifest_version: 3,
  name: "webert",
  version: "1",
  background: { service_worker: "background.js", type: "module" },
  content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'" },
};

/** Without a bundler. */
const pages = {
  "import map": {
    files: {
      "index.html": page(program()).replace(
        "<script",
        '<script type=importmap>{"imports":{"webert":"/node_modules/webert/dist/index.js"}}</script><script',
      ),
    },
  },
  "page, worker: false": { files: { "index.html": page(program({ from: own, options: { worker: false } })) } },
  "classic script": {
    files: {
      "index.html": page(
        `import("${own}").then(({ pipeline }) => pipeline("fill-mask")).then((unmask) => unmask("Paris is the [MASK] of France."))
    .then(([{ token_str }]) => { globalThis.result = { token_str, label: "positive" }; });`,
        "",
      ),
    },
  },
  Worker: {
    files: {
      "index.html": page(inWorker("Worker")),
      "worker.js": program({ from: own, report: "(result) => postMessage(result)" }),
    },
  },
  SharedWorker: {
    files: {
      "index.html": page(inWorker("SharedWorker")),
      "worker.js": program({
        from: own,
        report: "() => {}); onconnect = ({ ports: [port] }) => done.then((result) => port.postMessage(result)",
      }),
    },
  },
  "service worker": {
    files: {
      "index.html": serviceWorkerPage,
      "sw.js": program({ from: "/node_modules/webert/dist/service-worker.js", report: toClient }),
    },
  },
  "service worker, plain entry": {
    fails: /unsupported.*webert\/service-worker/s,
    files: { "index.html": serviceWorkerPage, "sw.js": program({ from: own, report: toClient }) },
  },
  "service worker, plain entry, a tokenizer": {
    fails: /unsupported.*webert\/service-worker/s,
    files: {
      "index.html": serviceWorkerPage,
      "sw.js": `import { AutoTokenizer } from "${own}";
const load = () => AutoTokenizer.from_pretrained("/node_modules/webert/models/minilm-mlm").then(() => ({}), ({ code, stack }) => ({ code, error: stack }));
onmessage = (event) => event.waitUntil(load().then((result) => event.source.postMessage(result)));`,
    },
  },
  "isolated page": {
    threads: 2,
    headers: () => isolated,
    files: { "index.html": page(program({ from: own, options: { threads: 2 } })) },
  },
  "isolated page, worker: false": {
    threads: 2,
    headers: () => isolated,
    files: { "index.html": page(program({ from: own, options: { threads: 2, worker: false } })) },
  },
  CDN: { cdn: ".", files: { "index.html": page(program({ from: "CDNnode_modules/webert/dist/index.js" })) } },
  "CDN, isolated page": {
    threads: 2,
    cdn: ".",
    headers: () => isolated,
    files: { "index.html": page(program({ from: "CDNnode_modules/webert/dist/index.js", options: { threads: 2 } })) },
  },
  "strict policy of SECURITY.md": {
    headers: () => ({
      "content-security-policy":
        "default-src 'none'; img-src data:; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'",
    }),
    files: { "index.html": scriptPage("/main.js"), "main.js": program({ from: own }) },
  },
  "nonce, strict-dynamic and Trusted Types": {
    threads: 2,
    headers: () => ({
      ...isolated,
      "content-security-policy":
        "script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types webert",
    }),
    files: {
      "index.html": scriptPage("/main.js", "type=module nonce=abc"),
      "main.js": program({ from: own, options: { threads: 2 } }),
    },
  },
  "slim and env.base": {
    // files that the application hosts itself, by `npx webert copy`
    build: "node node_modules/webert/dist/cli.js copy assets",
    files: {
      "index.html": page(program({ from: "/node_modules/webert/dist/index.js", setup: 'env.base = "/assets";' })),
    },
  },
  slim: {
    fails: /bad_input.*no default model in webert\/slim/s,
    files: { "index.html": page(program({ from: "/node_modules/webert/dist/slim.js" })) },
  },
  "extension page": {
    extension: true,
    files: {
      "manifest.json": manifest,
      "background.js": "",
      "page.html": scriptPage("page.js"),
      "page.js": program({ from: "./node_modules/webert/dist/index.js" }),
    },
  },
  "extension background": {
    extension: true,
    files: {
      "manifest.json": manifest,
      "page.html": scriptPage("page.js"),
      "page.js": 'globalThis.result = await chrome.runtime.sendMessage("go");',
      "background.js": program({
        from: "./node_modules/webert/dist/service-worker.js",
        report:
          "() => {}); chrome.runtime.onMessage.addListener((message, sender, reply) => { done.then(reply); return true; }",
      }),
    },
  },
};

const vite = (version, more = {}) => ({
  dependencies: { vite: version },
  files: { "index.html": scriptPage("/main.js"), "main.js": program(), ...more.files },
  ...more.rest,
});
const viteDev = { rest: { serve: "npx vite --port PORT --strictPort" } };
const viteBuild = { rest: { build: "npx vite build", root: "dist" } };
const react = "19.2.0";
const nextFiles = {
  "app/layout.jsx": "export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
  "app/page.jsx": `"use client";
import { useEffect } from "react";
import { run } from "./run.js";
export default function Page() {
  useEffect(() => { run().then((result) => { globalThis.result = result; }); }, []);
  return <p>webert</p>;
}`,
  "app/run.js": program()
    .replace("const done = (async () => {", "export const run = () => (async () => {")
    .replace(/done\.then.*\n$/, ""),
  "app/answer/route.js": `import { run } from "../run.js";
export const dynamic = "force-dynamic";
export const GET = async () => Response.json(await run());`,
};
const next = (rest) => ({ dependencies: { next: "16", react, "react-dom": react }, files: nextFiles, ...rest });
const ng = "node_modules/node/bin/node node_modules/@angular/cli/bin/ng.js";
const angular = ({ from, base = "null" } = {}, rest) => ({
  // Angular needs a later Node than the package does.
  dependencies: {
    node: "24",
    typescript: "~6.0.0",
    rxjs: "7",
    tslib: "2",
    ...Object.fromEntries(
      ["build", "cli", "common", "compiler", "compiler-cli", "core", "platform-browser"].map((name) => [
        `@angular/${name}`,
        "22",
      ]),
    ),
  },
  files: {
    "angular.json": {
      version: 1,
      cli: { analytics: false, cache: { enabled: false } },
      projects: {
        app: {
          projectType: "application",
          root: "",
          architect: {
            build: {
              builder: "@angular/build:application",
              options: {
                browser: "src/main.ts",
                tsConfig: "tsconfig.json",
                outputPath: "dist",
                assets: [{ glob: "**/*", input: "public" }],
              },
            },
            serve: { builder: "@angular/build:dev-server", options: { buildTarget: "app:build" } },
          },
        },
      },
    },
    "tsconfig.json": {
      compilerOptions: {
        target: "es2022",
        module: "preserve",
        moduleResolution: "bundler",
        lib: ["es2022", "dom"],
        skipLibCheck: true,
        allowJs: true,
        types: [],
      },
      files: ["src/main.ts"],
    },
    "src/index.html":
      '<!doctype html><html><head><base href="/"><link rel=icon href="data:,"></head><body><app-root></app-root></body></html>',
    "src/run.js": program({ from, setup: `env.base = ${base};` })
      .replace("const done = (async () => {", "export const run = () => (async () => {")
      .replace(/done\.then.*\n$/, ""),
    "src/main.ts": `import { Component } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { run } from "./run.js";
@Component({ selector: "app-root", template: "<h1>webert</h1>" })
class App {
  constructor() {
    run().then((result: unknown) => { Object.assign(globalThis, { result }); });
  }
}
bootstrapApplication(App);`,
  },
  build: `${ng} build`,
  root: "dist/browser",
  ...rest,
});
const inPublic = "node node_modules/webert/dist/cli.js copy public/webert";
const webpack = (more = {}) => ({
  dependencies: { webpack: "5", "webpack-cli": "6" },
  files: { "src/index.js": program(), "dist/index.html": scriptPage("/main.js", "defer"), ...more.files },
  build: "npx webpack --mode production",
  root: "dist",
  ...more.rest,
});

/** A Worker of the application's own that searches, too; its page reports what the Worker answers. */
const ownWorker = ({ from, setup = "" } = {}) =>
  `import { createIndex } from "${from ?? "webert"}";\n` +
  program({
    from,
    setup,
    report: `async (result) => {
  if (result.error) return postMessage(result);
  try {
    const index = await createIndex();
    await index.add([{ id: 1, text: "The piano stands near the window." }, { id: 2, text: "It rained all day." }]);
    const [{ id }] = await index.search("Where is the piano?");
    await index.dispose();
    postMessage(id === 1 ? result : { error: "found document " + id });
  } catch (error) {
    postMessage({ code: error.code, error: error.stack });
  }
}`,
  });
const startOwnWorker = (url = 'new URL("./own.js", import.meta.url)') =>
  `const worker = new Worker(${url}, { type: "module" });
worker.onmessage = ({ data }) => { globalThis.result = data; };
worker.onerror = ({ message }) => { globalThis.result = { error: message ?? "the Worker failed" }; };
`;
/** The environment with its page's program in a Worker of its own; `at` is the folder of the program's file `main`. */
const inOwnWorker = (environment, { main = "main.js", ...how } = {}) => ({
  ...environment,
  files: {
    ...environment.files,
    [main]: startOwnWorker(how.url),
    [main.replace(/[^/]*$/, "own.js")]: ownWorker(how),
  },
});
/** The same for frameworks, whose component calls `run`. */
const inOwnWorkerRun = (environment, main) => ({
  ...environment,
  also: undefined,
  files: {
    ...environment.files,
    [main]: `export const run = () => new Promise((resolve) => {
${startOwnWorker().replaceAll("globalThis.result = ", "resolve(").replaceAll("; };", "); };")}});
`,
    [main.replace(/[^/]*$/, "own.js")]: ownWorker(),
  },
});

/** With a bundler. */
const bundlers = {
  "Vite 8, build": { ...vite("8", viteBuild), often: true },
  "Vite 8, dev": vite("8", viteDev),
  "Vite 7, build": vite("7", viteBuild),
  "Vite 7, dev": vite("7", viteDev),
  "Vite 6, build": vite("6", viteBuild),
  "Vite 6, dev": vite("6", viteDev),
  "Vite 5, build": vite("5", viteBuild),
  "Vite 5, dev": { ...vite("5", viteDev), often: true },
  // the application in a folder of a workspace, with the package above it, where Vite's server does not look for bundled files
  ...Object.fromEntries(
    [
      ["build", { build: "cd packages/app && npx vite build", root: "packages/app/dist" }],
      ["dev", { serve: "npx --prefix . vite packages/app --port PORT --strictPort" }],
    ].map(([name, rest]) => [
      `Vite 8, hoisted, ${name}`,
      {
        dependencies: { vite: "8" },
        files: {
          "package.json": { name: "all", private: true, workspaces: ["packages/*"], dependencies: { vite: "8" } },
          "packages/app/vite.config.js": 'export default { optimizeDeps: { exclude: ["webert"] } };',
          "packages/app/package.json": { name: "app", private: true, type: "module", dependencies: { webert: "*" } },
          "packages/app/index.html": scriptPage("/main.js"),
          "packages/app/main.js": program(),
        },
        ...rest,
      },
    ]),
  ),
  "Vite, base": vite("8", {
    files: { "vite.config.js": 'export default { base: "/app/" };' },
    rest: { build: "npx vite build --outDir root/app", root: "root", at: "app/" },
  }),
  "Vite, assets on another origin": vite("8", {
    files: { "vite.config.js": 'export default { base: "CDN" };' },
    rest: { build: "npx vite build && mkdir -p page && cp dist/index.html page/", root: "page", cdn: "dist" },
  }),
  "webpack 5": { ...webpack(), often: true },
  "webpack 5, assets on another origin": webpack({
    files: {
      "page/index.html": scriptPage("CDNmain.js", "defer"),
      "webpack.config.cjs": 'module.exports = { output: { publicPath: "CDN" } };',
    },
    rest: { root: "page", cdn: "dist" },
  }),
  Rspack: {
    often: true,
    dependencies: { "@rspack/core": "2", "@rspack/cli": "2" },
    files: { "src/index.js": program(), "dist/index.html": scriptPage("/main.js", "defer") },
    build: "npx rspack build --mode production --entry ./src/index.js",
    root: "dist",
  },
  Parcel: {
    dependencies: { parcel: "2" },
    files: { "src/index.html": scriptPage("./main.js"), "src/main.js": program() },
    build: "npx parcel build src/index.html --dist-dir dist --no-cache",
    root: "dist",
  },
  "Next 16, Turbopack": next({ build: "npx next build", serve: "npx next start -p PORT", also: "answer" }),
  "Next 16, webpack": next({ build: "npx next build --webpack", serve: "npx next start -p PORT", also: "answer" }),
  "Next 16, dev": next({ serve: "npx next dev -p PORT", also: "answer" }),
  "Next 16, webpack, dev": next({ serve: "npx next dev --webpack -p PORT", also: "answer" }),
  // moved away from the build folder, as into a container
  "Next 16, standalone": next({
    files: {
      ...nextFiles,
      "next.config.mjs": `export default {
  output: "standalone",
  outputFileTracingRoot: import.meta.dirname,
  serverExternalPackages: ["webert"],
  outputFileTracingIncludes: { "/answer": ["./node_modules/webert/dist/**", "./node_modules/webert/models/**"] },
};`,
    },
    build:
      "npx next build && cp -r .next/static .next/standalone/.next/static && rm -rf ../moved && mv .next/standalone ../moved && rm -r node_modules/webert",
    serve: "node ../moved/server.js",
    also: "answer",
  }),
  SvelteKit: {
    dependencies: {
      "@sveltejs/kit": "2",
      "@sveltejs/vite-plugin-svelte": "^6 || ^7",
      svelte: "5",
      vite: "^7 || ^8",
      "@sveltejs/adapter-static": "3",
    },
    files: {
      "svelte.config.js":
        'import adapter from "@sveltejs/adapter-static";\nexport default { kit: { adapter: adapter() } };',
      "vite.config.js": 'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };',
      "src/app.html":
        '<!doctype html><html><head><link rel=icon href="data:,">%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      "src/routes/+layout.js": "export const prerender = true;",
      "src/run.js": nextFiles["app/run.js"],
      "src/routes/+page.svelte":
        '<script>\nimport { onMount } from "svelte";\nimport { run } from "../run.js";\nonMount(() => { run().then((result) => { globalThis.result = result; }); });\n</script>\n<h1>webert</h1>',
    },
    build: "npx vite build",
    root: "build",
  },
  Nuxt: {
    dependencies: { nuxt: "4", vue: "3" },
    files: {
      "nuxt.config.ts": 'export default defineNuxtConfig({ compatibilityDate: "2026-01-01" });',
      "tsconfig.json": "{}",
      "app/run.js": nextFiles["app/run.js"],
      "app/app.vue":
        '<script setup>\nimport { run } from "./run.js";\nonMounted(() => { run().then((result) => { globalThis.result = result; }); });\n</script>\n<template><h1>webert</h1></template>',
    },
    build: "npx nuxt build",
    serve: "npx nuxt preview --port PORT",
  },
  // These three copy no files.
  Angular: { ...angular(), fails: /not_found.*webert\/inline/s },
  "Angular, a copy in public": angular({ base: '"/webert/"' }, { build: `${inPublic} && ${ng} build` }),
  "Angular, a copy in public, dev": angular(
    { base: '"/webert/"' },
    { build: inPublic, root: undefined, serve: `${ng} serve --port PORT` },
  ),
  "Angular, inline": angular({ from: "webert/inline", base: '"/webert/"' }, { build: `${inPublic} && ${ng} build` }),
  "Angular, dev": {
    ...angular({}, { build: undefined, root: undefined, serve: `${ng} serve --port PORT` }),
    fails: /webert\/inline/s,
  },
  "esbuild, inline": {
    often: true,
    dependencies: { esbuild: "0.28.2" },
    files: {
      "main.js": program({ from: "webert/inline", setup: 'env.base = "/assets/";' }),
      "dist/index.html": scriptPage("/main.js"),
    },
    build:
      "npx esbuild main.js --bundle --format=esm --splitting --minify --outdir=dist && npx webert copy dist/assets",
    root: "dist",
  },
  "esbuild, inline, a classic script": {
    dependencies: { esbuild: "0.28.2" },
    files: {
      "main.js": program({ from: "webert/inline", setup: 'env.base = "/assets/";' }),
      "dist/index.html": scriptPage("/main.js", "defer"),
    },
    build:
      "npx esbuild main.js --bundle --format=iife --minify --outdir=dist --log-level=error && npx webert copy dist/assets",
    root: "dist",
  },
  esbuild: {
    often: true,
    fails: /not_found.*webert\/inline/s,
    dependencies: { esbuild: "0.28.2" },
    files: { "main.js": program(), "dist/index.html": scriptPage("/main.js") },
    build: "npx esbuild main.js --bundle --format=esm --splitting --minify --outdir=dist",
    root: "dist",
  },
  "esbuild, a copy beside the bundle": {
    dependencies: { esbuild: "0.28.2" },
    files: { "main.js": program({ setup: 'env.base = "/";' }), "dist/index.html": scriptPage("/main.js") },
    build: "npx esbuild main.js --bundle --format=esm --splitting --minify --outdir=dist && npx webert copy dist",
    root: "dist",
  },
  "Rollup, inline": {
    often: true,
    dependencies: { rollup: "4", "@rollup/plugin-node-resolve": "16" },
    files: {
      "main.js": program({ from: "webert/inline", setup: 'env.base = "/assets/";' }),
      "dist/index.html": scriptPage("/main.js"),
    },
    build: "npx rollup main.js -d dist -f es -p 'node-resolve={browser:true}' && npx webert copy dist/assets",
    root: "dist",
  },
  Rollup: {
    fails: /not_found.*webert\/inline/s,
    dependencies: { rollup: "4", "@rollup/plugin-node-resolve": "16" },
    files: { "main.js": program(), "dist/index.html": scriptPage("/main.js") },
    build: "npx rollup main.js -d dist -f es -p 'node-resolve={browser:true}'",
    root: "dist",
  },
};

const alsoSplit = (build) =>
  build.replace("main.js --bundle", "main.js own.js --bundle").replace("rollup main.js", "rollup main.js own.js");
const ownInline = { from: "webert/inline", setup: 'env.base = "/assets/";', url: '"/own.js"' };
/** The bundlers with a Worker of the application's own. */
const ownWorkers = {
  ...Object.fromEntries(
    ["8", "7", "6", "5"].flatMap((version) => [
      [`Vite ${version}, build, own Worker`, { ...inOwnWorker(vite(version, viteBuild)), often: version === "8" }],
      [`Vite ${version}, dev, own Worker`, inOwnWorker(vite(version, viteDev))],
    ]),
  ),
  "Vite 8, build, own Worker with slim": {
    ...inOwnWorker(vite("8", viteBuild), { from: "webert/slim" }),
    fails: /bad_input.*no default model in webert\/slim/s,
  },
  "webpack 5, own Worker": inOwnWorker(webpack(), { main: "src/index.js" }),
  "Rspack, own Worker": inOwnWorker(bundlers.Rspack, { main: "src/index.js" }),
  "Parcel, own Worker": inOwnWorker(bundlers.Parcel, { main: "src/main.js" }),
  "Next 16, Turbopack, own Worker": inOwnWorkerRun(bundlers["Next 16, Turbopack"], "app/run.js"),
  "Next 16, webpack, own Worker": inOwnWorkerRun(bundlers["Next 16, webpack"], "app/run.js"),
  "SvelteKit, own Worker": inOwnWorkerRun(bundlers.SvelteKit, "src/run.js"),
  "Nuxt, own Worker": inOwnWorkerRun(bundlers.Nuxt, "app/run.js"),
  "esbuild, inline, own Worker": inOwnWorker(
    { ...bundlers["esbuild, inline"], build: alsoSplit(bundlers["esbuild, inline"].build) },
    ownInline,
  ),
  "Rollup, inline, own Worker": inOwnWorker(
    { ...bundlers["Rollup, inline"], build: alsoSplit(bundlers["Rollup, inline"].build) },
    ownInline,
  ),
};

const node = (version) => ({
  dependencies: { node: version },
  files: { "main.mjs": program({ report: "(result) => console.log(JSON.stringify(result))" }) },
  program: "node_modules/node/bin/node main.mjs",
});

/** Edge functions load models by URL; `again` uses in one request the model that another request loaded. */
const edge = {
  "run.js": program({ setup: 'env.base = "CDNassets/";' })
    .replace("const done = (async () => {", "export const run = () => (async () => {")
    .replace(/done\.then.*\n$/, ""),
  "requests.js": `import { pipeline } from "webert";
import { run } from "./run.js";
let loaded;
const again = async (text) => (await (await (loaded ??= pipeline("fill-mask")))(text))[0].token_str;
const message = (promise) => promise.then(() => "no error", ({ code, message }) => \`\${code}: \${message}\`);
export async function answer(path) {
  if (path === "/answer") return run();
  if (path === "/again") return { token_str: await again("Paris is the [MASK] of France."), label: "positive" };
  if (path === "/refused") {
    const errors = await Promise.all([message(pipeline("fill-mask", null, { threads: 2 })), message(pipeline("fill-mask", "./model"))]);
    const right = /^unsupported: threads: 2.*one thread/.test(errors[0]) && /^bad_input.*whole URL/.test(errors[1]);
    return right ? { token_str: "capital", label: "positive" } : { error: errors.join("\\n") };
  }
  return {};
}
`,
};
const requests = ["answer", "again", "again", "refused"];
const copied = "node node_modules/webert/dist/cli.js copy assets";

/** Without a page. */
const runtimes = {
  workerd: {
    dependencies: { wrangler: "4" },
    cdn: ".",
    requests,
    files: {
      ...edge,
      "wrangler.json": { name: "webert", main: "main.js", compatibility_date: "2025-05-05" },
      "main.js":
        'import { answer } from "./requests.js";\nexport default { fetch: async ({ url }) => Response.json(await answer(new URL(url).pathname)) };',
    },
    build: copied,
    serve: "npx wrangler dev --port PORT --show-interactive-dev-session=false",
  },
  "Next 16, edge function": {
    dependencies: { next: "16", react, "react-dom": react },
    cdn: ".",
    requests,
    files: {
      ...edge,
      "app/layout.jsx": nextFiles["app/layout.jsx"],
      "app/[path]/route.js":
        'import { answer } from "../../requests.js";\nexport const runtime = "edge";\n' +
        "export const GET = async ({ url }) => Response.json(await answer(new URL(url).pathname));",
    },
    build: `${copied} && npx next build`,
    serve: "npx next start -p PORT",
  },

  "Node, this one": { ...node("20"), dependencies: {}, program: `"${process.execPath}" main.mjs`, often: true },
  ...Object.fromEntries(["20", "22", "24", "25", "26"].map((version) => [`Node ${version}`, node(version)])),
  Deno: {
    ...node("20"),
    dependencies: { deno: "2" },
    program: "npx deno run --allow-read --allow-env --allow-sys main.mjs",
  },
  "Deno, without permission": {
    ...node("20"),
    dependencies: { deno: "2" },
    fails: /--allow-read/,
    program: "npx deno run --no-prompt main.mjs",
  },
  Bun: { ...node("20"), dependencies: { bun: "1" }, program: "npx bun main.mjs" },
};

/** A program that uses the types strictly, with each compiler, module resolution and library. */
const types = {
  dependencies: Object.fromEntries(
    ["5.4", "5.6", "5.9", "6", "7"].map((version) => [`typescript-${version}`, `npm:typescript@${version}`]),
  ),
  files: {
    "main.ts": `import { pipeline, env, type Source } from "webert";
import { pipeline as slim } from "webert/slim";
import { pipeline as inline } from "webert/inline";
import { pipeline as inServiceWorker } from "webert/service-worker";
import topic from "webert/models/minilm-topic";
env.base = "/assets/";
const source: Source = topic;
export const label = async (): Promise<string> => (await (await pipeline("text-classification", source))("a text"))[0]!.label;
export const others = [slim, inline, inServiceWorker];
`,
    "check.mjs": `import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
const failures = [];
for (const version of readdirSync("node_modules").filter((name) => name.startsWith("typescript-"))) {
  for (const [module, resolution] of [["esnext", "bundler"], ["node16", "node16"]]) {
    for (const lib of ["es2022", "es2022,dom"]) {
      const own = version === "typescript-5.4" || version === "typescript-5.6" || version === "typescript-5.9" ? [] : ["--ignoreConfig"];
      const { status, stdout, stderr } = spawnSync(process.execPath, ["node_modules/" + version + "/bin/tsc", ...own, "--noEmit", "--strict", "--typeRoots", "none", "--target", "es2022",
        "--lib", lib, "--module", module, "--moduleResolution", resolution, "main.ts"], { encoding: "utf8" });
      if (status !== 0) failures.push([version, resolution, lib, stdout + stderr].join(" "));
    }
  }
}
console.log(JSON.stringify(failures.length ? { error: failures.join("\\n") } : { token_str: "capital", label: "positive" }));
`,
  },
  program: `"${process.execPath}" check.mjs`,
};

/** Environments by name. */
export const environments = {
  ...Object.fromEntries(Object.entries(pages).map(([name, environment]) => [name, { ...environment, often: true }])),
  ...bundlers,
  ...ownWorkers,
  ...runtimes,
  "TypeScript 5.4 to 7": types,
};
