// The adapter as the browser describes it. The wasm side opens the same one.
import { SOFTWARE } from "../engine/device.js";
import type { AdapterReport } from "./report.js";

/** The part of WebGPU that this file uses. */
interface Adapter {
  info?: Partial<Record<"vendor" | "architecture" | "device" | "description", string>> & {
    isFallbackAdapter?: boolean;
  };
  isFallbackAdapter?: boolean;
  features: Iterable<string>;
  limits: Record<string, number>;
}
interface Gpu {
  requestAdapter(options: { powerPreference: "high-performance" }): Promise<Adapter | null>;
}

const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
];

/** Returns the description of the adapter, or null if there is none. */
export async function adapterReport(): Promise<AdapterReport | null> {
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: Gpu };
  const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) return null;
  const { vendor = "", architecture = "", device = "", description = "", isFallbackAdapter } = adapter.info ?? {};
  const name = [vendor, architecture, device, description].join(" ");
  return {
    vendor,
    architecture,
    device,
    description,
    software: Boolean(isFallbackAdapter ?? adapter.isFallbackAdapter) || SOFTWARE.test(name),
    features: [...adapter.features].sort(),
    limits: Object.fromEntries(
      LIMITS.filter((limit) => typeof adapter.limits[limit] === "number").map((limit) => [
        limit,
        adapter.limits[limit]!,
      ]),
    ),
  };
}
