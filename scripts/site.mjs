// `npm run build:site` writes site/, a folder for any static host: the page, the package and its models, the guides of docs/, and an API
// reference by TypeDoc. `-- --url https://example.org/` sets its address, for the picture of shared links.

import "./lib/node-version.mjs";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { Failure, isMain, main, root, runQuietly } from "./lib/run.mjs";
import { step } from "./lib/step.mjs";
import { makePage } from "./page.mjs";

const at = (path) => join(root, path);
const MODELS = ["minilm-mlm", "minilm-embeddings", "minilm-entities", "minilm-sentiment", "minilm-topic"];

/** The guides in the order of the navigation: the name of the page, its source, its title. */
const GUIDES = [
  ["index", "README.md", "webert"],
  ["start", "docs/start.md", "Start"],
  ["recipes", "docs/recipes/README.md", "Recipes"],
  ["recipe-search-box", "docs/recipes/search-box.md", "Recipe: search box"],
  ["recipe-redaction-box", "docs/recipes/redaction-box.md", "Recipe: redaction box"],
  ["recipe-teach-and-keep", "docs/recipes/teach-and-keep.md", "Recipe: teach and keep"],
  ["recipe-label-a-csv", "docs/recipes/label-a-csv.md", "Recipe: label a CSV"],
  ["recipe-react", "docs/recipes/react.md", "Recipe: React"],
  ["recipe-service-worker", "docs/recipes/service-worker.md", "Recipe: service worker"],
  ["recipe-extension", "docs/recipes/extension.md", "Recipe: extension"],
  ["recipe-server", "docs/recipes/server.md", "Recipe: server"],
  ["recipe-stores", "docs/recipes/stores.md", "Recipe: databases"],
  ["recipe-obsidian", "docs/recipes/obsidian.md", "Recipe: Obsidian"],
  ["recipe-vscode", "docs/recipes/vscode.md", "Recipe: VS Code"],
  ["recipe-observable", "docs/recipes/observable.md", "Recipe: Observable"],
  ["recipe-flows", "docs/recipes/flows.md", "Recipe: n8n and Flowise"],
  ["documents", "docs/README.md", "All documents"],
  ["install", "docs/install.md", "Install"],
  ["bundlers", "docs/bundlers.md", "Bundlers"],
  ["command-line", "docs/command-line.md", "Command line"],
  ["loading", "docs/loading.md", "Loading"],
  ["models", "docs/models.md", "Models"],
  ["embeddings", "docs/embeddings.md", "Embeddings"],
  ["adapters", "docs/adapters.md", "Adapters"],
  ["many-texts", "docs/many-texts.md", "Many texts"],
  ["errors", "docs/errors.md", "Errors"],
  ["tokenizer-fields", "docs/tokenizer-fields.md", "Tokenizer files"],
  ["training", "docs/training.md", "Training"],
  ["explain", "docs/explain.md", "Explaining"],
  ["search", "docs/search.md", "Search"],
  ["zero-shot", "docs/zero-shot.md", "Labels of your own"],
  ["redaction", "docs/redaction.md", "Redaction"],
  ["integrations", "docs/integrations.md", "Integrations"],
  ["reference", "docs/reference.md", "Options and events"],
  ["browsers", "docs/browsers.md", "Browsers"],
  ["migration", "docs/migration.md", "Move from transformers.js"],
  ["transformers-js", "docs/transformers-js.md", "From transformers.js"],
  ["quantization", "docs/quantization.md", "Quantization"],
  ["benchmarks", "docs/benchmarks.md", "Benchmarks"],
  ["performance", "docs/performance.md", "Performance"],
  ["measure", "docs/measure.md", "Measuring a device"],
  ["devices", "docs/devices.md", "Measurements of devices"],
  ["webgpu", "docs/notes/webgpu.md", "WebGPU, measured and on paper"],
  ["reliability", "docs/reliability.md", "Reliability"],
  ["testing", "docs/testing.md", "Testing"],
  ["architecture", "docs/architecture.md", "Architecture"],
  ["adding", "docs/adding.md", "Adding to it"],
  ["changes", "CHANGELOG.md", "Changes"],
];

/** The target of a guide's link on the site; undefined for files that the site does not have. */
export function linkOnSite(href, from) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path, hash = ""] = href.split("#");
  const file = new URL(path, `file:///${from}`).pathname.slice(1);
  const [name] = GUIDES.find(([, source]) => source === file) ?? [];
  return name && `${name}.html${hash && `#${hash}`}`;
}

/** A heading's id, as links use it. */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-");

