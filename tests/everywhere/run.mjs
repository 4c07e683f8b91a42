// Runs the packed package in an environment. `node tests/everywhere/run.mjs [NAME…]` (npm run test:everywhere) runs the named ones, or all
// of environments.mjs. For each it prints the times of install, build and first answer, and the build's output.

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "playwright-core";
import { isMain, root } from "../../scripts/lib/run.mjs";
import { ensureBrowser } from "../../scripts/setup.mjs";
import { environments } from "./environments.mjs";
import { serveFolder } from "./server.mjs";

/** Installed dependencies are kept here between runs. */
const cache = join(root, "target/everywhere");
const quiet = {
  CI: "1",
  NO_COLOR: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  NG_CLI_ANALYTICS: "false",
};
/** Time limit in milliseconds: a hanging run is a failure as well. */
const LIMIT = { install: 600_000, build: 300_000, answer: 90_000 };

let packed;
/** The folder of the package as npm would install it. */
function unpacked() {
  if (packed) return packed;
  const folder = join(cache, ".package");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(
    sh("npm pack --json --ignore-scripts --pack-destination target/everywhere/.package", root).out,
  );
  sh(`tar -xzf ${filename}`, folder);
  return (packed = join(folder, "package"));
}

function sh(command, cwd, timeout = LIMIT.build) {
  const start = performance.now();
  const done = spawnSync(command, {
    cwd,
    shell: "/bin/bash",
    encoding: "utf8",
    timeout,
    killSignal: "SIGKILL",
    env: { ...process.env, ...quiet },
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0)
    throw new Error(
      `${command}: ${done.error?.message ?? done.status}\n${done.stdout.slice(-3000)}\n${done.stderr.slice(-3000)}`,
    );
  return { out: done.stdout, ms: Math.round(performance.now() - start) };
}

/** A tree of hard links, because the models are large and the environments many. */
function linkTree(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else linkSync(source, target);
  }
}

/** Brings the application's folder up to date: dependencies are installed once, everything else is made again. */
function prepare(name, { dependencies = {}, files }, address) {
  const folder = join(cache, name.replaceAll(/\W+/g, "-"));
  const wanted = JSON.stringify({ name: "application", private: true, type: "module", dependencies }, null, 2);
  const stamp = join(folder, "installed");
  const start = performance.now();
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), wanted);
    if (Object.keys(dependencies).length > 0)
      sh("npm install --no-audit --no-fund --prefer-offline", folder, LIMIT.install);
    writeFileSync(stamp, wanted);
  }
  for (const entry of readdirSync(folder)) {
    if (!["node_modules", "package.json", "package-lock.json", "installed"].includes(entry))
      rmSync(join(folder, entry), { recursive: true });
  }
  for (const stale of [".vite", ".cache", "webert", ".bin/webert"])
    rmSync(join(folder, "node_modules", stale), { recursive: true, force: true });
  linkTree(unpacked(), join(folder, "node_modules/webert"));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(
    join(folder, "node_modules/.bin/webert"),
    '#!/bin/sh\nexec node "$(dirname "$0")/../webert/dist/cli.js" "$@"\n',
    { mode: 0o755 },
  );
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(folder, path), text.replaceAll("CDN", address ?? "CDN"));
  }
  return { folder, installed: Math.round(performance.now() - start) };
}

/** A port that nothing listens on. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a server by its command, and waits until it answers. */
async function serveByCommand(command, cwd) {
  const port = await freePort();
  const url = `http://localhost:${port}/`;
  const child = spawn("/bin/bash", ["-c", `exec ${command.replace("PORT", port)}`], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...quiet, PORT: port },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const close = () => {
    try {
      process.kill(-child.pid, "SIGKILL"); // with its child processes
    } catch {
      // it has already ended
    }
  };
  for (const end = Date.now() + LIMIT.answer; ; ) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return { url, close };
    if (Date.now() > end || child.exitCode !== null) {
      close();
      throw new Error(`${command} does not serve:\n${said.slice(-3000)}`);
    }
    await new Promise((later) => setTimeout(later, 100));
  }
}

/** The output of a build: files, JavaScript with brotli, wasm files, the models' bytes. */
function sizes(folder) {
  const sum = { files: 0, js: 0, wasm: 0, models: 0 };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    sum.files++;
    if (/\.m?js$/.test(path))
      sum.js += brotliCompressSync(readFileSync(path), { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }).length;
    if (path.endsWith(".wasm")) sum.wasm++;
    if (/\.safetensors$|vocab.*\.txt$/.test(path)) sum.models += statSync(path).size;
  }
  return sum;
}

