import { useState } from "preact/hooks";
import type { App } from "../app.ts";
import { language, t } from "../language.ts";
import { shownOf } from "../text/stretches.ts";
import { PieceText } from "./piece-text.tsx";

/** Degrees between the hues of neighbouring words: the golden angle keeps neighbours apart. */
const GOLDEN = 137.508;
/** Maximum number of pieces that are drawn. */
const MOST = 512;

/** The WordPieces of a text. Pieces of one word share a colour. Together they are one tab stop; arrow keys move. */
export function Pieces({ app, text }: { app: App; text: string }) {
  const [at, setAt] = useState<number | undefined>();
  const tokenizer = app.tokenizer.value;
  if (!tokenizer) return <p class="hint">{t`The tokenizer is loading.`}</p>;
  const { shown, cut } = shownOf(text);
  const { input_ids, offset_mapping, word_ids } = tokenizer(shown, {
    return_tensor: false,
    return_offsets_mapping: true,
    return_word_ids: true,
  });
  const tokens = tokenizer.convert_ids_to_tokens(input_ids);
  const count = Math.min(tokens.length, MOST);
  const current = at === undefined || at >= count ? undefined : at;
  const where = (i: number) => {
    const [start, end] = offset_mapping![i] as [number, number];
    return word_ids![i] === null ? t`added by the tokenizer` : t`letters ${start} to ${end}`;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = current ?? 0;
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || to < 0 || to >= count) return;
    event.preventDefault();
    setAt(to);
    const list = event.currentTarget as HTMLElement;
    list.querySelectorAll<HTMLElement>("button")[to]!.focus();
  };
  return (
    <div class="pieces-box">
      <ol class="pieces" aria-label={t`The pieces that the model reads`} onKeyDown={onKeyDown}>
        {tokens.slice(0, count).map((piece, i) => {
          const token = piece ?? "";
          const word = word_ids![i];
          const special = word === null || word === undefined;
          const begins = special || word !== word_ids![i - 1];
          const hue = special ? undefined : { "--hue": String(Math.round(word * GOLDEN) % 360) };
          return (
            <li key={i} lang="en" class={begins ? "begins" : ""}>
              <button
                type="button"
                class={`piece${special ? " special" : ""}`}
                {...(hue && { style: hue })}
                aria-current={i === current ? "true" : undefined}
                tabIndex={i === (current ?? 0) ? 0 : -1}
                onClick={() => setAt(i)}
                onFocus={() => setAt(i)}
                onPointerEnter={() => setAt(i)}
              >
                <PieceText piece={token} />
              </button>
            </li>
          );
        })}
      </ol>
      <p class="took">
        {current === undefined
          ? t`${tokens.length} pieces${cut ? t` in the first ${shown.length.toLocaleString(language.value)} letters` : ""}`
          : t`${tokens[current]} · number ${input_ids[current]} of the vocabulary · ${where(current)}`}
      </p>
    </div>
  );
}
