// The script of the Worker that a model lives in.
import { reading } from "./browser.js";
import { openLocal } from "./engine-local.js";
import { serve, type Port } from "./protocol.js";

serve(globalThis as unknown as Port, (spec, control) => openLocal(spec, control, reading));
