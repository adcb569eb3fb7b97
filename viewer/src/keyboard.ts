// Keys, one table: what each does and on which page. A key in a field belongs to the field.
import { signal } from '@preact/signals';

export type Shortcut = {
  /** `j`, or two after each other: `g f`. */
  key: string;
  about: string;
  /** Whether it applies just now; otherwise the key is the next one's, or the browser's. */
  when?: () => boolean;
  /** Not in the list of keys: another line says it. */
  isHidden?: boolean;
  run: (event: KeyboardEvent) => void;
};

/** Those that apply now, the newest first: a dialog's go before a page's, and a page's before the shell's. */
export const shortcuts = signal<Shortcut[]>([]);

/** Returns how to take them away again. */
export function addShortcuts(added: Shortcut[]): () => void {
  shortcuts.value = [...added, ...shortcuts.peek()];
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => !added.includes(one));
  };
}

const SECOND_MS = 1500;

export function listenToKeys(onPalette: () => void): void {
  let first: { key: string; at: number } | null = null;
  addEventListener('keydown', (event) => {
    if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      return onPalette();
    }
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    const before = first && event.timeStamp - first.at < SECOND_MS ? first.key : null;
    first = null;
    const find = (wanted: string) => shortcuts.peek().find(({ key, when }) => key === wanted && (when?.() ?? true));
    const found = (before && find(`${before} ${event.key}`)) || find(event.key);
    if (found) {
      event.preventDefault();
      return found.run(event);
    }
    if (shortcuts.peek().some(({ key }) => key.startsWith(`${event.key} `))) first = { key: event.key, at: event.timeStamp };
  });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(FIELDS) !== null);

/** A checkbox takes no letters. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select, dialog[open]';
