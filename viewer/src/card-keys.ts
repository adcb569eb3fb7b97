// The keys of rows: from one to the next, and what is done to the one that has the focus.
import { useEffect } from 'preact/hooks';
import type { MemoryRow } from '../../src/core/shapes/memory.ts';
import { focusedCard, isCardItself, stepCard } from './card-focus.ts';
import { togglePinned, toggleWrong } from './correct.ts';
import { addShortcuts, type Shortcut } from './keyboard.ts';
import { timelineOf } from './links.ts';
import { openEdit, openForget } from './opened-memory.ts';
import { closePanel, openedId, openPanel } from './panel.ts';
import { say } from './parts/toasts.tsx';
import { go } from './router.ts';
import { clearSelected, selected, toggleSelected } from './selection.ts';

const cards = new WeakMap<Element, MemoryRow>();

/** As it is shown now; called on every rendering of a row. */
export function keepCard(element: Element | null, row: MemoryRow): void {
  if (element) cards.set(element, row);
}

/** Those that are on the page, in their order. */
export const listCards = (): MemoryRow[] => [...document.querySelectorAll('main [data-memory]')].flatMap((one) => cards.get(one) ?? []);

/** For a page that shows rows. */
export function useCardKeys(): void {
  useEffect(() => addShortcuts(CARD_KEYS), []);
}

function focused(): MemoryRow | null {
  const element = focusedCard();
  return (element && cards.get(element)) ?? null;
}

const onCard = (key: string, about: string, act: (row: MemoryRow, event: KeyboardEvent) => void): Shortcut => ({
  key,
  about,
  when: () => focused() !== null,
  run: (event) => {
    const row = focused();
    if (row) act(row, event);
  },
});

type Correcting = { key: string; about: string; done: string; act: (row: MemoryRow) => void };

const onObservation = ({ key, about, done, act }: Correcting): Shortcut =>
  onCard(key, about, (row) => {
    if (row.kind === 'observation') act(row);
    else say(`Only observations can be ${done}.`);
  });

/** While the panel is open it shows the one that has the focus. */
function step(by: 1 | -1): void {
  stepCard(by);
  const row = focused();
  if (row && openedId.peek() !== null) openPanel(row.id);
}

const select = (row: MemoryRow, isRange: boolean) => toggleSelected(row, { isRange, others: listCards() });

const CARD_KEYS: Shortcut[] = [
  { key: 'j', about: 'Next row', run: () => step(1) },
  { key: 'k', about: 'Previous row', run: () => step(-1) },
  { ...onCard('Enter', 'Open it', ({ id }) => openPanel(id)), when: isCardItself },
  onCard('x', 'Select it; with Shift all up to it', (row) => select(row, false)),
  { ...onCard('X', '', (row) => select(row, true)), isHidden: true },
  onObservation({ key: 'p', about: 'Pin or unpin', done: 'pinned', act: togglePinned }),
  onObservation({ key: 'e', about: 'Edit', done: 'edited', act: openEdit }),
  onObservation({ key: 'w', about: 'Mark as incorrect, or take that back', done: 'marked as incorrect', act: toggleWrong }),
  onCard('f', 'Hide or delete (also Delete)', openForget),
  { ...onCard('Delete', '', openForget), isHidden: true },
  onCard('t', 'Its timeline', ({ id }) => go(timelineOf(id))),
  {
    key: 'Escape',
    about: 'Close the panel, clear the selection, leave the row',
    when: () => openedId.peek() !== null || selected.peek().size > 0 || focused() !== null,
    run: () => {
      if (openedId.peek() !== null) closePanel();
      else if (selected.peek().size > 0) clearSelected();
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  },
];
