// Which card has the focus, and how it goes from one to the next.

/** Of the list; the same memory may stand in the side panel, too. */
const CARD = 'main [data-memory]';

/** Where it was last: what takes the focus for a moment, like the button of a toast, does not lose the place. */
let lastId: string | null = null;

const allCards = () => [...document.querySelectorAll<HTMLElement>(CARD)];

export const focusedCard = () => document.activeElement?.closest<HTMLElement>(CARD) ?? null;

/** The card itself, not a button or a link in it. */
export const isCardItself = () => document.activeElement?.matches(CARD) ?? false;

export function stepCard(by: 1 | -1): void {
  const all = allCards();
  const here = focusedCard() ?? all.find((one) => one.dataset.memory === lastId && isInView(one));
  focusCard((here ? all[all.indexOf(here) + by] : all.find(isInView)) ?? null);
}

export function focusFirstCard(): void {
  focusCard(document.querySelector<HTMLElement>(CARD));
}

/** When these are about to go: the focus stays near, at the next card, or else the one before. */
export function keepFocusNear(ids: readonly string[]): void {
  const all = allCards();
  const from = all.findIndex((one) => ids.includes(one.dataset.memory ?? ''));
  const stays = (one: HTMLElement) => !ids.includes(one.dataset.memory ?? '');
  const next = all.slice(from + 1).find(stays) ?? all.slice(0, Math.max(from, 0)).findLast(stays);
  if (from === -1 || !next) return;
  setTimeout(() => {
    if (document.activeElement === document.body) focusCard(next);
  }, AFTER_DRAWING_MS);
}

const AFTER_DRAWING_MS = 60;

function focusCard(card: HTMLElement | null): void {
  if (!card) return;
  lastId = card.dataset.memory ?? null;
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: 'nearest' });
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top >= 0 && top < innerHeight;
}
