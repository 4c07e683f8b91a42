// Reads a chosen or dropped file of labelled texts. Texts without labels become cards.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { Mistake } from "../../explain.ts";
import { t } from "../../language.ts";
import { lessonOfRows, MOST_EXAMPLES } from "./lesson.ts";
import type { TeachState } from "./state.ts";

/** Maximum size of a file. */
const LARGEST = 20e6;

export function FileInput({ app, state }: { app: App; state: TeachState }) {
  const { error, attempt } = useAttempt();
  const said = useSignal("");
  const over = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    if (!file) return;
    said.value = "";
    await attempt(async () => {
      said.value = await teachFile(file, state);
      app.announce(said.value);
    });
  };
  useEffect(() => {
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files");
    const onOver = (event: DragEvent) => {
      if (!isFile(event)) return;
      event.preventDefault();
      over.value = true;
    };
    const onLeave = (event: DragEvent) => {
      if (!event.relatedTarget) over.value = false;
    };
    const onDrop = (event: DragEvent) => {
      if (!isFile(event)) return;
      event.preventDefault();
      over.value = false;
      take(event.dataTransfer!.files[0]);
    };
    const view = document.querySelector<HTMLElement>(".teach")!;
    view.addEventListener("dragover", onOver);
    view.addEventListener("dragleave", onLeave);
    view.addEventListener("drop", onDrop);
    return () => {
      view.removeEventListener("dragover", onOver);
      view.removeEventListener("dragleave", onLeave);
      view.removeEventListener("drop", onDrop);
    };
  }, []);
  return (
    <>
      <input
        ref={input}
        class="visually-hidden"
        tabIndex={-1}
        aria-hidden="true"
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          currentTarget.value = ""; // so that the same file can be chosen again
        }}
      />
      <button type="button" class="chip" onClick={() => input.current!.click()}>{t`Open a CSV …`}</button>
      {over.value && <p class="teach-drop">{t`Drop a CSV: a text and its label in each line.`}</p>}
      {said.value && <p class="hint teach-said-of-file">{said.value}</p>}
      <ErrorText error={error.value} />
    </>
  );
}

/** Teaches the contents of a file. Returns the sentence that reports it. */
async function teachFile(file: File, state: TeachState): Promise<string> {
  if (file.size > LARGEST)
    throw new Mistake(t`${file.name} is too large: ${MOST_EXAMPLES} examples are what can be taught here.`);
  const { rowsOfCsv, UnusableFile } = await import("./csv.ts");
  try {
    const { lesson, left } = lessonOfRows(rowsOfCsv(await file.text()));
    state.change(lesson);
    state.cards.value = [];
    const count = lesson.columns.reduce((sum, { examples }) => sum + examples.length, 0);
    return t`${count} examples of ${lesson.columns.length} labels from ${file.name}${left > 0 ? t`; ${left} more had no room` : ""}.`;
  } catch (error) {
    throw error instanceof UnusableFile ? new Mistake(error.message) : error;
  }
}