const chromiumArgs = ["--headless=new", "--no-sandbox"];
let browser;
/** The report of the program on a page. */
async function visit(url, context) {
  browser ??= await chromium.launch({ executablePath: ensureBrowser("chromium"), args: chromiumArgs });
  const profile = context ?? (await browser.newContext());
  const said = [];
  try {
    const page = await profile.newPage();
    page.on("console", (message) => message.type() === "error" && said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(url, { timeout: LIMIT.answer });
    await page.waitForFunction(() => globalThis.result !== undefined, null, { timeout: LIMIT.answer });
    return await page.evaluate(() => globalThis.result);
  } catch (error) {
    throw new Error(`${error.message}\n${said.join("\n")}`);
  } finally {
    await profile.close();
  }
}

/** The report of an extension's page in `folder`. */
async function visitExtension(folder) {
  const profile = mkdtempSync(join(tmpdir(), "webert-profile-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: ensureBrowser("chromium"),
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      ...chromiumArgs,
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      "--disable-features=DisableLoadExtensionCommandLineSwitch",
    ],
  });
  try {
    const background =
      context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker", { timeout: LIMIT.answer }));
    return await visit(new URL("/page.html", background.url()).href, context);
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
}

/** A server's answer, parsed as JSON. */
async function ask(url) {
  const text = await (await fetch(url, { signal: AbortSignal.timeout(LIMIT.answer) })).text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${url} answers ${text.slice(0, 3000)}`);
  }
}

/** Runs an environment and returns its measures. Throws if the package does not behave as expected there. */
export async function run(name) {
  const environment = environments[name];
  const open = [];
  const opened = (server) => (open.push(server), server);
  try {
    // The other origin's address is needed before its files exist.
    const cdn =
      environment.cdn &&
      opened(
        await serveFolder(join(cache, name.replaceAll(/\W+/g, "-"), environment.cdn), () => ({
          "access-control-allow-origin": "*",
          "cross-origin-resource-policy": "cross-origin",
        })),
      );
    const { folder, installed } = prepare(name, environment, cdn?.url);
    const measures = { installed };
    if (environment.build) measures.built = sh(environment.build, folder).ms;
    const output = join(folder, environment.root ?? ".");
    if (environment.root) measures.sizes = sizes(environment.cdn ? join(folder, environment.cdn) : output);
    const results = [];
    if (environment.program) {
      const lines = sh(environment.program, folder).out.trim().split("\n");
      results.push(JSON.parse(lines.at(-1)));
    } else if (environment.extension) {
      results.push(await visitExtension(folder));
    } else {
      const server = opened(
        environment.serve
          ? await serveByCommand(environment.serve, folder)
          : await serveFolder(output, environment.headers),
      );
      const { also, requests = also ? [also] : [] } = environment;
      if (!environment.requests) results.push(await visit(server.url + (environment.at ?? "")));
      for (const path of requests) results.push(await ask(server.url + path));
    }
    for (const result of results) check(environment, result);
    return { ...measures, answered: results[0].ms, threads: results[0].threads };
  } finally {
    for (const server of open) server.close();
  }
}

function check({ fails, threads }, result) {
  const text = `${result.code} ${result.error}`;
  if (fails) {
    if (result.error && fails.test(text)) return;
    throw new Error(`expected an error like ${fails}, got ${JSON.stringify(result)}`);
  }
  if (result.error) throw new Error(text);
  if (result.token_str !== "capital" || result.label !== "positive")
    throw new Error(`expected "capital" and "positive", got ${JSON.stringify(result)}`);
  if (threads && result.threads !== threads) throw new Error(`expected ${threads} threads, got ${result.threads}`);
}

/** Ends the processes that runs have started. */
export const close = async () => browser?.close();

if (isMain(import.meta.url)) {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !(name in environments));
  if (unknown) throw new Error(`there is no environment ${unknown}; there are ${Object.keys(environments).join("; ")}`);
  for (const name of asked.length ? asked : Object.keys(environments)) {
    const start = performance.now();
    let line;
    try {
      const { installed, built, sizes, answered, threads } = await run(name);
      const size =
        sizes &&
        `${sizes.files} files, ${sizes.js} B JavaScript (brotli), ${sizes.wasm} wasm files, ${sizes.models} B models`;
      const parts = [
        `installed in ${installed} ms`,
        built && `built in ${built} ms`,
        size,
        answered && `answered in ${answered} ms`,
        threads && `threads ${threads}`,
      ];
      line = `ok    ${name}: ${parts.filter(Boolean).join(", ")}`;
    } catch (error) {
      line = `FAIL  ${name}: ${error.message}`;
      process.exitCode = 1;
    }
    console.log(`${line} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  }
  await close();
}
