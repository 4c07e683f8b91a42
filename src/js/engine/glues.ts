// The script of the glues of all binaries with all features, which an engine's Worker imports by its URL. They are left in a
// property, as bundlers that take it for a script let go of what a module exports. Scripts of other glues add to it.
import * as cpu_full from "#glue/cpu_full";
import * as gpu_full from "#glue/gpu_full";
import * as threads_full from "#glue/threads_full";

const place = globalThis as { webertGlues?: object };
place.webertGlues = Object.assign(place.webertGlues ?? {}, { cpu_full, gpu_full, threads_full });
