// The choice of the page's language.
import { choose, LANGUAGES, type Language, language, t } from "../language.ts";

export function Languages() {
  return (
    <label class="languages">
      <span class="visually-hidden">{t`Language of the page`}</span>
      <select value={language.value} onChange={({ currentTarget }) => choose(currentTarget.value as Language)}>
        {Object.entries(LANGUAGES).map(([id, name]) => (
          <option key={id} value={id} lang={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
