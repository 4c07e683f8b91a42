// `npm run bench -- browser FOLDER [--peer DIR] [--models MiniLM,BERT-base] [--dtype fp32,fp16,q8] [--batches 1x16,1x128] [--seconds 1]
// [--report FILE] [--chromium FILE] [--software]`: what `npm run bench -- dawn` measures, in a whole Chromium with this machine's GPU, its
// page, its Worker and its process for the GPU. --report also writes the JSON of webert/measure with the first model. --chromium is
// another program than the one of the tests. --software takes Chromium's software adapter, to try this file.
import { existsSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { root } from "../scripts/lib/run.mjs";
import { serve } from "../scripts/serve.mjs";
import { ensureBrowser } from "../scripts/setup.mjs";
import { OPTIONS, timingOf } from "./lib/time-encoders.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...OPTIONS,
    report: { type: "string" },
    chromium: { type: "string" },
    software: { type: "boolean", default: false },
  },
});
if (!positionals[0]) throw new Error("usage: npm run bench -- browser FOLDER [--peer DIR]");
const folder = relative(root, resolve(positionals[0]));
const ONNXRUNTIME = "node_modules/onnxruntime-web/dist";

const args = ["--no-sandbox", "--no-first-run", "--enable-unsafe-webgpu", "--enable-features=Vulkan"];
if (values.software) args.push("--use-webgpu-adapter=swiftshader");
else args.push("--use-angle=vulkan", "--disable-vulkan-surface", "--ignore-gpu-blocklist");

const server = await serve({
  more: {
    "/benches/": "benches",
    "/tests/": "tests",
    "/encoders/": folder,
    ...(values.peer && { "/onnxruntime/": join(relative(root, resolve(values.peer)), ONNXRUNTIME) }),
  },
  // The models share the tokenizer of the package.
  instead: (file) => (/tokenizer\w*\.json$/.test(file) ? `models/minilm-mlm/${file.split("/").at(-1)}` : undefined),
});
const browser = await chromium.launch({
  executablePath: values.chromium ?? ensureBrowser("chromium"),
  args: ["--headless=new", ...args],
  ignoreDefaultArgs: ["--headless"],
});
console.log(`Chromium ${browser.version()}`);

/** A page of its own for each measurement: none finds another's device or buffers. */
async function inPage(body, argument) {
  const page = await browser.newPage();
  page.setDefaultTimeout(600_000);
  page.on("pageerror", (error) => console.error(String(error)));
  try {
    await page.exposeFunction("log", (line) => console.log(line));
    await page.goto(`${server.url}tests/pages/blank.html`);
    return await page.evaluate(body, argument);
  } finally {
    await page.close();
  }
}

try {
  const adapter = await inPage(async () => {
    const found = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
    const { vendor, architecture, device, description } = found?.info ?? {};
    return found && [vendor, architecture, device, description].join(" ");
  });
  if (!adapter) throw new Error("Chromium finds no adapter");
  console.log(adapter);
  const how = timingOf(values);
  for (const model of values.models.split(",")) {
    for (const dtype of values.dtype.split(",")) {
      await inPage(
        async (given) => {
          const { timeWebert } = await import("/benches/lib/time-encoders.mjs");
          const models = new URL("/encoders/", location.href).href;
          await timeWebert({ entry: "/dist/index.js", models, log: globalThis.log, ...given });
        },
        { model, dtype, ...how },
      );
    }
    if (!values.peer || !existsSync(join(root, folder, model, "onnx/model.onnx"))) continue;
    await inPage(
      async (given) => {
        const { timeOnnxruntime } = await import("/benches/lib/time-encoders.mjs");
        const entry = new URL("/onnxruntime/ort.webgpu.bundle.min.mjs", location.href).href;
        const response = await fetch(`/encoders/${given.model}/onnx/model.onnx`);
        const graph = new Uint8Array(await response.arrayBuffer());
        await timeOnnxruntime({ entry, graph, log: globalThis.log, ...given });
      },
      { model, ...how },
    );
  }
  if (values.report) {
    const report = await inPage(async (model) => {
      const { pipeline } = await import("/dist/index.js");
      const { measure } = await import("/dist/measure.js");
      return measure({ pipeline, model: new URL(`/encoders/${model}/`, location.href).href });
    }, values.models.split(",")[0]);
    writeFileSync(values.report, `${JSON.stringify(report, null, 1)}\n`);
  }
} finally {
  await browser.close();
  await server.close();
}
