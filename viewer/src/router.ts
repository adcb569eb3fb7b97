// The address decides which page is shown. Pages live under /view/, away from the API's paths.
import { signal } from '@preact/signals';

export type Place = {
  path: string;
  query: URLSearchParams;
  /** Come to by the browser's own back or forward: whoever kept how it was shows it so. */
  isReturn: boolean;
};

export const place = signal<Place>(here());

function here({ isReturn = false } = {}): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search), isReturn };
}

export function startRouter(): void {
  addEventListener('popstate', () => {
    place.value = here({ isReturn: true });
  });
  // Links are links: only a plain click on one of our own stays in this page.
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0 || hasModifier(event)) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
    // A place in this page is the browser's own matter.
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

const hasModifier = (event: MouseEvent) => event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

export function go(url: string, { replace = false } = {}): void {
  const isSame = url === location.pathname + location.search;
  if (replace || isSame) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const isOtherPage = place.value.path !== location.pathname;
  place.value = here();
  if (isOtherPage && !replace) scrollTo(0, 0);
}

/** Changes parameters of the address, without a step in the history. Null or '' takes one away. */
export function setQuery(changes: Record<string, string | null>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  go(query.size === 0 ? location.pathname : `${location.pathname}?${query}`, { replace: true });
}
