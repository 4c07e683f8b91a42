import { MOST_GAPS, showAnswers } from "./answers.js";
import { bars } from "./bars.js";
import { classify, HOW } from "./classify.js";
import { AutoTokenizer, env, pipeline } from "./dist/index.js";
import { $, el, percent, sentence, tookSentence } from "./dom.js";
import { Mistake } from "./explain.js";
import { progressBar, showNoModel, showStatus, updateStatus } from "./loading.js";
import { ownModel } from "./own-model.js";
import { moveByKeys, showPieces } from "./pieces.js";
import { section, showError } from "./section.js";
import { judge } from "./taught.js";
import { fillGaps } from "./words.js";

const EMBEDDED = env.defaultModels["fill-mask"];

/**
 * The model in use: {unmask, tokenizer}, where it came from, its name where it is the visitor's own, how many tokens it reads and the
 * device asked for, and the promise of the pipeline that makes vectors with it once that was wanted; null while there is none.
 */
let model = null;

/** The same model for vectors. After a failure the next call tries again. */
function vectors(of) {
  of.vectors ??= pipeline("feature-extraction", of.source, { device: of.device }).catch((error) => {
    of.vectors = undefined;
    throw error;
  });
  return of.vectors;
}

function dispose({ unmask, tokenizer, vectors }) {
  unmask.dispose();
  tokenizer.dispose();
  vectors?.then(
    (extract) => extract.dispose(),
    () => {},
  );
}

function announce(text) {
  $("announce").textContent = text;
}

function enable(usable) {
  for (const button of document.querySelectorAll("button[type=submit]")) button.disabled = !usable;
}

/** How many positions a folder's config.json says that the model has: its tokenizer may not know. */
async function positions({ files }) {
  const config = [...(files ?? [])].find(({ name }) => name === "config.json");
  return config ? (JSON.parse(await config.text()).max_position_embeddings ?? Infinity) : Infinity;
}

let loads = 0;

/** Takes the model of a source in place of the one there is; if that fails, the old one stays, on its device, and `place` says why. */
async function load(source, name, place = $("error")) {
  const mine = ++loads;
  const device = $("device").querySelector(":checked").value;
  enable(false);
  for (const old of [$("error"), $("own-error")]) showError(old);
  try {
    const progress_callback = progressBar();
    const tokenizing = AutoTokenizer.from_pretrained(source);
    tokenizing.catch(() => {}); // where both fail, the model's error says more
    const unmask = await pipeline("fill-mask", source, { device, progress_callback });
    const tokenizer = await tokenizing;
    const limit = Math.min(tokenizer.model_max_length, await positions(source));
    if (mine !== loads) return dispose({ unmask, tokenizer });
    if (model) dispose(model);
    model = { unmask, tokenizer, source, name, device, limit };
    showStatus(unmask.info, name);
    showOwn(name);
    announce(`${name ?? "The built-in model"} is loaded.`);
    drawPieces();
    sort({ quiet: true }); // which loads more, so nothing waits for it
    await fill({ quiet: true });
  } catch (error) {
    if (mine !== loads) return;
    if (model) {
      showStatus(model.unmask.info, model.name);
      $("device").querySelector(`[value=${model.device}]`).checked = true;
    } else showNoModel();
    showError(place, error, { own: Boolean(name), device });
  } finally {
    if (mine === loads) enable(model !== null);
  }
}

/** Tells of the visitor's own model where it was loaded, and offers the way back; and which encoder the classifiers are over. */
function showOwn(name) {
  if (document.activeElement === $("built-in")) $("own-files").focus(); // the button goes
  $("own-loaded").hidden = !name;
  $("own-name").textContent = name ? `${name} is loaded.` : "";
  $("judge-how").textContent =
    `Two classifiers over ${name ? "the built-in" : "the same"} encoder, fetched when you first ask.`;
}

const inUse = () => model;

/** What is told of a model where it fails. */
const aboutModel = ({ name, device, limit }) => ({ own: Boolean(name), device, limit });

/** What is typed in a field that must not be empty. */
function textOf(field, advice = "Write a text first.") {
  if (!field.value.trim()) throw new Mistake(field, advice);
  return field.value;
}

/** Answers that are offered for a gap. */
const ANSWERS = 5;

