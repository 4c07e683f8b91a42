// Saves or shares the ladder as an image.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { download } from "../../download.ts";
import type { Hidden } from "./hidden.ts";
import { type Rung, story } from "./ladder.ts";
import { paint } from "./picture.ts";

const NAME = "watch-it-think.png";

/** The picture in the page's colours, as a PNG. */
async function picture(of: Element, hidden: Hidden, rungs: readonly Rung[]): Promise<File> {
  const style = getComputedStyle(of);
  const canvas = document.createElement("canvas");
  paint(canvas, hidden, rungs, {
    color: (token) => style.getPropertyValue(token).trim(),
    family: style.fontFamily,
  });
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("the canvas gave no image");
  return new File([blob], NAME, { type: "image/png" });
}

export function SaveImage({ hidden, rungs }: { hidden: Hidden; rungs: readonly Rung[] }) {
  const box = useRef<HTMLDivElement>(null);
  const state = useSignal("");
  const canShare =
    typeof navigator.canShare === "function" &&
    navigator.canShare({ files: [new File([""], NAME, { type: "image/png" })] });
  const hand = async (over: (file: File) => unknown, done: string) => {
    try {
      await over(await picture(box.current!, hidden, rungs));
      state.value = done;
    } catch (error) {
      if ((error as Error).name !== "AbortError")
        state.value = "The browser made no image. A screenshot shows the same.";
    }
  };
  return (
    <div class="save-image" ref={box}>
      <button
        type="button"
        onClick={() => hand((file) => download(NAME, file), `Saved as ${NAME}. It shows your sentence.`)}
      >
        Save as image
      </button>
      {canShare && (
        <button
          type="button"
          class="plain"
          onClick={() => hand((file) => navigator.share({ files: [file], text: story(rungs) }), "")}
        >
          Share …
        </button>
      )}
      <p class="hint" role="status">
        {state}
      </p>
    </div>
  );
}
