import { $, amount, el, sentence } from "./dom.js";

/**
 * Follows a load on the page's progress bar: give what it returns as `progress_callback`. The bar says nothing until it is known how
 * large the weights are: the small files before them would fill it.
 */
export function progressBar() {
  const bar = $("progress");
  const files = new Map();
  $("loading").hidden = false;
  $("status").hidden = true;
  told = undefined;
  bar.removeAttribute("value");
  $("loading-text").textContent = "Fetching the model …";
  return ({ status, file, loaded, total }) => {
    if (status !== "progress") return;
    files.set(file, { loaded, total });
    const sum = (key) => [...files.values()].reduce((bytes, entry) => bytes + entry[key], 0);
    const known = [...files].some(([name, { total }]) => name.endsWith(".safetensors") && total > 0);
    const [have, all] = [sum("loaded"), known ? sum("total") : 0];
    if (all) bar.value = have / all;
    $("loading-text").textContent = `Fetching the model: ${amount(have, "B")}${all ? ` of ${amount(all, "B")}` : ""}`;
  };
}

/** What is told at present: a model's info and its name. */
let told;

/** Tells what computes where that has changed since: a GPU that is lost leaves the rest to the CPU. */
export function updateStatus(info) {
  if (told && told.info !== info) showStatus(info, told.name);
}

/** The bar goes; what computes comes. `name`: of the visitor's own model. */
export function showStatus(info, name) {
  told = { info, name };
  const facts = {
    Model: name ?? "built-in",
    Device: info.device,
    Precision: info.dtype,
    ...(info.device === "wasm" && { SIMD: info.simd, Threads: info.threads }), // the GPU has neither
    Parameters: amount(info.parameters, ""),
    Memory: amount(info.bytes, "B"),
  };
  $("status").replaceChildren(
    ...Object.entries(facts).map(([term, fact]) => el("div", {}, el("dt", {}, term), el("dd", {}, String(fact)))),
  );
  $("reason").textContent = sentence(info.device_reason);
  $("status").hidden = false;
  $("loading").hidden = true;
}

/** Neither bar nor facts: what went wrong stands below. */
export function showNoModel() {
  $("loading").hidden = true;
}
