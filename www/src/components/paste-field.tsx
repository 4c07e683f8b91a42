import type { Signal } from "@preact/signals";

/** A field of several lines for pasted text. `label` is its accessible name. */
export function PasteField({
  text,
  label,
  placeholder,
  rows = 6,
}: {
  text: Signal<string>;
  label: string;
  placeholder: string;
  rows?: number;
}) {
  return (
    <textarea
      class="paste"
      dir="auto"
      rows={rows}
      spellcheck={false}
      aria-label={label}
      placeholder={placeholder}
      value={text.value}
      onInput={({ currentTarget }) => (text.value = currentTarget.value)}
    />
  );
}
