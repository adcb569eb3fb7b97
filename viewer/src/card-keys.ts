// The keys of cards: from one to the next, and what is done to the one that has the focus.
import { useEffect } from 'preact/hooks';
import type { Memory } from '../../src/core/memory.ts';
import { focusedCard, isCardItself, stepCard } from './card-focus.ts';
import { togglePinned, toggleWrong } from './correct.ts';
import { addShortcuts, type Shortcut } from './keyboard.ts';
import { timelineOf } from './links.ts';
import { openEdit, openForget } from './opened-memory.ts';
import { go } from './router.ts';

export type Card = { memory: Memory; toggle: () => void };

const cards = new WeakMap<Element, Card>();

/** As it is shown now; called on every rendering of a card. */
export function keepCard(element: Element | null, card: Card): void {
  if (element) cards.set(element, card);
}

/** For a page that shows cards. */
export function useCardKeys(): void {
  useEffect(() => addShortcuts(CARD_KEYS), []);
}

function focused(): Card | null {
  const element = focusedCard();
  return (element && cards.get(element)) ?? null;
}

const onCard = (key: string, about: string, act: (card: Card) => void): Shortcut => ({
  key,
  about,
  when: () => focused() !== null,
  run: () => {
    const card = focused();
    if (card) act(card);
  },
});

/** Only observations can be corrected. */
const onObservation = (key: string, about: string, act: (memory: Memory) => void): Shortcut =>
  onCard(key, about, ({ memory }) => {
    if (memory.kind === 'observation') act(memory);
  });

const CARD_KEYS: Shortcut[] = [
  { key: 'j', about: 'Next memory', run: () => stepCard(1) },
  { key: 'k', about: 'Previous memory', run: () => stepCard(-1) },
  {
    ...onCard('Enter', 'Open or close it', ({ toggle }) => toggle()),
    // On a button or a link in the card, Enter is theirs.
    when: isCardItself,
  },
  onObservation('p', 'Pin it, or take the pin off', (memory) => void togglePinned(memory)),
  onObservation('e', 'Edit it', openEdit),
  onObservation('w', 'Mark it as wrong, or as right again', (memory) => void toggleWrong(memory)),
  onCard('f', 'Forget it', ({ memory }) => openForget(memory)),
  onCard('Delete', 'Forget it', ({ memory }) => openForget(memory)),
  onCard('t', 'Its timeline', ({ memory }) => go(timelineOf(memory.id))),
  {
    key: 'Escape',
    about: 'Leave it',
    when: () => focused() !== null,
    run: () => document.activeElement instanceof HTMLElement && document.activeElement.blur(),
  },
];
