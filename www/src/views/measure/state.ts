// A measurement of this device: its progress and its report. It runs only while its view is open.
import { type Signal, signal } from "@preact/signals";
import { env, pipeline } from "webert";
import type { LoadOther, MeasureProgress, MeasureReport } from "webert/measure";

/** The encoder that is timed. The package's own: every visitor measures the same. */
const ENCODER = env.defaultModels["feature-extraction"]!;

export class Measuring {
  readonly report: Signal<MeasureReport | null> = signal(null);
  readonly progress: Signal<MeasureProgress | null> = signal(null);
  readonly error: Signal<unknown> = signal(undefined);
  #running: AbortController | undefined;

  /** Measures. `others`: encoders of other libraries beside the package's. */
  async start(others: LoadOther[] = []): Promise<void> {
    this.stop();
    const running = new AbortController();
    this.#running = running;
    this.error.value = undefined;
    this.progress.value = { step: "", done: 0, of: 1 };
    const isCurrent = () => this.#running === running;
    try {
      const { measure } = await import("webert/measure");
      const report = await measure({
        pipeline,
        model: ENCODER,
        others,
        signal: running.signal,
        progress_callback: (progress) => isCurrent() && (this.progress.value = progress),
      });
      if (isCurrent()) this.report.value = report;
    } catch (error) {
      if (isCurrent()) this.error.value = error;
    }
    if (!isCurrent()) return;
    this.#running = undefined;
    this.progress.value = null;
  }

  /** Ends the measurement at once. An earlier report stays. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.progress.value = null;
  }
}
