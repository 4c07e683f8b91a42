// What training needs of a platform beside what models need. Each platform's is imported by those alone who train.
import { BUILDS, type Build, env, type WasmBuild } from "../api/env.js";
import type { Control } from "../checkpoint/folder.js";
import type { TrainerSpec, TrainingEngine } from "../engine/training/engine.js";
import type { VocabularySpec } from "../engine/training/vocabulary.js";
import type { Platform } from "./platform.js";

/** What trains on a platform. */
export interface Training {
  /** The URL of a wasm file with all features, unless `env.wasmPaths` says another. */
  wasmUrl(build: Build): string;
  load(spec: TrainerSpec, control: Control, inWorker: boolean): Promise<TrainingEngine>;
  vocabulary(spec: VocabularySpec, signal: AbortSignal | undefined, inWorker: boolean): Promise<Record<string, string>>;
}

/** The URLs of the wasm files with all features. */
export function fullWasmPaths(platform: Platform, { wasmUrl }: Training): Record<WasmBuild, string> {
  const paths = env.wasmPaths;
  const one = (build: Build): [WasmBuild, string] => {
    const name = `${build}_full` as const;
    const path = typeof paths === "string" ? `${paths.replace(/\/?$/, "/")}webert_${name}.wasm` : paths?.[name];
    return [name, path ? new URL(path, platform.base()).href : wasmUrl(build)];
  };
  return Object.fromEntries(BUILDS.map(one)) as Record<WasmBuild, string>;
}
