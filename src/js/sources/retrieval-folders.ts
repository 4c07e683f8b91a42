// Files of sparse encoders (SPLADE) and of late interaction (ColBERT). Imported for folders that have them.
import { WebertError } from "../errors.js";
import { readAll, type WeightFile, type Weights } from "./files.js";
import {
  type Header,
  type HeaderEntry,
  headerBytes,
  headerLength,
  LENGTH_BYTES,
  parseHeader,
} from "./safetensors-header.js";
import { ENCODER_CONFIG, isStanford, moduleEntries, PROJECTION, ROUTER } from "./sentence-folder.js";
import type { Control, Files, Folder } from "./types.js";

export const ARTIFACT = "artifact.metadata";
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** A module of a route: the folder of its files, with a slash at the end, and its class. */
export interface RouteModule {
  path: string;
  kind: string;
}

/** The modules for each task of a Router, and the task of a text without one. */
export interface Routes {
  routes: Record<string, RouteModule[]>;
  defaultRoute: string | undefined;
}

/** Reads router_config.json. */
export function routesOf(bytes: Uint8Array): Routes {
  const bad = (what: string, cause?: unknown) => new WebertError("bad_config", `${ROUTER}: ${what}`, { cause });
  let config: { types?: Record<string, string>; structure?: Record<string, string[]>; parameters?: object } | null;
  try {
    config = JSON.parse(text(bytes)) as typeof config;
  } catch (cause) {
    throw bad("expected JSON", cause);
  }
  const { types = {}, structure = {}, parameters } = config ?? {};
  const routes = Object.entries(structure).map(([task, folders]) => [
    task,
    folders.map((folder) => {
      if (!/^[\w-][\w.-]*$/.test(folder) || !types[folder]) throw bad(`structure: there is no module "${folder}"`);
      return { path: `${folder}/`, kind: types[folder].replace(/^.*\./, "") };
    }),
  ]);
  const { default_route } = (parameters ?? {}) as { default_route?: string };
  return { routes: Object.fromEntries(routes) as Routes["routes"], defaultRoute: default_route ?? undefined };
}

/** Returns the folder of the encoder that a Router's documents pass through; empty if there is no Router. */
export async function routedEncoder(folder: Folder, files: Files, control: Control): Promise<string> {
  if (moduleEntries(files)?.[0]?.kind !== "Router") return "";
  const bytes = (await readAll(folder, [ROUTER], control))[ROUTER];
  if (!bytes) return "";
  const { routes, defaultRoute } = routesOf(bytes);
  const all = [routes.document, routes[defaultRoute ?? ""], ...Object.values(routes)];
  return all.flatMap((route) => route ?? []).find(({ kind }) => /Transformer$/.test(kind))?.path ?? "";
}

/** Files of each kind of module in a route. */
const ROUTE_FILES: Record<string, string[]> = {
  SpladePooling: ["config.json"],
  SparseStaticEmbedding: ["config.json", "model.safetensors"],
  MLMTransformer: [ENCODER_CONFIG],
};

/** Reads the files of a Router's modules, and the settings of an HF_ColBERT checkpoint. */
export async function readRetrieval(folder: Folder, files: Files, control: Control): Promise<Files> {
  if (isStanford(files)) return readAll(folder, [ARTIFACT], control);
  if (moduleEntries(files)?.[0]?.kind !== "Router") return {};
  const router = await readAll(folder, [ROUTER], control);
  if (!router[ROUTER]) return {};
  const modules = Object.values(routesOf(router[ROUTER]).routes).flat();
  const names = modules.flatMap(({ path, kind }) => (ROUTE_FILES[kind] ?? []).map((name) => path + name));
  return { ...router, ...(await readAll(folder, [...new Set(names)], control)) };
}

/** Returns the files with an HF_ColBERT checkpoint described as the encoder that it is, without a head. */
export function asEncoder(files: Files): Files {
  const config = JSON.parse(text(files["config.json"])) as { architectures?: string[] };
  const architectures = ["BertModel"];
  return { ...files, "config.json": new TextEncoder().encode(JSON.stringify({ ...config, architectures })) };
}

/** Weights whose projection is kept while they pass. `found` has it after they were read. */
export interface SplitWeights {
  files: Weights["files"];
  found: Files;
}

/**
 * Returns the weights of an HF_ColBERT checkpoint. Their tensor `linear.weight` is kept as a safetensors file of its
 * own.
 */
export function keepProjection(files: Weights["files"]): SplitWeights {
  const found: Files = {};
  return {
    found,
    async *files(wants) {
      for await (const file of files(wants)) {
        if (!file.name.endsWith(".safetensors"))
          throw new WebertError(
            "unsupported",
            `${file.name}: expected model.safetensors for an HF_ColBERT checkpoint. Save the model again in Python with save_pretrained().`,
          );
        // Every byte must pass, so no part of the file is requested separately.
        yield { ...file, bytes: kept(file, found), bytesFrom: () => undefined };
      }
    },
  };
}

async function* kept(file: WeightFile, found: Files): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array();
  /** Place of the tensor in the file. */
  let place: { from: number; to: number } | undefined;
  let position = 0;
  for await (const chunk of file.bytes) {
    if (!place && head) {
      head = grown(head, chunk);
      place = placeOf(head, found);
      if (place) copy(head, 0, place, found);
    } else if (place) copy(chunk, position, place, found);
    position += chunk.length;
    yield chunk;
  }
}

const grown = (head: Uint8Array, chunk: Uint8Array) => {
  const both = new Uint8Array(head.length + chunk.length);
  both.set(head);
  both.set(chunk, head.length);
  return both;
};

/** Returns the place of the projection once the file's header is complete, and makes its file. */
function placeOf(head: Uint8Array, found: Files): { from: number; to: number } | undefined {
  if (head.length < LENGTH_BYTES) return undefined;
  const none = { from: Infinity, to: Infinity };
  const length = headerLength(head);
  if (length === undefined) return none; // the loader reports the fault, also below
  const start = LENGTH_BYTES + length;
  if (head.length < start) return undefined;
  let header: Header;
  try {
    header = parseHeader(head.subarray(LENGTH_BYTES, start), (what) => new Error(what));
  } catch {
    return none;
  }
  const entry = header[PROJECTION] as HeaderEntry | undefined;
  if (!entry?.data_offsets) return none;
  const [from, to] = entry.data_offsets;
  const own = headerBytes({ [PROJECTION]: { ...entry, data_offsets: [0, to - from] } });
  const bytes = new Uint8Array(own.length + (to - from));
  bytes.set(own);
  found[PROJECTION] = bytes;
  return { from: start + from, to: start + to };
}

/** Copies the part of a chunk that belongs to the projection. `position` is the chunk's place in the file. */
function copy(chunk: Uint8Array, position: number, { from, to }: { from: number; to: number }, found: Files): void {
  const first = Math.max(from, position);
  const last = Math.min(to, position + chunk.length);
  const bytes = found[PROJECTION];
  if (bytes && first < last)
    bytes.set(chunk.subarray(first - position, last - position), bytes.length - (to - from) + (first - from));
}
