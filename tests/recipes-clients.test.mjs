// The recipes for databases, editors, notebooks and flow builders, run with the packages that they name.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { createHandler } from "../dist/integrations/fetch.js";
import { pipeline } from "../dist/node.js";
import { blocksOf } from "./blocks.mjs";
import { blank, withPage } from "./browser.mjs";
import { client, installed } from "./integrations/clients.mjs";

const root = join(import.meta.dirname, "..");
const TEXTS = [
  "The piano stands near the window.",
  "It rained all day.",
  "The cat sleeps on the sofa.",
  "Interest rates rose again.",
];
const QUERY = "musical instrument";
const MODEL = '"sentence-transformers/all-MiniLM-L6-v2"';

/** The files of a recipe: their names and code. */
const filesOf = (name) =>
  Object.fromEntries(
    blocksOf(readFileSync(join(root, `docs/recipes/${name}.md`), "utf8"))
      .filter(({ how }) => how === "file")
      .map(({ detail, code }) => [detail, code]),
  );

/** A folder with the files of a recipe inside the installed packages. */
function written(name, change = (code) => code) {
  const packages = join(installed(), "node_modules");
  const folder = join(root, "target/recipes", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  rmSync(join(packages, "webert"), { force: true });
  symlinkSync(root, join(packages, "webert"));
  symlinkSync(packages, join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [file, code] of Object.entries(filesOf(name))) writeFileSync(join(folder, file), change(code));
  return folder;
}

let embed;
let order;
before(async () => {
  embed = await pipeline("feature-extraction");
  const [query, ...rows] = (await embed([QUERY, ...TEXTS], { pooling: "model" })).tolist();
  const score = (row) => row.reduce((sum, value, n) => sum + value * query[n], 0);
  order = TEXTS.map((text, n) => ({ text, score: score(rows[n]) }))
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
});
after(() => embed.dispose());

test("stores: PGlite, RxDB, Dexie and words with meaning order the texts as their cosines", async () => {
  await client("fake-indexeddb/auto");
  const folder = written("stores");
  for (const file of ["pglite.js", "rxdb.js", "dexie.js", "words.js"]) {
    const store = await import(pathToFileURL(join(folder, file)).href);
    await store.add(TEXTS.slice(0, 3));
    await store.add(TEXTS.slice(3));
    assert.deepEqual(await store.search(QUERY), order, file);
  }
  // A word of one text brings it to the front, in spite of its meaning.
  const { search } = await import(pathToFileURL(join(folder, "words.js")).href);
  assert.equal((await search("rates of musical"))[0], TEXTS[3]);
});

/** A program as one script, by a recipe's options. webert is inside unless it is in `external`. */
async function bundled(file, options) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    target: "es2022",
    logLevel: "error",
    ...options,
  });
  return outputFiles[0].text;
}

test("stores: SQLite with sqlite-vec in a page", async () => {
  const folder = written("stores");
  const vec = join(folder, "node_modules/sqlite-vec-wasm-demo");
  await withPage({ path: blank }, async (page) => {
    const url = new URL("/", page.url()).href;
    const code = await bundled(join(folder, "sqlite.js"), {
      format: "esm",
      external: ["webert", "sqlite-vec-wasm-demo"],
    });
    await page.route("**/sqlite-vec/*", (route) =>
      route.fulfill({
        body: readFileSync(join(vec, new URL(route.request().url()).pathname.split("/").at(-1))),
        contentType: /wasm$/.test(route.request().url()) ? "application/wasm" : "text/javascript",
        headers: { "cross-origin-resource-policy": "same-origin" },
      }),
    );
    const script = code
      .replace('"webert"', `"${url}dist/index.js"`)
      .replace('"sqlite-vec-wasm-demo"', `"${url}sqlite-vec/sqlite3.mjs"`);
    const found = await page.evaluate(
      async ([script, texts, query]) => {
        const store = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
        await store.add(texts.slice(0, 3));
        await store.add(texts.slice(3));
        return store.search(query);
      },
      [script, TEXTS, QUERY],
    );
    assert.deepEqual(found, order);
  });
});

