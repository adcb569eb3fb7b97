// Memories for tests of what shows them.
import type { Memory, MemoryRow, ReplacedBy } from '../../src/core/shapes/memory.ts';

/** In local time: what is shown does not depend on where the test runs. */
export const AT = new Date(2026, 0, 2, 10, 30).getTime();

/** For certain, by nobody in particular. */
export const REPLACED: ReplacedBy = { id: '9', isCertain: true, why: 'value changed', words: null, at: AT, session: null };

export const makeRow = (id: string, more: Partial<MemoryRow> = {}): MemoryRow => ({
  id,
  kind: 'observation',
  type: 'bugfix',
  title: `Fix number ${id}`,
  at: AT,
  project: 'shop',
  session: 'session-1',
  file: 'src/range.ts',
  tokens: 40,
  outcome: 'passed',
  isFromOutside: false,
  replacedBy: null,
  ...more,
});

export const makeMemory = (id: string, more: Partial<Memory> = {}): Memory => ({
  ...makeRow(id),
  subtitle: 'Ends are exclusive',
  narrative: 'The last element was left out.',
  facts: ['Ranges end before their end'],
  concepts: ['ranges'],
  filesRead: ['src/slice.ts'],
  filesModified: ['src/range.ts'],
  branch: 'main',
  promptNumber: 2,
  summary: null,
  text: null,
  turn: null,
  record: null,
  ...more,
});
