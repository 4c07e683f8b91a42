// From the crate to WebAssembly with its JavaScript glue: cargo, bindgen, wasm-opt.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, run, runQuietly } from "./lib/run.mjs";
import { step } from "./lib/step.mjs";

// What every browser with SIMD also has. A module cannot branch on a feature, hence two of them.
const baseline = "+simd128,+bulk-memory,+mutable-globals,+sign-ext,+nontrapping-fptoint";
const baselineOpt = ["--enable-simd", "--enable-bulk-memory", "--enable-bulk-memory-opt", "--enable-mutable-globals",
  "--enable-sign-ext", "--enable-nontrapping-float-to-int", "--enable-reference-types", "--enable-multivalue"];

/** The binaries of the package; JavaScript picks one by feature test. */
export const variants = [
  { name: "simd128", features: baseline, optFlags: baselineOpt },
  { name: "relaxed", features: `${baseline},+relaxed-simd`, optFlags: [...baselineOpt, "--enable-relaxed-simd"] },
];

/** What the crate's binaries are made from. */
export const crateSources = ["Cargo.toml", "Cargo.lock", "src", "kernels", "shaders", "scripts/bindgen", "scripts/wasm.mjs"];

/** The features of the package: without the GPU, which is a sixth of a first load, until that is made smaller. */
const features = ["--no-default-features"];

/** Arguments and environment with which cargo compiles `variant`; its folder is its own, as flags rebuild all. */
export function cargoFor(wasm, variant) {
  return {
    args: ["--target", "wasm32-unknown-unknown", "--target-dir", `target/wasm/${variant.name}`, ...features, ...wasm.wasmArgs],
    env: { ...wasm.env, RUSTFLAGS: `-Ctarget-feature=${variant.features}` },
  };
}

/** Builds scripts/bindgen; gives the program's path. */
export function buildBindgen(native) {
  runQuietly(native.cargo, ["build", "--locked", "-p", "bindgen", "--profile", "tool"], { env: native.env });
  return join(root, "target/tool/bindgen");
}

/** Makes dist/webert_NAME.wasm, and its glue in target/wasm/NAME/glue. Gives whether anything was to do. */
export function buildVariant(variant, { native, wasm }) {
  const folder = `target/wasm/${variant.name}`;
  const output = `dist/webert_${variant.name}.wasm`;
  const inputs = [...crateSources, "node_modules/binaryen/package.json"];
  const facts = [variant, wasm.version, native.version];

  return step(`wasm ${variant.name}`, { inputs, outputs: [output, `${folder}/glue`], facts }, () => {
    const { args, env } = cargoFor(wasm, variant);
    run(wasm.cargo, ["build", "--locked", "--release", "--lib", ...args], { env });
    const bindgen = buildBindgen(native);
    mkdirSync(join(root, "dist"), { recursive: true });
    run(bindgen, ["web", `${folder}/wasm32-unknown-unknown/release/webert.wasm`, `${folder}/glue`, "webert"]);
    run(process.execPath, ["node_modules/binaryen/bin/wasm-opt", "-O3", ...variant.optFlags,
      "--strip-debug", "--strip-producers", "--strip-target-features",
      `${folder}/glue/webert_bg.wasm`, "-o", output]);
  });
}