/** Runs in the page: what the plugin lists for the notes `texts` in a stand-in for Obsidian, before and after a change, and what it opens. */
async function listed([code, texts]) {
  const notes = new Map(texts.map((text, n) => [`${n}.md`, text]));
  const events = {};
  const lists = [];
  const opened = [];
  let command;
  let shown;
  const workspace = { getActiveFile: () => ({ path: "0.md" }), openLinkText: (path) => opened.push(path) };
  const vault = {
    getMarkdownFiles: () => [...notes.keys()].map((path) => ({ path })),
    cachedRead: async ({ path }) => notes.get(path),
    on: (name, run) => (events[name] = run),
  };
  class Plugin {
    app = { workspace, vault };
    addCommand(given) {
      command = given;
    }
    registerEvent() {}
  }
  class SuggestModal {
    constructor(app) {
      this.app = app;
    }
    open() {
      lists.push(
        this.getSuggestions().map((one) => {
          let row;
          this.renderSuggestion(one, { setText: (text) => (row = text) });
          return row;
        }),
      );
      this.onChooseSuggestion(this.getSuggestions()[0]);
      shown();
    }
  }
  const module = { exports: {} };
  new Function("require", "module", "exports", code)(() => ({ Plugin, SuggestModal }), module, module.exports);
  const plugin = new module.exports.default();
  plugin.onload();
  const show = () =>
    new Promise((done) => {
      shown = done;
      command.checkCallback(false);
    });
  const isOffered = command.checkCallback(true);
  await show();
  notes.set("1.md", "She tunes the piano, which stands in the hall.");
  events.modify({ path: "1.md" });
  events.delete({ path: "3.md" });
  await show();
  plugin.onunload();
  return { isOffered, lists, opened };
}

test("obsidian: the plugin lists the nearest notes, and follows changes", async () => {
  await withPage({ path: blank }, async (page) => {
    const url = new URL("/", page.url()).href;
    const folder = written("obsidian", (code) => code.replace(MODEL, `"${url}models/minilm-embeddings"`));
    const code = await bundled(join(folder, "main.ts"), { format: "cjs", external: ["obsidian"] });
    const lists = await page.evaluate(listed, [code, [TEXTS[0], TEXTS[1], "A grand piano needs space.", TEXTS[3]]]);
    assert.equal(lists.isOffered, true);
    assert.deepEqual(
      lists.lists.map((list) => list.length),
      [3, 2],
    );
    assert.match(lists.lists[0][0], /^2\.md \(0\.\d\d\)$/);
    assert.match(lists.lists[1].join(), /^[12]\.md \(0\.\d\d\),[12]\.md/);
    assert.equal(lists.opened[0], "2.md");
  });
});

test("vscode: the command in a Worker selects the line that is nearest to the question", async () => {
  await withPage({ path: blank }, async (page) => {
    const url = new URL("/", page.url()).href;
    const folder = written("vscode", (code) => code.replace(MODEL, `"${url}models/minilm-embeddings"`));
    const code = await bundled(join(folder, "extension.ts"), { format: "cjs", external: ["vscode"] });
    const host = async (code, lines, query) => {
      let run;
      const range = (line) => ({ start: { line }, end: { line } });
      const editor = {
        document: { getText: () => lines.join("\r\n"), lineAt: (line) => ({ range: range(line) }) },
        revealRange: () => {},
      };
      const vscode = {
        window: { activeTextEditor: editor, showInputBox: async () => query },
        commands: { registerCommand: (_, given) => (run = given) },
        Selection: class {
          constructor(start) {
            this.start = start;
          }
        },
      };
      const module = { exports: {} };
      new Function("require", "module", "exports", code)(() => vscode, module, module.exports);
      module.exports.activate({ subscriptions: [] });
      await run();
      await module.exports.deactivate();
      return editor.selection.start.line;
    };
    const line = await page.evaluate(
      ([host, ...args]) =>
        new Promise((resolve, reject) => {
          const script = `onmessage = ({ data }) => (${host})(...data).then(postMessage, (error) => postMessage(String(error.stack)))`;
          const worker = new Worker(URL.createObjectURL(new Blob([script])));
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => reject(new Error(message));
          worker.postMessage(args);
        }),
      [String(host), code, [TEXTS[1], "", `  ${TEXTS[0]}`, TEXTS[3]], QUERY],
    );
    assert.equal(line, 2);
  });
});

