/** A wrapping row of short English texts to choose from. */
export function Chips({
  label,
  chips,
  onChoose,
}: {
  label: string;
  chips: readonly string[];
  onChoose: (chip: string, index: number) => void;
}) {
  return (
    <ul class="chips" aria-label={label}>
      {chips.map((chip, index) => (
        <li key={chip}>
          <button type="button" class="chip" lang="en" onClick={() => onChoose(chip, index)}>
            {chip}
          </button>
        </li>
      ))}
    </ul>
  );
}
