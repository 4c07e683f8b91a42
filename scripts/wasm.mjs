// Builds WebAssembly with its JavaScript glue from the crate: cargo, bindgen, wasm-opt.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { Failure, root, runBeside, start } from "./lib/run.mjs";
import { isDone, step } from "./lib/step.mjs";

// Features of every browser with SIMD. A module cannot branch on a feature, so each set of features has a binary.
const baseline = "+simd128,+bulk-memory,+mutable-globals,+sign-ext,+nontrapping-fptoint";
const baselineOpt = [
  "--enable-simd",
  "--enable-bulk-memory",
  "--enable-bulk-memory-opt",
  "--enable-mutable-globals",
  "--enable-sign-ext",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-multivalue",
];

/**
 * The binaries of the package; JavaScript chooses one by feature tests. Binaries with the same `glue` must produce the same glue. `features`
 * are passed to every crate, `ownFeatures` to our crates alone: the others are then compiled once for several binaries.
 */
export const variants = [
  { name: "simd128", glue: "cpu", backend: "cpu", features: baseline, optFlags: baselineOpt, smallLibrary: true },
  {
    name: "relaxed",
    smallLibrary: true,
    glue: "cpu",
    backend: "cpu",
    features: baseline,
    ownFeatures: "+relaxed-simd",
    optFlags: [...baselineOpt, "--enable-relaxed-simd"],
  },
  {
    name: "webgpu",
    glue: "gpu",
    backend: "gpu",
    features: baseline,
    optFlags: baselineOpt,
    smallLibrary: true,
  },
];

/** The flags that threads add: memory that instances share, and the exports with which bindgen gives each instance its own stack. */
const threaded = (variant) => ({
  ...variant,
  name: `${variant.name}_threads`,
  glue: "threads",
  threads: true,
  features: `${variant.features},+atomics`,
  optFlags: [...variant.optFlags, "--enable-threads"],
  linkArgs: [
    "--shared-memory",
    "--import-memory",
    `--max-memory=${2 ** 32}`,
    ...["__wasm_init_tls", "__tls_size", "__tls_align", "__tls_base", "__heap_base"].map(
      (symbol) => `--export=${symbol}`,
    ),
  ],
});
variants.push(...variants.filter(({ backend }) => backend === "cpu").map(threaded));

/** The same with all features of the crate: training, and tokenizers other than BERT's. Fetched on demand, in addition to the others. */
const full = (variant) => ({
  ...variant,
  name: `${variant.name}_full`,
  glue: `${variant.glue}_full`,
  twin: variant.name,
});
export const fullVariants = variants.map(full);

/** The binary for search; it runs no model. */
export const searchVariant = {
  name: "search",
  glue: "search",
  backend: "search",
  features: baseline,
  optFlags: baselineOpt,
};

/** The sources of the crate's binaries. */
export const crateSources = [
  "Cargo.toml",
  "Cargo.lock",
  ...readdirSync(join(root, "src"))
    .filter((name) => name !== "js")
    .map((name) => `src/${name}`),
  "kernels",
  "shaders",
  "scripts/bindgen",
  "scripts/wasm.mjs",
];

/** The binaries of `among` that these toolchains can build. Without the library's sources, none with threads. */
export function buildable({ threads }, among = variants) {
  if (threads) return among;
  const lacking =
    "the standard library's sources, of which binaries with threads are made: rustup component add rust-src";
  if (process.env.CI) throw new Failure(`There are not ${lacking}`);
  console.log(`without threads, as there are not ${lacking}`);
  return among.filter((variant) => !variant.threads);
}

// Keeps instructions in the order of the source. LLVM's own order loads all values of an inner loop's iteration before it computes. They exceed
// the 16 vector registers, and the kernels' 6 × 8 tiles would take 1.5 times as long.
const inOrder = "-Cllvm-args=-pre-RA-sched=source";

/**
 * The folder in which cargo compiles a variant. Variants in the same folder share the compiled macros and build scripts, and with the same
 * flags also the standard library and the dependencies; but cargo locks a folder, so they are compiled one after another. Hence a
 * folder per core, up to one for each set of flags.
 */
