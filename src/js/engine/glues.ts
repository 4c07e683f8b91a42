// Script with the glues of all binaries with all features, and code that few models need: see rare-code.ts. An engine's
// Worker imports it by its URL. The glues are stored in a property, because bundlers that treat the file as a script drop
// a module's exports. Scripts of other glues add to it.
import * as cpu_full from "#glue/cpu_full";
import * as gpu_full from "#glue/gpu_full";
import * as threads_full from "#glue/threads_full";
import * as adapters from "../sources/adapters.js";
import * as onnx from "../sources/onnx-files.js";
import * as origin from "../sources/origin.js";
import * as retrieval from "../sources/retrieval-folders.js";
import * as torch from "../sources/torch-files.js";

const place = globalThis as { webertGlues?: object };
place.webertGlues = Object.assign(place.webertGlues ?? {}, {
  cpu_full,
  gpu_full,
  threads_full,
  adapters,
  onnx,
  origin,
  retrieval,
  torch,
});