/** Fills in the text's masks. `live`: while typing, when a text without a mask is no mistake yet; nor is it when nobody asked. */
const fill = section(
  "fill",
  $("answers"),
  inUse,
  (model) => ({ ...aboutModel(model), gaps: true }),
  async (model, { live = false, quiet = false }, signal) => {
    const { unmask, limit } = model;
    const text = $("fill-text").value;
    const box = $("answers");
    if ((live || quiet) && !text.includes("[MASK]")) {
      box.replaceChildren(el("p", { className: "hint" }, "Put [MASK] where a word is missing."));
      return;
    }
    if (!textOf($("fill-text"), "Write a sentence first, with [MASK] where a word is missing.").includes("[MASK]")) {
      throw new Mistake(
        $("fill-text"),
        "There is no gap in this text. Put [MASK] where a word is missing: the button beside “Fill in” inserts it.",
      );
    }
    const start = performance.now();
    const answers = await fillGaps(unmask, text, { count: ANSWERS, shown: MOST_GAPS, signal });
    const truncated = answers.flat().some((answer) => answer.truncated);
    const told = showAnswers(box, text, answers, tookSentence(performance.now() - start, truncated, limit));
    updateStatus(unmask.info);
    if (!quiet) announce(told);
  },
);

/** Sorts the text into the visitor's labels. */
const sort = section("sort", $("labels"), inUse, aboutModel, async (model, { quiet = false }, signal) => {
  const text = textOf($("sort-text"));
  const labels = [
    ...new Set(
      $("sort-labels")
        .value.split(",")
        .map((label) => label.trim())
        .filter(Boolean),
    ),
  ];
  if (labels.length < 2) throw new Mistake($("sort-labels"), "Give at least two labels, with a comma between them.");
  const extract = await vectors(model);
  const start = performance.now();
  const { scores, truncated } = await classify(extract, text, labels, { signal });
  const took = tookSentence(performance.now() - start, truncated, model.limit);
  $("labels").replaceChildren(
    bars(scores.map(({ label, score }) => ({ name: label, score }))),
    el("p", { className: "took" }, took),
  );
  if (!quiet) announce(`${scores[0].label}, ${percent(scores[0].score)}. ${sentence(took)}`);
});

/** What the classifiers say of the text. */
const judgeText = section(
  "judge",
  $("judgement"),
  inUse,
  ({ device }) => ({ thing: "The two classifiers", device }),
  async (model, options, signal) => {
    announce(await judge($("judgement"), textOf($("judge-text")), { device: model.device, signal, tell: announce }));
  },
);

function drawPieces() {
  if (model) showPieces($("pieces"), $("piece"), model.tokenizer, $("fill-text").value);
}

/** Milliseconds without a key before a text that is being typed is answered. */
const PAUSE = 350;
let typing;

$("fill-text").addEventListener("input", () => {
  clearTimeout(typing);
  drawPieces();
  typing = setTimeout(() => fill({ live: true }), PAUSE);
});

for (const [form, run] of [
  ["fill-form", fill],
  ["sort-form", sort],
  ["judge-form", judgeText],
]) {
  $(form).addEventListener("submit", (event) => {
    event.preventDefault();
    if (run === fill) clearTimeout(typing);
    run();
  });
  $(form).addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $(form).requestSubmit();
  });
}

$("insert-mask").addEventListener("click", () => {
  const field = $("fill-text");
  field.setRangeText("[MASK]", field.selectionStart, field.selectionEnd, "end");
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
});

$("examples").addEventListener("click", ({ target }) => {
  const example = target.closest("button");
  if (!example) return;
  $("fill-text").value = example.textContent;
  clearTimeout(typing);
  drawPieces();
  fill();
});

/** The model there is, or the page's own, on the device that was chosen. */
$("device").addEventListener("change", () => load(model?.source ?? EMBEDDED, model?.name));

$("sort-how").textContent = HOW;
moveByKeys($("pieces"));
ownModel(
  $("drop"),
  $("own-files"),
  (files, name) => load({ files }, name, $("own-error")),
  (error) => showError($("own-error"), error, { own: true }),
);
$("built-in").addEventListener("click", () => load(EMBEDDED, undefined, $("own-error")));
load(EMBEDDED);
