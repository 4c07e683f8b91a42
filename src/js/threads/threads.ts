import type { WasmBuild } from "../api/env.js";
import { bestBuild } from "../engine/artefacts.js";
import type { Choice } from "../engine/device.js";
import type { LoadSpec } from "../engine/engine.js";
import type { Machine } from "../engine/loading.js";
import { instantiate, type Wasm } from "../engine/wasm.js";
import { WebertError } from "../errors.js";
import type { Start } from "./work.js";

/** A thread as the one that started it sees it. */
export interface Helper {
  /** Rejects where it could not be started. */
  ready: Promise<void>;
  /** Waits until it has gone. */
  gone(): Promise<void>;
  /** Ends it at once. */
  terminate(): void;
}

/** The threads of a machine. */
export interface Threads {
  /** How many there can be at a time. */
  cores: number;
  start(start: Start): Helper;
}

/** The threads of a model. */
export interface Crew {
  /** How many, the one that calls the model included. Where the number was left open, a trial finds it, which wants the machine to be idle. */
  threads(int8: boolean): Promise<number>;
  leave(): void;
}

/** The threads of one more model: `asked` for, or at most `most`. */
export type Join = (asked: number, most: number, threads: Threads) => Promise<Crew>;

/** A binary, and the threads that will compute in it. */
export interface Computer {
  build: WasmBuild;
  wasm: Wasm;
  crew: Promise<Crew>;
}

const ALONE: Crew = { threads: async () => 1, leave() {} };
/** The most threads there are places for; kernels/src/threads/mod.rs says the same. */
const MOST = 32;
/** The most that are taken without being asked for: a text is too short for more to gain much. */
const MOST_BY_ITSELF = 8;

/** The binary for a device: on the CPU the one that runs best with the threads asked for, and its threads on their way. */
export async function openComputer(
  device: Choice["device"],
  { threads: asked, wasmPaths }: LoadSpec,
  machine: Machine,
): Promise<Computer> {
  if (!Number.isInteger(asked) || asked < 0 || asked > MOST) {
    throw new WebertError(
      "bad_input",
      `threads is ${asked}, expected a whole number from 0 (as many as useful) to ${MOST}`,
    );
  }
  const build = device === "webgpu" ? device : bestBuild();
  const alone = async () => ({
    build,
    wasm: await instantiate(build, wasmPaths, machine.readWasm),
    crew: Promise.resolve(ALONE),
  });
  if (build === "webgpu") return alone();
  const most = threadsToTry(asked, machine.threads.cores);
  if (most === 1) return alone();
  const threaded = `${build}_threads` as const;
  try {
    const wasm = await instantiate(threaded, wasmPaths, machine.readWasm);
    return { build: threaded, wasm, crew: wasm.join!(asked, most, machine.threads) };
  } catch (error) {
    if (asked > 0) throw error;
    return alone(); // the files may be missing, or the address space too small
  }
}

/** How many threads to try for where `asked` were asked for. */
function threadsToTry(asked: number, cores: number): number {
  const isolated = globalThis.crossOriginIsolated ?? true; // Node has no such flag: it always shares
  const shares = isolated && typeof SharedArrayBuffer !== "undefined";
  if (asked > 1 && !shares) {
    const needs = isolated
      ? "shared memory, and there is no SharedArrayBuffer here: take another browser"
      : "a cross-origin isolated page: serve it with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp";
    throw new WebertError("unsupported", `threads: ${asked} needs ${needs}, or leave the number open with threads: 0`);
  }
  if (asked > 0 || !shares) return asked || 1;
  return Math.min(cores, MOST_BY_ITSELF);
}
