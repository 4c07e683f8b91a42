import type { Signal } from "@preact/signals";

/** A field of some lines that a text is pasted into, `label` for those who do not see it. */
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
