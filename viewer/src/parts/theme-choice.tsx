// Light, dark or as the system has it.
import { THEMES, type Theme, theme } from '../theme.ts';

const WORDS: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

export function ThemeChoice() {
  return (
    <fieldset class="segments" aria-label="Theme">
      {THEMES.map((one) => (
        <button
          key={one}
          type="button"
          class="quiet"
          aria-pressed={theme.value === one}
          onClick={() => {
            theme.value = one;
          }}
        >
          {WORDS[one]}
        </button>
      ))}
    </fieldset>
  );
}
