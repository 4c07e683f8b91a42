/** One of several options: one tab stop, arrow keys choose. `name` is the radio buttons' group; `chosen` is an id. */
export function Choices<T extends string>({
  label,
  name,
  options,
  chosen,
  onChoose,
}: {
  label: string;
  name: string;
  options: readonly { id: T; title: string }[];
  chosen: T | undefined;
  onChoose: (id: T) => void;
}) {
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">{label}</legend>
      {options.map(({ id, title }) => (
        <label key={id} class="choice">
          <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
