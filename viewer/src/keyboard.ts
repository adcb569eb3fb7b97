// Keys, one table: what each does and on which page. A key in a field belongs to the field.
import { signal } from '@preact/signals';

export type Shortcut = {
  key: string;
  about: string;
  /** Whether it holds just now; otherwise the key is the next one's, or the browser's. */
  when?: () => boolean;
  run: (event: KeyboardEvent) => void;
};

/** Those that hold now, the newest first: a dialog's go before a page's, and a page's before the shell's. */
export const shortcuts = signal<Shortcut[]>([]);

/** Returns how to take them away again. */
export function addShortcuts(added: Shortcut[]): () => void {
  shortcuts.value = [...added, ...shortcuts.peek()];
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => !added.includes(one));
  };
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    const found = shortcuts.peek().find(({ key, when }) => key === event.key && (when?.() ?? true));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select, dialog[open]') !== null);
