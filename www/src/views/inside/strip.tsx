// Numbers as a strip or a grid of coloured cells: one sign in green, the other in amber, stronger for greater values.
import { useLayoutEffect, useRef } from "preact/hooks";

export function Strip({ values, label, columns }: { values: ArrayLike<number>; label: string; columns?: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = columns ?? values.length;
  useLayoutEffect(() => draw(canvas.current!, values, width), [values, width]);
  return <canvas ref={canvas} class={columns ? "inside-grid" : "inside-strip"} role="img" aria-label={label} />;
}

/** The colour of a custom property, as red, green and blue. */
function inkOf(element: Element, property: string): number[] {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.after(probe);
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
  probe.remove();
  return [red, green, blue];
}

function draw(canvas: HTMLCanvasElement, values: ArrayLike<number>, width: number): void {
  const height = Math.ceil(values.length / width);
  const most = Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  const [up, down] = [inkOf(canvas, "--bar-first"), inkOf(canvas, "--amber")];
  const image = new ImageData(width, height);
  for (let at = 0; at < values.length; at++) {
    const value = values[at]! / most;
    image.data.set([...(value > 0 ? up : down), 255 * Math.sqrt(Math.abs(value))], 4 * at);
  }
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")!.putImageData(image, 0, 0);
}
