import { pipeline } from "webert";

const [form, sentence, progress, answers] = ["form", "sentence", "progress", "answers"].map((id) =>
  document.getElementById(id),
);

const fill = await pipeline("fill-mask", null, {
  progress_callback: (event) => {
    if (event.status === "progress_total" && event.total) progress.value = event.progress;
  },
});
progress.remove();
form.querySelector("button").disabled = false;

async function show() {
  try {
    const filled = await fill(sentence.value.replace(/_+/, "[MASK]"), { top_k: 5 });
    answers.replaceChildren(
      ...filled.map(({ token_str, score }) => item(`${token_str} (${(100 * score).toFixed(1)} %)`)),
    );
  } catch (error) {
    answers.replaceChildren(item(error.message)); // e.g. a sentence without a blank
  }
}

function item(text) {
  const element = document.createElement("li");
  element.textContent = text;
  return element;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
await show();
