// Which steps the events of a turn become.
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import type { Action, EventBody, SessionEvent } from '../../src/core/event.ts';
import { buildRecord } from '../../src/turns/build.ts';
import { fitRecord, isUntrustedAt, readRecord, type Step, writeRecord } from '../../src/turns/record.ts';
import { readTranscript } from '../support/transcript.ts';

const ROOT = '/home/dev/shop';
let count = 0;
const event = (body: EventBody, more: Partial<SessionEvent> = {}): SessionEvent =>
  ({ id: `e${++count}`, session: 's', cwd: ROOT, at: count, promptId: 'p', agentId: null, ...body, ...more }) as SessionEvent;
const tool = (action: Action, more: object = {}): SessionEvent =>
  event({ kind: 'tool', tool: 'T', toolUseId: `t${count}`, action, error: null, durationMs: null, ...more });
const said = (text: string) => event({ kind: 'said', text });
const ran = (command: string, stdout: string, more: object = {}) =>
  tool({ type: 'command', command, description: null, stdout, stderr: '', exitCode: 0, background: false }, more);
const edited = (file: string, oldStart: number, ...lines: string[]) =>
  tool({ type: 'edit', file: `${ROOT}/${file}`, created: false, hunks: [{ oldStart, newStart: oldStart, lines }] });
const stepsOf = (...events: SessionEvent[]) => buildRecord(events, ROOT).steps;

test('what was said at an end after which the turn went on stands where it was said', () => {
  const stop = (message: string) => event({ kind: 'stop', message });
  const record = buildRecord([stop('The export is fixed: #186.'), ran('bun test', '3 pass'), stop('The explorer found the same.')], ROOT);
  expect(record.steps.map(({ kind }) => kind)).toEqual(['said', 'ran']);
  expect(record).toMatchObject({ steps: [{ text: 'The export is fixed: #186.' }, {}], closing: 'The explorer found the same.' });
});

test('where words came from is kept of subagents and of repositories of others, too', () => {
  const look = (action: Action, more: object) => stepsOf(tool(action, more));
  const read: Action = { type: 'read', file: '/home/dev/vendor/README.md' } as Action;
  expect(look({ type: 'web', target: 'https://zephyr.example', text: 'x' }, { agentId: 'a1' })).toEqual([
    { kind: 'web', source: 'https://zephyr.example' },
  ]);
  expect(look(read, { agentId: 'a1' })).toEqual([]);
  const [step, ...rest] = [...look(read, { isForeign: true }), { kind: 'said' as const, text: 'It says so.' }];
  expect(step).toEqual({ kind: 'read', file: '/home/dev/vendor/README.md', isForeign: true });
  expect(isUntrustedAt([step as Step, ...rest], 1)).toBe(true);
});

test('what was said stands between what was done before and after it', () => {
  const record = buildRecord(
    [
      event({ kind: 'prompt', text: 'Why is the clock off?' }),
      said('I look at the test.\n'),
      ran('bun test', '3 pass'),
      said('   '),
      said('The cause is the time zone.'),
      edited('src/clock.ts', 3, '-a', '+b'),
      event({ kind: 'stop', message: ' Fixed. \n' }),
    ],
    ROOT,
  );
  expect(record).toEqual({
    steps: [
      { kind: 'said', text: 'I look at the test.' },
      { kind: 'ran', command: 'bun test', isOk: true, output: '3 pass' },
      { kind: 'said', text: 'The cause is the time zone.' },
      { kind: 'edited', file: 'src/clock.ts', isNew: false, added: 1, removed: 1, diff: '@@ 3\n-a\n+b' },
    ],
    closing: 'Fixed.',
  });
});

test('the last edit of each file holds what the turn did to it', () => {
  const steps = stepsOf(edited('a.ts', 1, '-one', '+1'), edited('b.ts', 1, '-x', '+y'), edited('a.ts', 1, '-1', '+one', '+two'));
  expect(steps).toMatchObject([
    { file: 'a.ts', diff: '', added: 1, removed: 1 },
    { file: 'b.ts', diff: '@@ 1\n-x\n+y' },
    { file: 'a.ts', diff: '@@ 2\n+two', added: 2, removed: 1 },
  ]);
});

describe('a command', () => {
  test('that failed says so, with what it printed', () => {
    expect(stepsOf(ran('bun test', '', { error: 'Exit code 1\nexpected 3' }))).toEqual([
      { kind: 'ran', command: 'bun test', isOk: false, output: 'Exit code 1\nexpected 3' },
    ]);
  });

  test('in the background has no result yet', () => {
    const action: Action = { type: 'command', command: 'serve', description: null, stdout: '', stderr: '', exitCode: 0, background: true };
    expect(stepsOf(tool(action))).toMatchObject([{ kind: 'ran', isOk: null }]);
  });

  test('that commits names each commit; one that only speaks of commits names none', () => {
    const printed = '[main 4f1c2d9] Keep umlauts\n 1 file changed';
    expect(stepsOf(ran('git add -A && git commit -m x', printed))).toMatchObject([
      { kind: 'ran' },
      { kind: 'committed', hash: '4f1c2d9', message: 'Keep umlauts' },
    ]);
    expect(stepsOf(ran('git log --oneline', printed))).toHaveLength(1);
    expect(stepsOf(ran('git commit -m x', printed, { error: 'Exit code 1' }))).toHaveLength(1);
  });
});

