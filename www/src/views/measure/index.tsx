// Measures this device: its kernels beside the CPU, and the times of the encoder. The result is a file and a picture for an issue.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { KernelReport, MeasureReport } from "webert/measure";
import type { App } from "../../app.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { SaveImage } from "../../components/save-image.tsx";
import { download } from "../../download.ts";
import { language, t } from "../../language.ts";
import {
  adapterName,
  caution,
  differenceText,
  encodeTable,
  figure,
  isWrong,
  kernelName,
  sizeOf,
  speedOf,
  verdict,
} from "./figures.ts";
import { paint } from "./picture.ts";
import { Measuring } from "./state.ts";

/** One for all visits of the view: a report stays. */
const measuring = new Measuring();

function View({ app }: { app: App }) {
  useEffect(() => () => measuring.stop(), []);
  const progress = measuring.progress.value;
  const report = measuring.report.value;
  return (
    <div class="measure" aria-busy={progress !== null}>
      <h2>{t`Measure this device`}</h2>
      <p class="hint">{t`Compares each kernel of the GPU with the CPU and times both, for about a minute. It begins when you ask for it, and nothing is sent anywhere: the result is a file for you.`}</p>
      <div class="measure-row">
        {progress ? (
          <button type="button" class="plain" onClick={() => measuring.stop()}>{t`Stop`}</button>
        ) : (
          <button type="button" onClick={() => start(app)}>
            {report ? t`Measure again` : t`Measure`}
          </button>
        )}
        {progress && (
          <>
            <progress value={progress.done} max={progress.of} aria-label={t`Progress`} />
            {language.value === "en" && <span class="took">{progress.step}</span>}
          </>
        )}
      </div>
      <ErrorText error={measuring.error.value} />
      {report && !progress && <Report report={report} />}
    </div>
  );
}

async function start(app: App): Promise<void> {
  await measuring.start();
  if (measuring.report.value) app.announce(t`The measurement is done.`);
}

function Report({ report }: { report: MeasureReport }) {
  const { gpu, cores } = report;
  const cautious = caution(report);
  const said = verdict(report);
  return (
    <section class="measure-report">
      <h3>{adapterName(report)}</h3>
      {cautious && <p class="measure-caution">{cautious}</p>}
      {said && <p>{said}</p>}
      <Times report={report} />
      {gpu && (
        <p>
          {t`A request takes ${figure(gpu.request_ms)} ms, each dispatch ${figure(gpu.dispatch_us)} µs.`}{" "}
          {gpu.loss.recovered_ms !== null &&
            t`After a loss a new device answered in ${figure(gpu.loss.recovered_ms)} ms.`}
        </p>
      )}
      {report.adapter && report.notes.length > 0 && (
        <ul class="hint" lang="en">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <p class="hint">{t`${report.browser.user_agent}; ${cores} cores`}</p>
      <Keep report={report} />
      {gpu && <Kernels kernels={gpu.kernels} />}
    </section>
  );
}

/** The encoder's times: a row per batch, a column per device. */
function Times({ report }: { report: MeasureReport }) {
  const { names, rows } = encodeTable(report);
  if (!rows.length) return null;
  return (
    <Scrolled label={t`Times of the encoder`}>
      <p class="hint">{t`Time to read a batch: sequences × tokens`}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t`Batch`}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([batch, times]) => (
            <tr key={batch}>
              <th scope="row">{batch}</th>
              {times.map((ms, index) => (
                <td key={names[index]}>{ms}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** Each kernel with its difference from the CPU and its speed. */
function Kernels({ kernels }: { kernels: KernelReport[] }) {
  return (
    <Scrolled label={t`Kernels`}>
      <p class="hint">{t`Each kernel: its size, its largest difference from the CPU, its time and speed`}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t`Kernel`}</th>
            <th scope="col">{t`Size`}</th>
            <th scope="col">{t`Difference`}</th>
            <th scope="col">{t`Time`}</th>
            <th scope="col">{t`Speed`}</th>
          </tr>
        </thead>
        <tbody>
          {kernels.map((kernel, index) => (
            <tr key={index} class={isWrong(kernel) ? "measure-wrong" : undefined}>
              <th scope="row">{kernelName(kernel)}</th>
              <td>{sizeOf(kernel)}</td>
              <td>{differenceOf(kernel)}</td>
              <td>{kernel.ms === null ? "–" : `${figure(kernel.ms)} ms`}</td>
              <td>{speedOf(kernel)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function differenceOf(kernel: KernelReport): string {
  const { difference, error } = kernel;
  if (difference === null) return t`failed: ${error}`;
  const shown = differenceText(difference);
  return isWrong(kernel) ? t`${shown}: wrong` : shown;
}

/** A table that a narrow screen scrolls, by the keyboard too. */
function Scrolled({ label, children }: { label: string; children: preact.ComponentChildren }) {
  return (
    <section class="measure-table" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Copies and saves the report. */
function Keep({ report }: { report: MeasureReport }) {
  const state = useSignal("");
  const text = JSON.stringify(report, null, 1);
  const name = `webert-${report.date.slice(0, 10)}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      state.value = t`Copied. Paste it into an issue.`;
    } catch {
      state.value = t`The browser did not allow to copy. Save the file instead.`;
    }
  };
  return (
    <div class="measure-keep">
      <div class="measure-row">
        <button type="button" onClick={copy}>{t`Copy as JSON`}</button>
        <button
          type="button"
          class="plain"
          onClick={() => download(`${name}.json`, new Blob([text], { type: "application/json" }))}
        >{t`Save as JSON`}</button>
        <p class="hint" role="status">
          {state}
        </p>
      </div>
      <SaveImage
        name={`${name}.png`}
        text={adapterName(report)}
        paint={(canvas, dress) => paint(canvas, report, dress)}
        saved={t`Saved as ${`${name}.png`}.`}
        isPlain
      />
    </div>
  );
}

export default { id: "measure", View };
