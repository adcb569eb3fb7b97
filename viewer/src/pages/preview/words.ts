// What the parts of a session context are called.
import type { ContextSection } from '../../../../src/core/context.ts';
import type { ObservationType } from '../../../../src/core/observation.ts';
import type { ToldRecord } from '../../../../src/core/shapes/context.ts';
import { memoryPage, sessionPage } from '../../links.ts';

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

const LEFT_OUT: Record<string, string> = { 'said by a newer one': 'said again' };

/** Why something is left out: in the words of the other pages. */
export const sayLeftOut = (reason: string) => LEFT_OUT[reason] ?? reason;

/** Where a record can be read in full. */
export const linkTo = ({ id, kind }: { id: string; kind: string }) => (kind === 'session' ? sessionPage(id) : memoryPage(id));