test("observable: the cells compute, and compute again when the query changes", async () => {
  const { Runtime } = await client("@observablehq/runtime");
  const { parseCell } = await client("@observablehq/parser");
  const runtime = new Runtime({
    Inputs: { text: ({ value }) => ({ value }) },
    webert: () => import("../dist/node.js"),
  });
  const main = runtime.module();
  const cells = filesOf("observable");
  assert.equal(parseCell(cells.webert).body.type, "ImportExpression");
  for (const [name, code] of Object.entries(cells)) {
    if (name === "webert") continue;
    const cell = parseCell(code);
    const names = [...new Set(cell.references.map((one) => one.name))];
    const body = code.slice(cell.body.start, cell.body.end);
    const source = cell.body.type === "BlockStatement" ? body : `{ return ${body}; }`;
    const define = new Function(`return async (${names.join()}) => ${source}`)();
    const isView = cell.id.type === "ViewExpression";
    main.variable().define(isView ? "viewof query" : cell.id.name, names, define);
    if (isView) main.variable().define("query", ["viewof query"], ({ value }) => value);
  }
  const nearest = await main.value("nearest");
  assert.equal(nearest[0].text, TEXTS[0]);
  assert.equal(nearest.length, 3);
  main.redefine("query", [], () => "bad weather");
  assert.equal((await main.value("nearest"))[0].text, TEXTS[1]);
  runtime.dispose();
});

test("flows: the clients inside n8n and Flowise, with the options that their nodes pass", async () => {
  const handler = createHandler({ embeddings: embed }, { api_key: "KEY", truncate: true });
  const base = "http://127.0.0.1:8080";
  const expected = (await embed(TEXTS, { pooling: "model" })).tolist();
  const near = (rows) => {
    assert.equal(rows.length, expected.length);
    for (const [n, row] of rows.entries())
      for (const [m, value] of row.entries()) assert.ok(Math.abs(value - expected[n][m]) < 1e-5);
  };
  const { OpenAIEmbeddings } = await client("@langchain/openai");
  // EmbeddingsOpenAi.node.ts of n8n, OpenAIEmbeddingCustom.ts of Flowise.
  const node = { modelName: "embeddings", openAIApiKey: "KEY", stripNewLines: true, batchSize: 2, timeout: undefined };
  const configuration = { baseURL: `${base}/v1`, fetch: handler };
  near(await new OpenAIEmbeddings({ ...node, configuration }).embedDocuments(TEXTS));
  const wrong = new OpenAIEmbeddings({ ...node, openAIApiKey: "other", configuration });
  await assert.rejects(wrong.embedQuery("a"), /expected the key of this server/);
  const models = await handler(`${base}/v1/models`, { headers: { authorization: "Bearer KEY" } });
  const { data } = await models.json();
  assert.deepEqual(
    data.filter(({ id }) => id.includes("embed")).map(({ id }) => id),
    ["embeddings"],
  );
  // HuggingFaceInferenceEmbeddings of both: a client, its endpoint, then featureExtraction({ inputs }).
  const { InferenceClient } = await client("@huggingface/inference");
  const hub = new InferenceClient("KEY", { fetch: handler }).endpoint(`${base}/models/embeddings`);
  near(await hub.featureExtraction({ inputs: TEXTS }));
});

test("the table of docs/integrations.md has each package of the tests, at its version", () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, "tests/integrations/package.json"), "utf8"));
  const document = readFileSync(join(root, "docs/integrations.md"), "utf8");
  const rows = [...document.matchAll(/^\| (@?[\w./-]+) \| (\d[\w.-]*) \| .*\|$/gm)];
  const found = Object.fromEntries(rows.map(([, name, version]) => [name, version]));
  // Parts of other rows: an extension of PGlite, and what only the tests need.
  const parts = ["@electric-sql/pglite-pgvector", "@observablehq/parser", "fake-indexeddb", "rxjs"];
  const named = Object.entries(dependencies).filter(([name]) => !parts.includes(name));
  assert.deepEqual(found, Object.fromEntries(named));
});
