// The words of an answer: which tags are ours, under the spellings that models give them.

export type Container = 'observation' | 'summary' | 'session' | 'replaced' | 'closed';

export type FieldKey =
  | ('type' | 'title' | 'subtitle' | 'narrative' | 'text' | 'facts' | 'concepts' | 'filesRead' | 'filesModified')
  | ('sources' | 'request' | 'investigated' | 'learned' | 'completed' | 'nextSteps' | 'filesEdited' | 'notes')
  | ('outcome' | 'id' | 'words' | 'part' | 'reason');

/** `files-read`, `filesRead` and `FILES_READ` are one name. */
export function nameOf(tag: string): string {
  return tag.toLowerCase().replace(/[-_]/g, '');
}

const READ = 'filesread fileread readfiles readfile files file';
const CHANGED = 'filesmodified filemodified modifiedfiles modifiedfile filesedited fileedited fileschanged filechanged';

const FIELDS: Record<Container, Map<string, FieldKey>> = {
  observation: spelled({
    type: 'type',
    title: 'title',
    subtitle: 'subtitle',
    narrative: 'narrative',
    text: 'text',
    facts: 'facts fact',
    concepts: 'concepts concept',
    filesRead: READ,
    filesModified: CHANGED,
    sources: 'sources source',
    outcome: 'outcome',
  }),
  summary: spelled({
    request: 'request',
    investigated: 'investigated',
    learned: 'learned',
    completed: 'completed',
    nextSteps: 'nextsteps nextstep step',
    filesRead: READ,
    filesEdited: CHANGED,
    notes: 'notes note',
  }),
  session: spelled({ title: 'title', subtitle: 'subtitle' }),
  replaced: spelled({ id: 'id', words: 'words quote', part: 'part' }),
  closed: spelled({ id: 'id', words: 'words quote' }),
};

/** The field that a tag or attribute of this name means inside of a container. */
export function fieldOf(container: Container, name: string): FieldKey | null {
  return FIELDS[container].get(name) ?? null;
}

const LISTS: FieldKey[] = ['facts', 'concepts', 'filesRead', 'filesModified', 'filesEdited', 'nextSteps'];
export const isList = (key: FieldKey): boolean => LISTS.includes(key);

const ITEMS = new Set(['fact', 'concept', 'file', 'path', 'step', 'item', 'li']);
export const isItem = (name: string): boolean => ITEMS.has(name);

const ONE_OF_A_LIST = new Set(
  'fact concept step file fileread readfile filemodified modifiedfile fileedited'.split(' '),
);
/** A list's tag that is written for one thing: `<fact>` without `<facts>`. */
export const isSingular = (name: string): boolean => ONE_OF_A_LIST.has(name);

export type Element = { container: Container } | { mark: 'skip' | 'nothing' | 'wrapper' | 'thinking' };

const ELEMENTS = new Map<string, Element>([
  ['observation', { container: 'observation' }],
  ['summary', { container: 'summary' }],
  ['sessionsummary', { container: 'summary' }],
  ['session', { container: 'session' }],
  ['replaced', { container: 'replaced' }],
  ['closed', { container: 'closed' }],
  ['skipsummary', { mark: 'skip' }],
  ['noobservations', { mark: 'nothing' }],
  ['noobservation', { mark: 'nothing' }],
  ['observations', { mark: 'wrapper' }],
  ['think', { mark: 'thinking' }],
  ['thinking', { mark: 'thinking' }],
]);

export function elementOf(name: string): Element | null {
  return ELEMENTS.get(name) ?? null;
}

const OURS = [...ELEMENTS.keys(), ...ITEMS, ...Object.values(FIELDS).flatMap((fields) => [...fields.keys()])];
const OUR_NAMES = new Set(OURS);
export const isOurs = (name: string): boolean => OUR_NAMES.has(name);
export const startsOurs = (start: string): boolean => OURS.some((name) => name.startsWith(start));

function spelled(spellings: Partial<Record<FieldKey, string>>): Map<string, FieldKey> {
  // Object.entries widens the keys it was given.
  const entries = Object.entries(spellings) as [FieldKey, string][];
  return new Map(entries.flatMap(([key, names]) => names.split(' ').map((name) => [name, key] as const)));
}
