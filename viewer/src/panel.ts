// Which memory the side panel shows: it stands in the address, so that a link and the back button know it.
import { computed, signal } from '@preact/signals';
import { go, place, setQuery } from './router.ts';

/** `123`, `S12`, `P34`; null when nothing is opened. */
export const openedId = computed(() => place.value.query.get('m'));

/** On a wide window there is room for it beside every list: then it shows the first row until another is chosen. */
const WIDE = '(min-width: 1700px)';
const isWide = signal(matchMedia(WIDE).matches);
matchMedia(WIDE).addEventListener('change', ({ matches }) => {
  isWide.value = matches;
});

/** The first row of the list that is on the page; null when its page has none. */
export const firstId = signal<string | null>(null);

export const shownId = computed(() => openedId.value ?? (isWide.value ? firstId.value : null));

/** The first one is a step in the history, so that back closes it; from one to the next is none. */
export function openPanel(id: string): void {
  if (openedId.peek() !== null) {
    setQuery({ m: id });
    return;
  }
  const query = new URLSearchParams(location.search);
  query.set('m', id);
  go(`${location.pathname}?${query}`);
}

export const closePanel = () => setQuery({ m: null });
