// The files of docs/recipes that need more than a page or a program around them: a React, a service worker, an extension, a server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "./blocks.mjs";
import { baseUrl, blank, withPage } from "./browser.mjs";

const root = join(import.meta.dirname, "..");
const recipe = (name) => blocksOf(readFileSync(join(root, `docs/recipes/${name}.md`), "utf8"));
/** The code of a recipe's file. */
const fileOf = (name, file) => recipe(name).find(({ how, detail }) => how === "file" && detail === file).code;

/** A folder with files, and with webert and other packages installed. */
function project(name, files, packages = {}) {
  const folder = join(root, "target/recipes", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/webert"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [name, code] of Object.entries(packages)) {
    mkdirSync(join(folder, "node_modules", name));
    writeFileSync(join(folder, "node_modules", name, "package.json"), '{ "type": "module", "main": "index.js" }');
    writeFileSync(join(folder, "node_modules", name, "index.js"), code);
  }
  for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
  return (file) => join(folder, file);
}

/** React's two hooks for one component: effects run after a render if their dependencies changed, and twice in strict mode. */
const REACT = `
let state, effect, dependencies, cleanup;
export const states = [];
export const useState = (initial) => [(state ??= initial), (next) => states.push((state = next))];
export const useEffect = (run, given) => {
  if (dependencies?.every((value, n) => value === given[n])) return;
  cleanup?.();
  cleanup = run();
  if (!dependencies) { cleanup?.(); cleanup = run(); } // strict mode
  dependencies = given;
};
`;

test("react: strict mode loads one model, and only the latest input is answered", async () => {
  const at = project("react", { "useAnswer.js": fileOf("react", "useAnswer.js") }, { react: REACT });
  const { states } = await import(at("node_modules/react/index.js"));
  const { useAnswer } = await import(at("useAnswer.js"));
  useAnswer("text-classification", "The soup was cold.");
  useAnswer("text-classification", "The soup was");
  useAnswer("text-classification", "What a lovely evening!");
  for (const end = Date.now() + 30_000; !states.length && Date.now() < end; )
    await new Promise((done) => setTimeout(done, 20));
  await new Promise((done) => setTimeout(done, 300));
  assert.deepEqual(
    states.map(({ answer, error }) => error?.message ?? answer[0].label),
    ["positive"],
  );
  useAnswer("text-classification", 7);
  for (const end = Date.now() + 10_000; states.length < 2 && Date.now() < end; )
    await new Promise((done) => setTimeout(done, 20));
  assert.equal(states[1].error.code, "bad_input");
});

/** A recipe's program as one classic script for pages and service workers, bundled as an application would. */
async function bundled(code) {
  const { build } = await import("esbuild");
  const url = await baseUrl();
  const plugin = {
    name: "served",
    setup: (builder) =>
      builder.onResolve({ filter: /^webert/ }, ({ path }) => ({
        path: `${url}dist/${path === "webert" ? "index" : path.slice(7)}.js`,
        external: true,
      })),
  };
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    write: false,
    format: "esm",
    plugins: [plugin],
  });
  return outputFiles[0].text;
}

test("service-worker: the page's snippet gets its answer from sw.js", async () => {
  const sw = await bundled(fileOf("service-worker", "sw.js"));
  const page = recipe("service-worker").find(({ code }) => code.includes("navigator.serviceWorker.register")).code;
  await withPage({ path: blank, context: { serviceWorkers: "allow" }, allowErrors: true }, async (tab) => {
    await tab.context().route("**/sw.js", (route) => route.fulfill({ body: sw, contentType: "text/javascript" }));
    const label = await tab.evaluate(
      async (code) => {
        const body = `${code}\nif (!navigator.serviceWorker.controller) await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done));\nreturn label;`;
        const run = Object.getPrototypeOf(async () => {}).constructor;
        return new run(body)().catch(String);
      },
      page.replace(
        "await navigator.serviceWorker.ready;",
        "await navigator.serviceWorker.ready; await new Promise((done) => setTimeout(done, 500));",
      ),
    );
    assert.equal(label, "positive");
  });
});

test("extension: the background script answers messages", async () => {
  const code = await bundled(fileOf("extension", "background.js"));
  await withPage({ path: blank }, async (page) => {
    const got = await page.evaluate(async (code) => {
      let listener;
      globalThis.chrome = { runtime: { onMessage: { addListener: (given) => (listener = given) } } };
      await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
      const ask = (message) => new Promise((answer) => (globalThis.isLater = listener(message, {}, answer)));
      return [
        (await ask({ text: "What a lovely evening!" })).label,
        globalThis.isLater,
        (await ask({ text: 7 })).error,
      ];
    }, code);
    assert.deepEqual(got.slice(0, 2), ["positive", true]);
    assert.match(got[2], /string/);
  });
});

test("server: answers while the model computes, and refuses a request without a text", async () => {
  const [{ code }] = recipe("server").filter(({ how }) => how === "file");
  const at = project("server", { "server.js": code });
  const port = await new Promise((done) => {
    const free = createServer().listen(0, () => {
      const { port } = free.address();
      free.close(() => done(port));
    });
  });
  const server = spawn(process.execPath, [at("server.js")], { env: { ...process.env, PORT: port }, stdio: "inherit" });
  try {
    const ask = (query) => fetch(`http://127.0.0.1:${port}/${query}`);
    for (const end = Date.now() + 60_000; ; await new Promise((done) => setTimeout(done, 50))) {
      if (await ask("").catch(() => Date.now() > end)) break;
    }
    const long = ask(`?text=${encodeURIComponent("The soup was cold. ".repeat(300))}`);
    assert.equal((await ask("")).status, 400); // at once
    const [{ label }] = await (await ask("?text=What%20a%20lovely%20evening!")).json();
    assert.equal(label, "positive");
    assert.equal((await long).status, 200);
  } finally {
    server.kill();
  }
});