/** The text of a guide as HTML. */
async function rendered(text, from) {
  const { Marked } = await import("marked");
  const renderer = {
    link({ href, tokens }) {
      const [inner, target] = [this.parser.parseInline(tokens), linkOnSite(href, from)];
      return target ? `<a href="${target}">${inner}</a>` : inner;
    },
    image: ({ text }) => `<img src="../share.png" alt="${text}">`, // the guides have a single picture
    heading({ tokens, depth }) {
      const inner = this.parser.parseInline(tokens);
      return `<h${depth} id="${slug(inner)}">${inner}</h${depth}>\n`;
    },
  };
  return new Marked({ renderer })
    .parse(text)
    .replaceAll(/<th([^>]*)><\/th>/g, "<td$1></td>") // no header is better than an empty one
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
}

/** A page of the site around a guide. */
function guidePage(current, title, body) {
  const links = GUIDES.map(([name, , title]) => {
    const here = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${name}.html"${here}>${title}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
  <meta name="color-scheme" content="light dark">
  <title>${title} · webert</title>
  <link rel="icon" href="../icon.svg" type="image/svg+xml">
  <link rel="preload" href="../text.woff2" as="font" type="font/woff2" crossorigin>
  <link rel="stylesheet" href="../style.css">
  <link rel="stylesheet" href="guide.css">
</head>
<body class="guide">
  <header class="top"><p class="wordmark" translate="no"><a href="../">we<span aria-hidden="true">##</span>bert</a></p></header>
  <nav aria-label="Guides"><ul>${links.join("")}<li><a href="../api/index.html">API</a></li></ul></nav>
  <main>${body}</main>
</body>
</html>
`;
}

async function guides(folder) {
  mkdirSync(at(`${folder}/guides`), { recursive: true });
  for (const [name, file, title] of GUIDES) {
    writeFileSync(
      at(`${folder}/guides/${name}.html`),
      guidePage(name, title, await rendered(readFileSync(at(file), "utf8"), file)),
    );
  }
  cpSync(at("scripts/reference/guide.css"), at(`${folder}/guides/guide.css`));
}

/** The API reference: TypeDoc over the package's declarations. */
async function reference(folder) {
  const tool = "scripts/reference";
  await step(
    "npm ci (reference)",
    { inputs: [`${tool}/package-lock.json`], outputs: [`${tool}/node_modules/.package-lock.json`] },
    () => runQuietly("npm", ["ci", "--no-audit", "--no-fund"], { cwd: at(tool) }),
  );
  runQuietly(process.execPath, ["node_modules/typedoc/bin/typedoc", "--out", at(`${folder}/api`)], { cwd: at(tool) });
}

/** Shared links need the full address of the picture. */
function nameAddress(folder, url) {
  const file = at(`${folder}/index.html`);
  const { href } = new URL("share.png", url);
  const text = readFileSync(file, "utf8").replace('content="share.png"', `content="${href}"`);
  writeFileSync(file, text.replace("</title>", `</title>\n  <meta property="og:url" content="${url}">`));
}

/** Headers for hosts that read such a file (Netlify, Cloudflare). On other hosts the service worker adds them from the second visit on. */
const HEADERS = `/*
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  Cross-Origin-Resource-Policy: same-origin
`;

/** Writes the site into `folder`, over the existing dist/. `withReference`: with the API reference, whose tool comes from npm. */
export async function makeSite(folder, { url, withReference = true } = {}) {
  await makePage(folder, true);
  const isServed = (source) =>
    !/\.d\.ts$|dist\/(webert_|integrations\/)[-.\w]*\.map$/.test(source) &&
    !/dist\/(node|cli|workerd|edge-light|((chunk|part)-)?(inline|slim)|service-worker)[-.\w]*\.js(\.map)?$/.test(
      source,
    );
  cpSync(at("dist"), at(`${folder}/dist`), { recursive: true, filter: isServed });
  for (const name of MODELS) {
    const isModel = (source) => !source.endsWith(".md");
    cpSync(at(`models/${name}`), at(`${folder}/models/${name}`), { recursive: true, filter: isModel });
  }
  for (const file of readdirSync(at(folder))) if (file.endsWith(".map")) rmSync(at(`${folder}/${file}`));
  writeFileSync(at(`${folder}/_headers`), HEADERS);
  writeFileSync(at(`${folder}/.nojekyll`), ""); // for GitHub Pages, which would otherwise leave out some files
  if (url) nameAddress(folder, url);
  await guides(folder);
  if (withReference) await reference(folder);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { url } = parseArgs({ options: { url: { type: "string" } } }).values;
    if (url !== undefined && !URL.canParse(url)) throw new Failure(`--url ${url} is no address`);
    await build();
    await makeSite("site", { url });
    console.log("site/ is ready for any static host.");
  });
}
