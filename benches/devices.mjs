// `npm run bench -- devices FOLDER [FILE]`: writes docs/devices.md, or FILE, from the reports of webert/measure in FOLDER. A file that is no
// report is named with what is wrong, and nothing is written.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { checkReport } from "../dist/measure.js";

/** Returns the text of a table's cell. */
const cell = (text) => String(text).replace(/\s+/g, " ").replaceAll("|", "\\|").trim() || "–";
const row = (cells) => `| ${cells.map(cell).join(" | ")} |`;
const table = (head, rows) => [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
const figure = (value) => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** Returns the reports of a folder by their files' names, and the problems of all other JSON files. */
export function readReports(folder) {
  const reports = [];
  const problems = [];
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith(".json")) continue;
    try {
      const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
      const found = checkReport(report);
      problems.push(...found.map((problem) => `${name}: ${problem}`));
      if (found.length === 0) reports.push({ name, report });
    } catch (error) {
      problems.push(`${name}: expected JSON, got ${error.message}`);
    }
  }
  return { reports, problems };
}

/** Returns the name of a device. Browsers often tell the vendor only: then the file's name says which device it is. */
function nameOf({ name, report: { adapter } }) {
  if (!adapter) return "no WebGPU";
  const names = [adapter.vendor, adapter.architecture, adapter.device, adapter.description].filter(Boolean);
  const isVague = !adapter.device && !adapter.description;
  const notes = [adapter.software && "software", isVague && basename(name, ".json")].filter(Boolean);
  return `${names.join(" ") || "unnamed GPU"}${notes.length ? ` (${notes.join(", ")})` : ""}`;
}

/** Returns the browser and its version, or the start of its user agent. */
function browserOf({ browser: { user_agent, platform } }) {
  const [found] =
    /(Edg|OPR|Firefox|Chrome|HeadlessChrome)\/\d+|Version\/\d+(?=.*Safari)|Node\.js\/\d+/.exec(user_agent) ?? [];
  return `${found?.replace("Version", "Safari") ?? (user_agent.slice(0, 30) || "unknown")}, ${platform || "unknown"}`;
}

/** Returns the kernels that are wrong, in words. */
function wrongOf({ gpu }) {
  if (!gpu) return "–";
  const isWrong = ({ difference, tolerance }) => difference === null || difference > tolerance;
  const names = [...gpu.kernels, ...gpu.training].filter(isWrong).map(({ kernel }) => kernel);
  return names.length ? [...new Set(names)].join(", ") : "none";
}

/** Returns the best speed of a kernel with weights of a precision. */
function bestOf({ gpu }, kernel, precision) {
  const speeds = (gpu?.kernels ?? [])
    .filter((each) => each.kernel === kernel && (precision === null || each.precision === precision) && each.gflops)
    .map(({ gflops }) => gflops);
  return speeds.length ? figure(Math.max(...speeds)) : "–";
}

function overview(reports) {
  const head = [
    "device",
    "browser",
    "cores",
    "webert",
    "date",
    "request, ms",
    "dispatch, µs",
    "wrong kernels",
    "new device, ms",
  ];
  return table(
    head,
    reports.map(({ name, report }) => [
      nameOf({ name, report }),
      browserOf(report),
      report.cores,
      report.webert,
      report.date.slice(0, 10),
      report.gpu ? figure(report.gpu.request_ms) : "–",
      report.gpu ? figure(report.gpu.dispatch_us) : "–",
      wrongOf(report),
      report.gpu?.loss.recovered_ms == null ? "–" : figure(report.gpu.loss.recovered_ms),
    ]),
  );
}

function speeds(reports) {
  const columns = [
    ["linear", "fp32"],
    ["linear", "fp16"],
    ["linear", "bf16"],
    ["linear", "q8"],
    ["attention", null],
  ];
  return table(
    ["device", ...columns.map(([kernel, precision]) => [kernel, precision].filter(Boolean).join(" "))],
    reports
      .filter(({ report }) => report.gpu)
      .map(({ name, report }) => [
        nameOf({ name, report }),
        ...columns.map(([kernel, precision]) => bestOf(report, kernel, precision)),
      ]),
  );
}

function encoders(reports) {
  const batchOf = ({ sequences, tokens }) => `${sequences} × ${tokens}`;
  const batches = [...new Set(reports.flatMap(({ report }) => report.encode.map(batchOf)))];
  const rows = reports.flatMap(({ name, report }) => {
    const keyOf = ({ library, version, device, dtype }) => `${library} ${version}, ${device}, ${dtype}`;
    return [...new Set(report.encode.map(keyOf))].map((key) => {
      const times = batches.map((batch) =>
        report.encode.find((each) => keyOf(each) === key && batchOf(each) === batch),
      );
      return [nameOf({ name, report }), key, ...times.map((each) => (each ? figure(each.ms) : "–"))];
    });
  });
  return table(["device", "encoder", ...batches], rows);
}

/** Returns the document for some reports. */
export function devicesDocument(reports) {
  return `# Devices

Measurements of ${reports.length === 1 ? "one report" : `${reports.length} reports`} by [webert/measure](measure.md), made by \`npm run bench -- devices FOLDER\`. Do not edit.

## Correctness and costs

${overview(reports)}

## Kernels

The best of all sizes and variants, in GFLOP/s.

${speeds(reports)}

## Encoders

Median time of a batch in milliseconds: sequences × tokens.

${encoders(reports)}
`;
}

function main([folder, out = join(import.meta.dirname, "../docs/devices.md")]) {
  if (!folder) {
    console.error("usage: npm run bench -- devices FOLDER [FILE]");
    return 2;
  }
  const { reports, problems } = readReports(folder);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  if (reports.length === 0) {
    console.error(`${folder}: expected reports of webert/measure (*.json), got none`);
    return 1;
  }
  writeFileSync(out, devicesDocument(reports));
  console.log(`${out}: ${reports.length === 1 ? "one report" : `${reports.length} reports`}`);
  return 0;
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));
