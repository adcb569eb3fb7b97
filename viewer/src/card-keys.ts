// The keys of cards: from one to the next, and what is done to the one that has the focus.
import { useEffect } from 'preact/hooks';
import type { Memory } from '../../src/core/shapes/memory.ts';
import { focusedCard, isCardItself, stepCard } from './card-focus.ts';
import { togglePinned, toggleWrong } from './correct.ts';
import { addShortcuts, type Shortcut } from './keyboard.ts';
import { timelineOf } from './links.ts';
import { openEdit, openForget } from './opened-memory.ts';
import { say } from './parts/toasts.tsx';
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

type Correcting = { key: string; about: string; done: string; act: (memory: Memory) => void };

const onObservation = ({ key, about, done, act }: Correcting): Shortcut =>
  onCard(key, about, ({ memory }) => {
    if (memory.kind === 'observation') act(memory);
    else say(`Only observations can be ${done}.`);
  });

const CARD_KEYS: Shortcut[] = [
  { key: 'j', about: 'Next memory', run: () => stepCard(1) },
  { key: 'k', about: 'Previous memory', run: () => stepCard(-1) },
  {
    ...onCard('Enter', 'Open or close it', ({ toggle }) => toggle()),
    // On a button or a link in the card, Enter is theirs.
    when: isCardItself,
  },
  onObservation({ key: 'p', about: 'Pin it, or take the pin off', done: 'pinned', act: togglePinned }),
  onObservation({ key: 'e', about: 'Edit it', done: 'edited', act: openEdit }),
  onObservation({ key: 'w', about: 'Mark it as wrong, or as right again', done: 'marked as wrong', act: toggleWrong }),
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
