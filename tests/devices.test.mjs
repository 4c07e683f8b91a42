// `npm run bench -- devices`: a document of reports, and the names of files that are none.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { measure } from "../dist/measure.js";
import { pipeline } from "../dist/node.js";

const report = await measure({ pipeline, batches: [[1, 8]], budget: 1 });
const kernel = {
  kernel: "linear",
  precision: "fp32",
  variant: null,
  sequences: 1,
  length: 128,
  inputs: 768,
  outputs: 3072,
};
const figures = { difference: 1e-7, tolerance: 1e-3, ms: 0.05, gflops: 12080, gbps: 9 };
const gpu = {
  request_ms: 1.234,
  dispatch_us: 12,
  kernels: [
    { ...kernel, ...figures },
    { ...kernel, ...figures, variant: "64x64", gflops: 15000 },
    { ...kernel, ...figures, kernel: "attention", precision: null, difference: 0.5 },
  ],
  training: [],
  loss: { code: "device_lost", reported_ms: 2, recovered_ms: 40 },
  wasm_bytes: 1,
  seconds: 1,
};
const adapter = {
  vendor: "acme",
  architecture: "a|b",
  device: "",
  description: "",
  software: false,
  features: [],
  limits: {},
};

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));
/** Runs the program over a folder with these files. */
function run(files) {
  const folder = mkdtempSync(join(tmpdir(), "webert-devices-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const out = join(folder, "devices.md");
  const { status, stderr } = spawnSync(process.execPath, ["benches/devices.mjs", folder, out], {
    cwd: join(import.meta.dirname, ".."),
    encoding: "utf8",
  });
  return { status, stderr, text: () => readFileSync(out, "utf8") };
}

test("makes a document of reports: devices, wrong kernels, best speeds, encoders", () => {
  const files = {
    "a.json": JSON.stringify(report),
    "b.json": JSON.stringify({ ...report, adapter, gpu }),
    "c.txt": "",
  };
  const { status, stderr, text } = run(files);
  assert.equal(status, 0, stderr);
  const lines = text().split("\n");
  assert.ok(lines.some((line) => /^\| no WebGPU \|/.test(line)));
  const device = lines.find((line) => line.startsWith("| acme a\\|b (b) |"));
  assert.match(device, /\| 1\.23 \| 12 \| attention \| 40 \|$/);
  assert.ok(lines.includes("| acme a\\|b (b) | 15000 | – | – | – | 12080 |"));
  assert.ok(lines.some((line) => line.startsWith("| acme a\\|b (b) | webert ")));
  assert.ok(lines.includes("| device | encoder | 1 × 8 |"));
});

test("names a file that is no report with what is wrong, and writes nothing", () => {
  const files = {
    "good.json": JSON.stringify(report),
    "text.json": "no JSON",
    "other.json": "{}",
    "part.json": JSON.stringify({ ...report, cores: "four" }),
  };
  const { status, stderr, text } = run(files);
  assert.equal(status, 1);
  assert.match(stderr, /^other\.json: schema: expected "webert-measure", got nothing$/m);
  assert.match(stderr, /^part\.json: cores: expected a number, got string$/m);
  assert.match(stderr, /^text\.json: expected JSON, got /m);
  assert.doesNotMatch(stderr, /good\.json/);
  assert.throws(text, { code: "ENOENT" });
  assert.match(run({}).stderr, /expected reports of webert\/measure \(\*\.json\), got none/);
});

test("docs/devices.md is what the reports of docs/devices make", () => {
  const folder = join(import.meta.dirname, "../docs/devices");
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  const { status, stderr, text } = run(Object.fromEntries(files));
  assert.equal(status, 0, stderr);
  assert.equal(readFileSync(join(folder, "../devices.md"), "utf8"), text());
});
