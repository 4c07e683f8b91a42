import { el, spoken } from "./dom.js";

/** More text, or more pieces, than this is not drawn: nobody reads it, and drawing would take seconds. */
const LONGEST_TEXT = 4000;
const MOST_PIECES = 512;

/** Degrees between the hues of neighbouring words: the golden angle keeps neighbours apart. */
const GOLDEN = 137.508;

/** Draws the WordPieces of `text` into the list; `detail` tells about the one pointed at or moved to. */
export function showPieces(list, detail, tokenizer, text) {
  const shown = text.slice(0, LONGEST_TEXT);
  const { input_ids, offset_mapping, word_ids } = tokenizer(shown, {
    return_tensor: false,
    return_offsets_mapping: true,
    return_word_ids: true,
  });
  const tokens = tokenizer.convert_ids_to_tokens(input_ids);
  const count = Math.min(tokens.length, MOST_PIECES);
  const items = Array.from({ length: count }, (_, i) =>
    piece(tokens[i], input_ids[i], offset_mapping[i], word_ids[i], word_ids[i - 1], detail),
  );
  const cut = shown.length < text.length;
  const rest = cut ? "the rest of the text is not shown" : `and ${tokens.length - count} more`;
  if (cut || count < tokens.length) items.push(el("li", { className: "begins hint" }, `… ${rest}`));
  list.replaceChildren(...items);
  const first = list.querySelector("button");
  if (first) first.tabIndex = 0;
  detail.textContent = `${tokens.length} pieces${cut ? ` in the first ${LONGEST_TEXT.toLocaleString("en")} characters` : ""}`;
}

function piece(token, id, [start, end], word, before, detail) {
  const special = word === null;
  const button = el("button", { type: "button", className: special ? "piece special" : "piece", tabIndex: -1 }, token);
  if (!special) button.style.setProperty("--hue", String(Math.round(word * GOLDEN) % 360));
  if (spoken(token) !== token) button.setAttribute("aria-label", spoken(token));
  const where = special ? "added by the tokenizer" : `[${start}, ${end})`;
  button.title = `id ${id} · ${where}`;
  const tell = () => {
    for (const other of button.closest("ol").querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    detail.textContent = `${token} · id ${id} · ${where}`;
  };
  for (const event of ["pointerenter", "focus", "click"]) button.addEventListener(event, tell);
  return el("li", { className: special || word !== before ? "begins" : "" }, button);
}

/** One tab stop for the whole list; arrows, Home and End move within it. */
export function moveByKeys(list) {
  list.addEventListener("keydown", (event) => {
    const pieces = [...list.querySelectorAll("button")];
    const at = pieces.indexOf(document.activeElement);
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: pieces.length - 1,
    }[event.key];
    if (at < 0 || to === undefined || !pieces[to]) return;
    event.preventDefault();
    pieces[at].tabIndex = -1;
    pieces[to].tabIndex = 0;
    pieces[to].focus();
  });
}
