// What occasions, states of files and sections of a context are called on every page.
import type { FreshnessWord } from '../../src/core/evidence.ts';

const OCCASIONS: Record<string, string> = {
  start: 'At the start',
  'first-prompt': 'With a prompt',
  edit: 'Before an edit',
  error: 'After an error',
};

export const nameOccasion = (occasion: string) => OCCASIONS[occasion] ?? occasion;

const FRESHNESS: Record<FreshnessWord, { name: string; about: string }> = {
  fresh: { name: 'up to date', about: 'The code it is about is as it was.' },
  changed: { name: 'changed', about: 'The code it is about has changed since.' },
  gone: { name: 'file deleted', about: 'The files it is about are deleted.' },
  reverted: { name: 'reverted', about: 'The change was reverted.' },
  elsewhere: { name: 'other branch', about: 'It was made on another branch.' },
  unverified: { name: 'cannot verify', about: 'How its files were then is not known.' },
  uncited: { name: 'no files', about: 'It is about no file.' },
};

const known = (word: string) => (FRESHNESS as Record<string, { name: string; about: string }>)[word];

export const nameFreshness = (word: string) => known(word)?.name ?? word;

/** `changed:3`: by three commits. */
export function explainFreshness(freshness: string): string {
  const [word = '', commits] = freshness.split(':');
  const said = known(word)?.about ?? word;
  return commits ? `${said.slice(0, -1)}, in ${commits} ${commits === '1' ? 'commit' : 'commits'}.` : said;
}