function targetOf({ threads = false, twin, isTest }) {
  if (isTest) return "target/wasm/cargo-tests"; // of a profile of its own, which shares nothing
  const isFull = twin !== undefined;
  const folder = availableParallelism() < 4 ? Number(threads !== isFull) : 2 * Number(isFull) + Number(threads);
  return `target/wasm/cargo-${folder}`;
}

/** The first Rust in which panics without a message are a flag of the compiler; before, they were a feature of the standard library. */
const ABORT_FLAG = "1.92";

/** Returns whether `version`, as `rustc -V` prints it, is `first` or later. */
const isSince = (version, first) => version.split(" ")[1].localeCompare(first, "en", { numeric: true }) >= 0;

/** The arguments for our own crates, with `features`; they follow the arguments for all crates. */
const ownFlags = (features) =>
  ["webert", "webert-kernels"].flatMap((name) => [
    "--config",
    `profile.release.package.${name}.rustflags=["-Ctarget-feature=${features}"]`,
  ]);

/**
 * `RUSTC_BOOTSTRAP` permits flags that are not stable, such as those for single crates. With the other variable, cargo puts a hash of the
 * flags into the names of the crate's files, as for all other crates; otherwise variants in one folder would write the same files.
 */
const UNSTABLE = { RUSTC_BOOTSTRAP: "1", __CARGO_DEFAULT_LIB_METADATA: "webert" };

/**
 * The toolchain, arguments and environment with which cargo compiles `variant`.
 */
export function cargoFor(tools, variant) {
  // The standard library is compiled again for shared memory, or for size: kernels, which are compiled for speed, use little of it.
  const small = variant.smallLibrary && tools.threads;
  const wasm = variant.threads || small ? tools.threads : tools.wasm;
  // A panic is a bug and ends the instance. Complete binaries print its message. In the others it would have no location, and without messages
  // a first load is 5 kB smaller with brotli.
  const aborts = small && !variant.twin;
  const hasFlag = isSince(wasm.version, ABORT_FLAG);
  const flags = [
    `-Ctarget-feature=${variant.features}`,
    inOrder,
    ...(aborts ? ["-Zlocation-detail=none"] : []),
    ...(aborts && hasFlag ? ["-Zunstable-options", "-Cpanic=immediate-abort"] : []),
    ...(variant.linkArgs ?? []).map((arg) => `-Clink-arg=${arg}`),
    ...(variant.moreFlags ?? []),
  ];
  return {
    wasm,
    args: [
      "--target",
      "wasm32-unknown-unknown",
      "--target-dir",
      targetOf(variant),
      "--no-default-features",
      "--features",
      variant.twin ? `${variant.backend},tokenizers,families,train` : variant.backend,
      ...wasm.wasmArgs,
      ...(variant.ownFeatures ? ["-Zprofile-rustflags", ...ownFlags(variant.ownFeatures)] : []),
      ...(small ? [`-Zbuild-std-features=optimize_for_size${aborts && !hasFlag ? ",panic_immediate_abort" : ""}`] : []),
      ...(variant.backend === "gpu" ? ["--config", 'profile.release.package.webert-kernels.opt-level="z"'] : []),
      // Without inlining, tokenizers other than WordPiece take up to twice the time, for a tenth fewer bytes.
      ...(variant.twin ? ["--config", 'profile.release.package.webert.opt-level="s"'] : []),
      // The binary for search is small; optimise it for speed.
      ...(variant === searchVariant ? ["--config", "profile.release.package.webert.opt-level=3"] : []),
    ],
    // The same for all variants: a change would compile the macros again.
    env: { ...wasm.env, ...UNSTABLE, RUSTFLAGS: flags.join(" ") },
  };
}