describe('what the user refused', () => {
  const no = { isUndone: true, error: 'It was not allowed. The user said: Never touch the lock file.' };

  test('is told with their words', () => {
    expect(stepsOf(ran('rm bun.lock', '', no), tool({ type: 'plan', text: 'Rewrite all.' }, no))).toEqual([
      { kind: 'refused', tool: 'T', what: 'rm bun.lock', feedback: 'Never touch the lock file.' },
      { kind: 'planned', text: 'Rewrite all.', isApproved: false, feedback: 'Never touch the lock file.' },
    ]);
  });

  test('is not what only ran into the end of the session', () => {
    expect(stepsOf(ran('serve', '', { isUndone: true, error: 'It has no result.' }))).toEqual([]);
  });
});

describe('not in it is', () => {
  test('what a page, a foreign tool or a file says: only where that is', () => {
    const steps = stepsOf(
      tool({ type: 'web', target: 'https://example.org/a', text: 'zorbliquent' }),
      tool({ type: 'other', input: { q: 'zorbliquent' }, output: 'zorbliquent' }, { tool: 'mcp__wiki__find' }),
      tool({ type: 'read', file: `${ROOT}/a.ts`, content: 'zorbliquent' }),
    );
    expect(steps).toEqual([
      { kind: 'web', source: 'https://example.org/a' },
      { kind: 'mcp', source: 'mcp__wiki__find' },
      { kind: 'read', file: 'a.ts' },
    ]);
  });

  test('what the memory told', () => {
    expect(stepsOf(tool({ type: 'memory' }), said('I remember now.'))).toEqual([{ kind: 'said', text: 'I remember now.' }]);
  });

  test('how another agent looked around: its deeds and its report are', () => {
    const agentId = 'a1';
    const report = 'It is in cardamom.';
    const steps = stepsOf(
      tool({ type: 'read', file: `${ROOT}/a.ts`, content: '' }, { agentId }),
      tool({ type: 'search', query: 'x', path: null, files: [], matches: 0 }, { agentId }),
      ran('make', 'ok', { agentId }),
      event({ kind: 'subagent', agentType: 'general-purpose', message: report }, { agentId }),
      tool({ type: 'agent', agentId, description: 'find it', prompt: 'Where is it?', result: report }),
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['ran', 'agent']);
    expect(steps[1]).toMatchObject({ report });
  });

  test('a look at the same file twice, nor every state of a list', () => {
    const read = () => tool({ type: 'read', file: `${ROOT}/a.ts`, content: '' });
    const todo = (status: 'pending' | 'completed') => tool({ type: 'todos', items: [{ text: 'Test it', status }] });
    expect(stepsOf(read(), read(), todo('pending'), todo('completed'), said('x'), todo('completed'))).toEqual([
      { kind: 'read', file: 'a.ts' },
      { kind: 'todo', items: [{ text: 'Test it', status: 'completed' }] },
      { kind: 'said', text: 'x' },
      { kind: 'todo', items: [{ text: 'Test it', status: 'completed' }] },
    ]);
  });
});

test('tasks that are told one at a time are a list', () => {
  const task = (id: string, text: string | null, status: 'pending' | 'completed') => tool({ type: 'task', id, text, status });
  expect(stepsOf(task('1', 'Look', 'pending'), task('2', 'Fix', 'pending'), task('1', null, 'completed'))).toEqual([
    {
      kind: 'todo',
      items: [
        { text: 'Look', status: 'completed' },
        { text: 'Fix', status: 'pending' },
      ],
    },
  ]);
});

/** Real sessions, where they are at hand. */
const SAMPLES = join(import.meta.dir, '../../../shared/samples');
const FILES = ['real-transcripts', 'claude-code', 'sessions']
  .map((folder) => join(SAMPLES, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
  .filter((path) => path.endsWith('.jsonl') && claudeCode.describeFile(path)?.agent === null);

describe.skipIf(FILES.length === 0).each(FILES)('%s', (path) => {
  const turns = Map.groupBy(readTranscript(claudeCode, { path, body: readFileSync(path, 'utf8') }).events, ({ promptId }) => promptId);

  test('every record comes back from its text, within its size', () => {
    for (const events of turns.values()) {
      const record = fitRecord(buildRecord(events, events[0]?.cwd ?? ''));
      const text = writeRecord(record);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
      expect(writeRecord(readRecord(text))).toBe(text);
    }
  });

  test('every word that was said is in one', () => {
    const records = [...turns.values()].map((events) => JSON.stringify(buildRecord(events, '')));
    const words = [...turns.values()].flat().flatMap((one) => (one.kind === 'said' ? [one.text.trim()] : []));
    for (const text of words) expect(records.some((record) => record.includes(JSON.stringify(text).slice(1, -1)))).toBe(true);
  });
});
