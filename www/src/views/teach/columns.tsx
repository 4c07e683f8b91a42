// The labels as columns. Their examples are chips that can be added, edited, moved and removed.
import { useRef, useState } from "preact/hooks";
import type { App } from "../../app.ts";
import { labelStyle } from "../../components/colours.ts";
import { t, tx } from "../../language.ts";
import {
  addColumn,
  addExample,
  type Column,
  countOf,
  type Example,
  editExample,
  LONGEST_NAME,
  LONGEST_TEXT,
  MOST_EXAMPLES,
  MOST_LABELS,
  moveExample,
  removeColumn,
  removeExample,
  renameColumn,
} from "./lesson.ts";
import type { TeachState } from "./state.ts";

/** Number of chips that a column shows at first; hundreds would make the page too long. */
const SHOWN = 30;
/** The data type of a dragged chip: its id. */
const DRAGGED = "application/x-webert-example";

interface Props {
  app: App;
  state: TeachState;
}

export function Columns({ app, state }: Props) {
  const { columns } = state.lesson.value;
  const add = () => {
    state.change(addColumn(state.lesson.peek()));
    app.announce(t`There is a new label.`);
    requestAnimationFrame(() => {
      const names = document.querySelectorAll<HTMLInputElement>(".teach-column .teach-rename");
      names[names.length - 1]?.select();
    });
  };
  return (
    <div class="teach-columns">
      {columns.map((column, place) => (
        <ColumnCard key={column.id} app={app} state={state} column={column} place={place} />
      ))}
      {columns.length < MOST_LABELS && (
        <button type="button" class="plain teach-add-label" onClick={add}>{t`+ Add a label`}</button>
      )}
    </div>
  );
}

/** A label's name, which can be changed, its number of examples, and the button that removes it. */
function ColumnHead({ app, state, column: { id, name, examples } }: Props & { column: Column }) {
  return (
    <header>
      <input
        class="teach-rename"
        dir="auto"
        aria-label={t`Name of the label ${name}`}
        maxLength={LONGEST_NAME}
        value={name}
        onChange={({ currentTarget }) => {
          state.change(renameColumn(state.lesson.peek(), id, currentTarget.value));
          currentTarget.value = state.lesson.peek().columns.find((one) => one.id === id)?.name ?? name;
        }}
      />
      <span class="teach-count">{examples.length}</span>
      <button
        type="button"
        class="teach-small"
        aria-label={t`Remove the label ${name}`}
        onClick={() => {
          state.change(removeColumn(state.lesson.peek(), id));
          app.announce(t`The label ${name} is gone.`);
        }}
      >
        ×
      </button>
    </header>
  );
}

function ColumnCard({ app, state, column, place }: Props & { column: Column; place: number }) {
  const [over, setOver] = useState(false);
  const [all, setAll] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { id, name, examples } = column;
  const shown = all ? examples : examples.slice(-SHOWN);
  const isFull = countOf(state.lesson.value) >= MOST_EXAMPLES;
  const add = (event: Event) => {
    event.preventDefault();
    const before = state.lesson.peek();
    state.change(addExample(before, id, input.current!.value));
    if (state.lesson.peek() !== before) app.announce(t`Added to ${name}.`);
    input.current!.value = "";
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    const example = event.dataTransfer?.getData(DRAGGED);
    if (!example) return;
    event.preventDefault();
    state.change(moveExample(state.lesson.peek(), Number(example), id));
  };
  return (
    <section
      class={`teach-column ${over ? "is-over" : ""}`}
      style={labelStyle(place)}
      aria-label={t`Label ${name}`}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <ColumnHead app={app} state={state} column={column} />
      <form onSubmit={add}>
        <input
          ref={input}
          class="teach-new"
          dir="auto"
          maxLength={LONGEST_TEXT}
          disabled={isFull}
          aria-label={t`A new example of ${name}`}
          placeholder={isFull ? t`No room for more` : t`Add an example`}
          enterkeyhint="done"
        />
        <button type="submit" class="teach-small" aria-label={t`Add the example to ${name}`} disabled={isFull}>
          +
        </button>
      </form>
      {examples.length > 0 && <Chips app={app} state={state} column={column} shown={shown} />}
      {examples.length > shown.length && (
        <button
          type="button"
          class="plain teach-more"
          onClick={() => setAll(true)}
        >{tx`Show all ${examples.length}`}</button>
      )}
    </section>
  );
}