/** Compiles targets of the crate for `variant` by a command of cargo. Returns a promise of `{ name, file }` of each executable binary. */
export async function compile(tools, variant, command) {
  const { wasm, args, env } = cargoFor(tools, variant);
  const child = spawn(wasm.cargo, [...command, "--locked", "--message-format=json-render-diagnostics", ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => (stdout += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Failure(`cargo ${command[0]} fails for wasm32 (${variant.name})`);
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.executable?.endsWith(".wasm"))
    .map((message) => ({ name: message.target.name, file: message.executable }));
}

/** Starts to build scripts/bindgen. Returns the result of `start` and the program's path. */
export function buildBindgen(native) {
  const building = start(native.cargo, ["build", "--quiet", "--locked", "-p", "bindgen", "--profile", "tool"], {
    env: native.env,
  });
  return { ...building, program: join(root, "target/tool/bindgen") };
}

/** The path of the binary of `variant`. */
export const binaryOf = ({ name }) => `dist/webert_${name}.wasm`;

const folderOf = ({ name }) => `target/wasm/${name}`;

/** The step that makes a variant: its name, inputs, outputs, and other dependencies. */
function stepOf(variant, tools) {
  return [
    `wasm ${variant.name}`,
    {
      inputs: [...crateSources, "node_modules/binaryen/package.json"],
      outputs: [binaryOf(variant), `${folderOf(variant)}/glue`],
      facts: [variant, cargoFor(tools, variant).wasm.version, tools.native.version],
    },
  ];
}

/** Returns whether `variant` is up to date. */
export const isBuilt = (variant, tools) => isDone(...stepOf(variant, tools));

/** Makes the binary of `variant`, and its glue in target/wasm/NAME/glue. Returns whether anything had changed. */
export function buildVariant(variant, tools) {
  const folder = folderOf(variant);
  const { native } = tools;
  const { wasm, args, env } = cargoFor(tools, variant);

  return step(...stepOf(variant, tools), async () => {
    const { program: bindgen, done, stop } = buildBindgen(native); // in parallel with the crate, whose last minute uses one core
    try {
      // As a cdylib alone: cargo ignores `lto` for a crate that is also built as an rlib. With it, binaries of a first load are 7 % smaller (brotli).
      await runBeside(wasm.cargo, ["rustc", "--locked", "--release", "--lib", "--crate-type", "cdylib", ...args], {
        env,
      });
    } catch (error) {
      stop();
      throw error;
    }
    await done;
    mkdirSync(join(root, "dist"), { recursive: true });
    const compiled = `${targetOf(variant)}/wasm32-unknown-unknown/release/webert.wasm`;
    await runBeside(bindgen, ["web", compiled, `${folder}/glue`, "webert"]);
    await optimize(variant, `${folder}/glue/webert_bg.wasm`, binaryOf(variant));
  });
}

/** Memory in bytes for each binary that is made at the same time; linking a complete one took 0.77e9. */
const LINK_MEMORY = 2 * 2 ** 30;

/**
 * Makes the binaries of `chosen`, as many at once as cores and memory allow, because linking takes most of the time and one core each.
 * Binaries that cargo compiles in the same folder are made one after another.
 */
export async function buildVariants(chosen, tools) {
  const folders = [...new Set(chosen.map(targetOf))].map((folder) =>
    chosen.filter((variant) => targetOf(variant) === folder),
  );
  const atOnce = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / LINK_MEMORY)));
  let failed = false;
  const worker = async () => {
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      for (const variant of folder) {
        if (failed) return;
        try {
          await buildVariant(variant, tools);
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const failure = outcomes.find(({ status }) => status === "rejected");
  if (failure) throw failure.reason;
}

/** Optimises the binary `input`; `output` is there once it is whole, as it may be served meanwhile. Constants that are added to addresses become part of the load, which V8 then does in one
    instruction: a pointer into the first KiB, where that would not be the same, is none, as the stack ends there. */
export async function optimize(variant, input, output) {
  await runBeside(process.execPath, [
    "node_modules/binaryen/bin/wasm-opt",
    // Code for the GPU is optimised for size. Inlining functions with a single caller would add 5 % with brotli and gain no speed on the CPU,
    // because the compiler has already inlined what the kernels need.
    // Rounds until nothing changes are for first loads: in the complete binary they take half a minute for 81 bytes of 2.3 MB.
    ...(variant.backend === "gpu" ? ["-Os", "--gufa", "-Os", ...(variant.twin ? [] : ["--converge"])] : ["-O3"]),
    "--one-caller-inline-max-function-size=0",
    // Puts instances of one generic function next to each other: 0.5 % smaller with brotli.
    "--reorder-functions-by-name",
    "--low-memory-unused",
    ...variant.optFlags,
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
    input,
    "-o",
    `${output}.part`,
  ]);
  renameSync(join(root, `${output}.part`), join(root, output));
}
