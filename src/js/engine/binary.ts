// Chooses the binary for a device, starts an instance of it and its threads.
import type { Build, WasmBuild } from "../env.js";
import { WebertError } from "../errors.js";
import { bestBuild } from "../threads/builds.js";
import type { ThreadLease } from "../threads/pool.js";
import type { Choice } from "./device.js";
import type { LoadSpec, Machine } from "./engine.js";
import { instantiate, type Wasm } from "./wasm.js";

/** An instance of a binary, and a promise of its threads. */
export interface Binary {
  build: WasmBuild;
  wasm: Wasm;
  threads: Promise<ThreadLease>;
}

const ONE_THREAD: ThreadLease = { count: async () => 1, release() {} };
/** Maximum number of threads. Must be equal to the number in kernels/src/threads/mod.rs. */
const MOST = 32;

/**
 * Returns the binary for a device, and starts its threads. On the CPU it is the fastest binary for the requested
 * threads. `full` requests a binary with all features.
 */
export async function openBinary(
  device: Choice["device"],
  { threads: asked, wasmPaths }: LoadSpec,
  machine: Machine,
  full: boolean,
): Promise<Binary> {
  if (!Number.isInteger(asked) || asked < 0 || asked > MOST) {
    throw new WebertError(
      "bad_input",
      `threads is ${asked}, expected a whole number from 0 (as many as useful) to ${MOST}`,
    );
  }
  const best = device === "webgpu" ? device : bestBuild();
  const named = (name: Build): WasmBuild => (full ? `${name}_full` : name);
  const build = named(best);
  const unthreaded = async () => ({
    build,
    wasm: await instantiate(build, wasmPaths, machine.readWasm),
    threads: Promise.resolve(ONE_THREAD),
  });
  if (best === "webgpu") return unthreaded();
  const most = threadsToTry(asked, machine.threads.cores);
  if (most === 1) return unthreaded();
  const threaded = named(`${best}_threads`);
  try {
    const wasm = await instantiate(threaded, wasmPaths, machine.readWasm);
    return { build: threaded, wasm, threads: wasm.leaseThreads!(asked, most, machine.threads) };
  } catch (error) {
    if (asked > 0) throw error;
    return unthreaded(); // the files may be missing, or the address space too small
  }
}

/** Returns whether threads can share memory here. */
function sharesMemory(): boolean {
  // Node does not have the flag and always shares.
  return (globalThis.crossOriginIsolated ?? true) && typeof SharedArrayBuffer !== "undefined";
}

/** Returns the number of threads that a model on the CPU could use. */
export function usableThreads({ threads }: LoadSpec, machine: Machine): number {
  return sharesMemory() ? threads || Math.min(machine.threads.cores, MOST) : 1;
}

/** Returns the number of threads to try if the caller requested `asked`. */
function threadsToTry(asked: number, cores: number): number {
  const isolated = globalThis.crossOriginIsolated ?? true;
  const shares = sharesMemory();
  if (asked > 1 && !shares) {
    const needs = isolated
      ? "shared memory, and there is no SharedArrayBuffer here: take another browser"
      : "a cross-origin isolated page: serve it with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp";
    throw new WebertError("unsupported", `threads: ${asked} needs ${needs}, or leave the number open with threads: 0`);
  }
  if (asked > 0 || !shares) return asked || 1;
  return Math.min(cores, MOST);
}
