// What the address asks of the preview: the project, the occasion, and settings to try.
import type { ToldSettings } from '../../../../src/core/shapes/context.ts';
import { setQuery } from '../../router.ts';

/** `for`: what is looked at. Without it, the start of a session. */
export type AskedFor = 'start' | 'prompt' | 'file';

const TRIED = ['tokens', 'sections', 'types', 'index', 'full', 'sessions'] as const;

export function readAskedFor(query: URLSearchParams): AskedFor {
  const said = query.get('for');
  return said === 'prompt' || said === 'file' ? said : 'start';
}

/** The parameters of the preview. */
export function readAsked(query: URLSearchParams): Record<string, string | null> {
  const asked = readAskedFor(query);
  if (asked !== 'start') return { [asked]: query.get(asked) };
  return Object.fromEntries(TRIED.map((name) => [name, query.get(name)]));
}

/** The settings with what is tried instead of them. */
export function readTried(query: URLSearchParams, set: ToldSettings): ToldSettings {
  const number = (name: 'tokens' | 'index' | 'full' | 'sessions') => Number(query.get(name) ?? set[name]);
  const list = (name: 'sections' | 'types') => query.get(name)?.split(',').filter(Boolean) ?? set[name];
  return {
    tokens: number('tokens'),
    sections: list('sections') as ToldSettings['sections'],
    types: list('types') as ToldSettings['types'],
    index: number('index'),
    full: number('full'),
    sessions: number('sessions'),
  };
}

/** What is as it is set is not tried. An empty list is a lone comma: an empty parameter would be none. */
export function tryOut(changes: Partial<ToldSettings>, set: ToldSettings): void {
  const said = Object.entries(changes).map(([name, value]) => {
    const isAsSet = String(value) === String(set[name as keyof ToldSettings]);
    return [name, isAsSet ? null : String(value) || ','];
  });
  setQuery(Object.fromEntries(said));
}

export const tryNothing = () => setQuery(Object.fromEntries(TRIED.map((name) => [name, null])));

export const isTrying = (query: URLSearchParams) => TRIED.some((name) => query.has(name));

/** Under the names that the settings have. */
export function toSettings(query: URLSearchParams, set: ToldSettings): Record<string, unknown> {
  const tried = readTried(query, set);
  return Object.fromEntries(
    TRIED.filter((name) => query.has(name)).map((name) => [`context${name.charAt(0).toUpperCase()}${name.slice(1)}`, tried[name]]),
  );
}
