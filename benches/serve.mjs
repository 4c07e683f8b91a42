// `npm run bench -- serve [--seconds 10] [--clients 64] [--model FOLDER] [--ort FOLDER]`: `webert serve` under clients that each send one text
// after another. Prints lost requests, latencies, texts per second and memory. `--ort` is a folder in which onnxruntime-node is installed;
// FOLDER (--model) then has onnx/model_quantized.onnx of the same weights, and a server of one session.run per request is measured beside it.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    clients: { type: "string", default: "64" },
    model: { type: "string" },
    ort: { type: "string" },
    threads: { type: "string", default: "0" },
  },
});
const [seconds, clients] = [Number(values.seconds), Number(values.clients)];

/** Texts of 5 to 60 words, the same for every server. */
const words = readFileSync(join(root, "docs/architecture.md"), "utf8").match(/[a-z]{3,}/g);
const texts = Array.from({ length: 512 }, (_, n) => {
  const start = (n * 37) % (words.length - 60);
  return words.slice(start, start + 5 + ((n * 13) % 56)).join(" ");
});

/** Starts a server and resolves to its process and address. */
async function started(args, env = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      out += data;
      const found = /^http:.*$/m.exec(out)?.[0];
      if (found) resolve(found);
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, url };
}

/** Resident memory of a process in MiB. */
function memory({ pid }) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** Seconds of processor time that a process has used. Its clock has 100 ticks a second on Linux. */
function cpu({ pid }) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

/** Sends a text and resolves to the status and the number of values of its vector. */
function embed(url, agent, text) {
  const body = JSON.stringify({ inputs: text, truncate: true });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/embed`, { method: "POST", agent, headers }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Loads a server with clients for a time. */
async function load({ child, url }, duration) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times = [];
  const lost = new Map();
  const end = performance.now() + duration * 1000;
  let next = 0;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      const { status, text } = await embed(url, agent, texts[next++ % texts.length]).catch(({ code }) => ({
        status: code,
      }));
      const isFine = status === 200 && JSON.parse(text)[0].length > 0;
      if (isFine) times.push(performance.now() - start);
      else lost.set(status, (lost.get(status) ?? 0) + 1);
    }
  };
  const memories = [];
  const watch = setInterval(() => memories.push(memory(child)), Math.max(500, duration * 10));
  const begun = performance.now();
  const used = cpu(child);
  await Promise.all(Array.from({ length: clients }, client));
  const took = (performance.now() - begun) / 1000;
  clearInterval(watch);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  const work = ((cpu(child) - used) * 1000) / times.length;
  return {
    rate: times.length / took,
    work,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    lost,
    count: times.length,
    memories,
  };
}

async function measured(name, args, env) {
  const server = await started(args, env);
  await load(server, Math.min(3, seconds)); // the first calls compile
  const { rate, work, p50, p95, p99, lost, count, memories } = await load(server, seconds);
  const failures = [...lost].map(([status, times]) => `${times} × ${status}`).join(", ");
  if (!count) throw new Error(`${name}: no answer; lost: ${failures}`);
  const ms = (value) => `${value.toFixed(0)} ms`;
  const quarter = Math.ceil(memories.length / 4);
  const peaks = [0, 1, 2, 3].map((n) => Math.max(...memories.slice(n * quarter, (n + 1) * quarter)).toFixed(0));
  console.log(
    `${name}: ${clients} clients, ${seconds} s: ${count} answers, ${rate.toFixed(1)} texts/s, ${work.toFixed(1)} ms of processor time per text`,
  );
  console.log(`  p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`);
  console.log(`  memory: at most ${peaks.join(", ")} MiB in the quarters of the time`);
  console.log(`  lost: ${failures || "none"}`);
  server.child.kill("SIGTERM");
  await Promise.race([new Promise((resolve) => server.child.on("exit", resolve)), sleep(15_000)]);
  return rate;
}

const cli = [
  join(root, "dist/cli.js"),
  "serve",
  "--task",
  "feature-extraction",
  ...(values.model ? [values.model] : []),
];
const ours = await measured("webert serve", [...cli, "--port", "0", "--threads", values.threads]);
if (values.ort) {
  const env = { ORT: values.ort, MODEL: values.model };
  const theirs = await measured("onnxruntime-node", [join(import.meta.dirname, "serve/onnxruntime.mjs")], env);
  console.log(`webert / onnxruntime-node: ${(ours / theirs).toFixed(2)} in texts per second`);
}
