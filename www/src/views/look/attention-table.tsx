// The same as a table: for each word, the word with most of its attention.
import { wholePercent } from "../../format.ts";
import { t } from "../../language.ts";
import { looks, strongest } from "./attention.ts";
import type { Read } from "./read.ts";

export function AttentionTable({
  read: { words, attention },
  head,
  title,
}: {
  read: Read;
  head: number;
  title: string;
}) {
  return (
    <details class="attention-table">
      <summary>{t`As a table`}</summary>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t`Word`}</th>
            <th scope="col">{t`looks most at`}</th>
            <th scope="col">{t`share`}</th>
            <th scope="col">{t`at itself`}</th>
            <th scope="col">{t`at no word`}</th>
          </tr>
        </thead>
        <tbody>
          {words.map(({ text }, from) => {
            const row = looks(attention, head, from);
            const to = strongest(row, from);
            return (
              <tr key={from}>
                <th scope="row" dir="auto">
                  {text}
                </th>
                <td dir="auto">{to < 0 ? "–" : words[to]!.text}</td>
                <td>{to < 0 ? "–" : wholePercent(row[to]!)}</td>
                <td>{wholePercent(row[from]!)}</td>
                <td>{wholePercent(attention.elsewhere[head * attention.count + from]!)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
