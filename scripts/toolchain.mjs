// The Rust toolchains: one for this machine, one that can compile for wasm32. They are found or installed.
//
// The first choice is rustup's with the wasm32 target. If that target is not available, Debian's packages provide the library's sources, and
// cargo builds the library itself.

import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { aptInstall, canApt } from "./apt.mjs";
import { capture, Failure, root } from "./lib/run.mjs";

const wasmTarget = "wasm32-unknown-unknown";
const packages = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "rust-web-clippy", "rustfmt-web"];
const minimum = /^rust-version = "(.+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];

// The toolchain for wasm32 if both would work: "rustup" or "debian".
const forced = process.env.WEBERT_TOOLCHAIN;

const versionOf = (rustc) => /^rustc (\S+)/.exec(capture(rustc, ["-V"]) ?? "")?.[1];

function isRecent(rustc) {
  const version = versionOf(rustc);
  return version !== undefined && version.localeCompare(minimum, "en", { numeric: true }) >= 0;
}

/** The folder of the first usable Rust on this machine, "" for the PATH; undefined if none is found. */
function nativeBin() {
  return ["", join(homedir(), ".cargo/bin/"), "/usr/bin/"].find(
    (bin) => isRecent(`${bin}rustc`) && capture(`${bin}cargo`, ["-V"]) !== null,
  );
}

const hasPart = (rustc, ...path) => {
  const sysroot = capture(rustc, ["--print", "sysroot"]);
  return sysroot !== null && existsSync(join(sysroot, "lib/rustlib", ...path));
};
const hasTarget = (rustc) => hasPart(rustc, wasmTarget, "lib");
const hasSources = (rustc) => hasPart(rustc, "src/rust/library/std");

const debianIsReady = () =>
  isRecent("/usr/bin/rustc") &&
  existsSync("/usr/lib/rustlib/src/rust/library/std") &&
  ["cargo", "rust-lld", "cargo-clippy"].every((name) => existsSync(`/usr/bin/${name}`));

function installDebian() {
  aptInstall(packages, "Rust for WebAssembly");
  // rust-lld is a link to the linker of one LLVM version, whose package has the same name.
  if (!existsSync("/usr/bin/rust-lld")) aptInstall([readlinkSync("/usr/bin/rust-lld")], "the linker for WebAssembly");
}

/** A toolchain in the folder `bin`. cargo's own variables point to it, so that PATH cannot mix two. */
function describe(bin, { env = {}, wasmArgs = [] } = {}) {
  return {
    cargo: `${bin}cargo`,
    clippy: bin === "" ? ["cargo", "clippy"] : [`${bin}cargo-clippy`, "clippy"],
    env: bin === "" ? env : { ...env, CARGO: `${bin}cargo`, RUSTC: `${bin}rustc`, RUSTDOC: `${bin}rustdoc` },
    wasmArgs,
    version: capture(`${bin}rustc`, ["-V"]),
  };
}

/** A toolchain that builds the library itself. */
const withLibrary = (bin) =>
  describe(bin, {
    // Building the library is not stable yet, and this is a stable compiler.
    env: { RUSTC_BOOTSTRAP: "1" },
    // Tests must abort as well; otherwise the library would be built twice, and the two would collide.
    wasmArgs: ["-Zbuild-std=std,panic_abort", "-Zpanic-abort-tests"],
  });
const debianForWasm = () => withLibrary("/usr/bin/");

/** The toolchain for shared memory; Rust's prebuilt library is not compiled for it. Null without the library's sources. */
function forThreads(bin) {
  if (forced !== "debian" && hasTarget(`${bin}rustc`)) {
    if (hasSources(`${bin}rustc`) || capture(`${bin}rustup`, ["component", "add", "rust-src"]) !== null)
      return withLibrary(bin);
  }
  return forced !== "rustup" && debianIsReady() ? debianForWasm() : null;
}

/**
 * `{ native, wasm, threads }`, each `{ cargo, clippy, env, wasmArgs, version }`: the program, its environment, and the arguments that a wasm32
 * build adds. `threads` may be null.
 */
export function toolchain() {
  const { bin, ...found } = nativeAndWasm();
  return { ...found, threads: forThreads(bin) };
}

function nativeAndWasm() {
  let bin = nativeBin();
  if (bin === undefined && canApt()) {
    installDebian();
    bin = nativeBin();
  }
  if (bin === undefined) {
    throw new Failure(
      `Rust ${minimum} or newer is needed and not here. Install it from https://rustup.rs,\n` +
        `or on Debian as root: apt-get install ${packages.join(" ")}`,
    );
  }
  const native = describe(bin);

  if (forced !== "debian" && hasTarget(`${bin}rustc`)) return { bin, native, wasm: { ...native, wasmArgs: [] } };
  if (forced !== "rustup" && debianIsReady()) return { bin, native, wasm: debianForWasm() };
  if (
    forced !== "debian" &&
    capture(`${bin}rustup`, ["target", "add", wasmTarget]) !== null &&
    hasTarget(`${bin}rustc`)
  ) {
    return { bin, native, wasm: native };
  }
  if (forced !== "rustup" && canApt()) {
    installDebian();
    if (debianIsReady()) return { bin, native, wasm: debianForWasm() };
  }
  throw new Failure(
    `This Rust (${native.version}) cannot compile for ${wasmTarget}. Run\n` +
      `  rustup target add ${wasmTarget}\n` +
      `or on Debian as root: apt-get install ${packages.join(" ")} and the package that /usr/bin/rust-lld links to`,
  );
}
