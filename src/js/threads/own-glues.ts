// The glues inside a script. scripts/build.mjs empties the list for scripts that import glues by their URLs.
import type { GlueModule } from "./glue.js";

/** Importers of the glue modules by name. Glues of the binaries with all features end in `_full`. */
export const GLUES: Record<string, () => Promise<GlueModule>> = {
  cpu: () => import("#glue/cpu"),
  threads: () => import("#glue/threads"),
  gpu: () => import("#glue/gpu"),
  cpu_full: () => import("#glue/cpu_full"),
  threads_full: () => import("#glue/threads_full"),
  gpu_full: () => import("#glue/gpu_full"),
};
