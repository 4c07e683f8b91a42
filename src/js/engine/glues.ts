// A script with the glues of all binaries with all features; an engine's Worker imports it by URL. It stores them in
// a global property, because bundlers that treat it as a script drop the exports of a module.
import * as cpu_full from "#glue/cpu_full";
import * as gpu_full from "#glue/gpu_full";
import * as threads_full from "#glue/threads_full";

Object.assign(globalThis, { webertGlues: { cpu_full, gpu_full, threads_full } });
