// What engines of Node compute with: files on disk and worker_threads.
import type { Machine } from "../../engine/engine.js";
import { diskFolder, diskStore, readWasm } from "./disk.js";
import { threads } from "./threads.js";

export const machine: Machine = { store: diskStore, disk: diskFolder, readWasm, threads };
