// Saves or shares what a view shows as an image.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { download } from "../download.ts";
import { t } from "../language.ts";
import type { Dress } from "./canvas.ts";

type Paint = (canvas: HTMLCanvasElement, dress: Dress) => void;

/** The picture in the page's colours, as a PNG. */
async function picture(of: Element, name: string, paint: Paint): Promise<File> {
  const style = getComputedStyle(of);
  const canvas = document.createElement("canvas");
  paint(canvas, { color: (token) => style.getPropertyValue(token).trim(), family: style.fontFamily });
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("the canvas gave no image");
  return new File([blob], name, { type: "image/png" });
}

/**
 * @param name the name of the saved file
 * @param text the text that is shared with the image
 * @param paint draws the picture and sets the canvas' size
 * @param saved the text that follows a download
 * @param isPlain true if the view has a more important button
 */
export function SaveImage({
  name,
  text,
  paint,
  saved = t`Saved as ${name}. It shows your sentence.`,
  isPlain = false,
}: {
  name: string;
  text: string;
  paint: Paint;
  saved?: string;
  isPlain?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const state = useSignal("");
  const canShare =
    typeof navigator.canShare === "function" &&
    navigator.canShare({ files: [new File([""], name, { type: "image/png" })] });
  const hand = async (over: (file: File) => unknown, done: string) => {
    try {
      await over(await picture(box.current!, name, paint));
      state.value = done;
    } catch (error) {
      if ((error as Error).name !== "AbortError")
        state.value = t`The browser made no image. A screenshot shows the same.`;
    }
  };
  return (
    <div class="save-image" ref={box}>
      <button
        type="button"
        class={isPlain ? "plain" : undefined}
        onClick={() => hand((file) => download(name, file), saved)}
      >{t`Save as image`}</button>
      {canShare && (
        <button
          type="button"
          class="plain"
          onClick={() => hand((file) => navigator.share({ files: [file], text }), "")}
        >{t`Share …`}</button>
      )}
      <p class="hint" role="status">
        {state}
      </p>
    </div>
  );
}
