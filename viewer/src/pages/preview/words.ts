// What the parts of what is told are called, and what its marks mean.
import type { ContextSection } from '../../../../src/core/context.ts';
import type { FreshnessWord } from '../../../../src/core/evidence.ts';
import type { ObservationType } from '../../../../src/core/observation.ts';
import type { Occasion, ToldRecord } from '../../../../src/core/shapes/context.ts';
import { sessionPage, timelineOf } from '../../links.ts';

/** In the order in which they stand. */
export const SECTION_NAMES: Record<ContextSection, string> = {
  summary: 'Last session',
  open: 'Left to do',
  everywhere: 'In every project',
  decisions: 'Decided',
  here: 'Branch and files at hand',
  useful: 'Most useful',
  index: 'More by date',
  sessions: 'Recent sessions',
};

/** Not for anybody to switch off: rules of the user, and the notes in the middle of a session. */
const OTHER_NAMES = {
  rules: 'The user asked for',
  recall: 'For this prompt',
  file: 'About this file',
  error: 'About this error',
};

export const nameSection = (section: ToldRecord['section']) => ({ ...SECTION_NAMES, ...OTHER_NAMES })[section];

export const OCCASION_NAMES: Record<Occasion, string> = {
  start: 'At the start',
  'first-prompt': 'On a prompt',
  edit: 'Before an edit',
  error: 'After an error',
};

const TYPE_NAMES: Record<ObservationType, string> = {
  decision: 'Decisions',
  bugfix: 'Bugfixes',
  feature: 'Features',
  refactor: 'Refactorings',
  discovery: 'Discoveries',
  change: 'Changes',
};

export const SECTIONS = Object.entries(SECTION_NAMES);
export const TYPES = Object.entries(TYPE_NAMES);

const FRESHNESS: Record<FreshnessWord, string> = {
  fresh: 'The code it is about is as it was.',
  changed: 'The code it is about has changed since.',
  gone: 'The files it is about are gone.',
  reverted: 'The change it tells of was taken back.',
  elsewhere: 'It was made on another branch.',
  unverified: 'Nobody knows how its files were then.',
  uncited: 'It cites no file (“uncited”).',
};

/** `changed:3`: by three commits. */
export function explainFreshness(freshness: string): string {
  const [word = '', commits] = freshness.split(':');
  const said = (FRESHNESS as Record<string, string>)[word] ?? word;
  return commits ? `${said.slice(0, -1)}, in ${commits} ${commits === '1' ? 'commit' : 'commits'}.` : said;
}

const LEFT_OUT: Record<string, string> = { 'said by a newer one': 'said again' };

/** Why something is not told: in the words of the other pages. */
export const sayLeftOut = (reason: string) => LEFT_OUT[reason] ?? reason;

/** Where a record can be read in full. */
export const linkTo = ({ id, kind }: { id: string; kind: string }) => (kind === 'session' ? sessionPage(id) : timelineOf(id));
