import { bars } from "./bars.js";
import { env, pipeline } from "./dist/index.js";
import { el, percent, sentence, tookSentence } from "./dom.js";

/** What the page's classifiers were taught, and the folder of each; they share the masked model's encoder. */
const TAUGHT = [
  ["Sentiment", env.defaultModels["text-classification"]],
  ["Topic", async () => (await import("./dist/minilm-topic.js")).default()],
];
const TOP = 3; // topics shown
const LIMIT = 512; // tokens that they read, as their tokenizer_config.json says

/** {device, runs: the promise of the classifiers, ready: whether it is fulfilled}: those asked for last. */
let loaded;

/** Loads the classifiers the first time that they are asked for on a device; after a failure the next call tries again. */
function load(device) {
  if (loaded?.device === device) return loaded.runs;
  loaded?.runs.then(
    (runs) => runs.forEach((run) => run.dispose()),
    () => {},
  );
  const mine = {
    device,
    runs: Promise.all(TAUGHT.map(([, source]) => pipeline("text-classification", source, { device }))),
  };
  mine.runs.then(
    () => (mine.ready = true),
    () => {
      if (loaded === mine) loaded = undefined;
    },
  );
  loaded = mine;
  return mine.runs;
}

/** Shows each classifier's answer for `text` in `box`, and gives the sentence that tells them; `tell` is called where that takes longer. */
export async function judge(box, text, { device, signal, tell }) {
  const loading = load(device);
  if (!loaded.ready) {
    const fetching = "Fetching the two classifiers …";
    box.classList.remove("stale"); // what is dimmed goes
    box.replaceChildren(el("p", { className: "hint" }, fetching));
    tell(fetching);
  }
  const runs = await loading;
  signal.throwIfAborted();
  const start = performance.now();
  const answers = [];
  for (const run of runs) answers.push(await run(text, { top_k: TOP, signal }));
  const took = tookSentence(
    performance.now() - start,
    answers.some(([best]) => best.truncated),
    LIMIT,
  );
  box.replaceChildren(
    ...answers.flatMap((labels, i) => [
      el("h3", {}, TAUGHT[i][0]),
      bars(labels.map(({ label, score }) => ({ name: label.replaceAll("_", " "), score }))),
    ]),
    el("p", { className: "took" }, took),
  );
  return `${answers.map(([best]) => `${best.label.replaceAll("_", " ")}, ${percent(best.score)}`).join("; ")}. ${sentence(took)}`;
}