/** Returns the label that an example gets while it is held out, if it is not its column's. */
function mistakenFor(state: Props["state"], column: Column, { id }: Example): string | undefined {
  const held = state.heldOut.value;
  const names = held && state.learnt.value?.names;
  const place = held ? held.ids.indexOf(id) : -1;
  const given = names && place >= 0 ? names[held.given[place]!] : undefined;
  return given === column.name ? undefined : given;
}

/** One tab stop for all of a column's chips: arrow keys move, Enter opens, Delete removes. */
function Chips({ app, state, column, shown }: Props & { column: Column; shown: readonly Example[] }) {
  const [stop, setStop] = useState(0);
  const [open, setOpen] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const active = Math.min(stop, shown.length - 1);
  const focus = (at: number) =>
    requestAnimationFrame(() => {
      const buttons = list.current?.querySelectorAll<HTMLButtonElement>(".teach-chip-text") ?? [];
      buttons[Math.min(at, buttons.length - 1)]?.focus();
    });
  const remove = (id: number, at: number) => {
    state.change(removeExample(state.lesson.peek(), id));
    app.announce(t`Removed.`);
    focus(at);
  };
  const onKeyDown = (event: KeyboardEvent, id: number, at: number) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to !== undefined && shown[to]) focus(to);
    else if (event.key === "Delete" || event.key === "Backspace") remove(id, at);
    else return;
    event.preventDefault();
  };
  return (
    <ul class="teach-chips" ref={list} aria-label={t`Examples of ${column.name}`}>
      {shown.map((example, at) => {
        const mistaken = mistakenFor(state, column, example);
        return (
          <li
            key={example.id}
            class={mistaken ? "is-mistaken" : undefined}
            draggable={open !== example.id}
            onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, String(example.id))}
          >
            {open === example.id ? (
              <Editor
                state={state}
                column={column}
                example={example}
                close={() => {
                  setOpen(null);
                  focus(at);
                }}
              />
            ) : (
              <>
                <button
                  type="button"
                  class="teach-chip-text"
                  dir="auto"
                  lang="en"
                  tabIndex={at === active ? 0 : -1}
                  aria-haspopup="true"
                  onFocus={() => setStop(at)}
                  onClick={() => setOpen(example.id)}
                  onKeyDown={(event) => onKeyDown(event, example.id, at)}
                >
                  {example.text.length > 160 ? `${example.text.slice(0, 160)} …` : example.text}
                  {mistaken && <small>{tx`held out, it looks like ${<b dir="auto">{mistaken}</b>}`}</small>}
                </button>
                <button
                  type="button"
                  class="teach-small"
                  tabIndex={-1}
                  aria-label={t`Remove: ${example.text.slice(0, 80)}`}
                  onClick={() => remove(example.id, at)}
                >
                  ×
                </button>
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The editor of an example's text and label. */
function Editor({
  state,
  column,
  example,
  close,
}: {
  state: TeachState;
  column: Column;
  example: Example;
  close: () => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const target = useRef<HTMLSelectElement>(null);
  const keep = (event?: Event) => {
    event?.preventDefault();
    const edited = editExample(state.lesson.peek(), example.id, field.current!.value);
    state.change(moveExample(edited, example.id, Number(target.current!.value)));
    close();
  };
  return (
    <form
      class="teach-editor"
      onSubmit={keep}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
        else if (event.key === "Enter" && !event.shiftKey && event.target === field.current) keep(event);
        else return;
        event.stopPropagation();
      }}
    >
      <textarea
        ref={(element) => {
          if (element && !field.current) requestAnimationFrame(() => element.focus());
          field.current = element;
        }}
        dir="auto"
        rows={2}
        maxLength={LONGEST_TEXT}
        aria-label={t`The example's text`}
        defaultValue={example.text}
      />
      <label>{tx`Label ${(
        <select ref={target} aria-label={t`Label`} defaultValue={String(column.id)}>
          {state.lesson.value.columns.map(({ id, name }) => (
            <option key={id} value={id} selected={id === column.id}>
              {name}
            </option>
          ))}
        </select>
      )}`}</label>
      <span class="teach-row">
        <button type="submit">{t`Keep`}</button>
        <button type="button" class="plain" onClick={close}>{t`Cancel`}</button>
      </span>
    </form>
  );
}
