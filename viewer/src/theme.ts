// Light, dark, or as the system has it; chosen once for this browser.
import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'claude-mem-theme';

export const theme = signal<Theme>(remembered());

function remembered(): Theme {
  const chosen = localStorage.getItem(KEY);
  return THEMES.find((known) => known === chosen) ?? 'system';
}

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  localStorage.setItem(KEY, theme.value);
});
