import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  beginSilence,
  endSilences,
  findSilence,
  isSilent,
  listSilences,
  type SilenceRow,
  type SilenceSettings,
} from '../../src/capture/silence.ts';
import { identifyProject } from '../../src/git/identity.ts';
import { readCounters } from '../../src/store/counters.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { bash, nextId, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const START = Date.parse('2026-01-02T10:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number) => ({ receivedAt: START + minutes * MINUTE });

let store: TestStore | null = null;
let folder: string | null = null;
afterEach(() => {
  store?.close();
  if (folder) rmSync(folder, { recursive: true });
  store = null;
  folder = null;
});

function open(silent: Partial<SilenceSettings> = {}): TestStore {
  store = createTestStore([], silent);
  return store;
}

/** A work tree of its own, with links gone from its path. */
function makeTree(): string {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-silence-')));
  const tree = join(folder, 'shop');
  for (const name of ['objects', 'refs']) mkdirSync(join(tree, '.git', name), { recursive: true });
  writeFileSync(join(tree, '.git/HEAD'), 'ref: refs/heads/main\n');
  return tree;
}

const pause = (db: TestStore['db'], from: number, to: number | null, more: Partial<SilenceRow> = {}) =>
  beginSilence(db, {
    scope: 'everything',
    key: '',
    since: START + from * MINUTE,
    until: to === null ? null : START + to * MINUTE,
    ...more,
  });

const bashUse = (session: string, cwd: string, command: string, more = {}) => bash(session, cwd, command, '', more);
const texts = (db: TestStore['db']) =>
  db
    .query<{ payload: string }, []>('SELECT payload FROM events ORDER BY seq')
    .all()
    .map(({ payload }) => payload)
    .join('\n');
const counted = (db: TestStore['db'], reason: string) => readCounters(db)[`dropped:${reason}`] ?? 0;

describe('in a pause', () => {
  test('nothing is kept of any event, not even a session', () => {
    const { db, take } = open();
    pause(db, 0, 60);
    const [id, cwd] = [nextId('s'), '/tmp/nowhere'];
    const payloads = [
      ['context', sessionStart(id, cwd)],
      ['new', userPrompt(id, cwd, 'quiet words')],
      ['save', bashUse(id, cwd, 'echo quiet words')],
      ['save', { session_id: id, cwd, hook_event_name: 'SomethingNew', said: 'quiet words' }],
      ['summary', stop(id, cwd, 'quiet words')],
      ['cleanup', sessionEnd(id, cwd)],
    ] as const;
    for (const [command, payload] of payloads) {
      expect(take(command, payload, at(5))).toMatchObject({ known: null, happened: null });
    }
    for (const table of ['events', 'prompts', 'sessions', 'projects']) {
      expect(db.query(`SELECT * FROM ${table}`).all()).toEqual([]);
    }
    expect(counted(db, 'paused')).toBe(payloads.length);
  });

  test('what was said before it and arrives in it is kept, and what waited in the spool until after it is not', () => {
    const { db, take } = open();
    pause(db, 10, 20);
    const [id, cwd] = [nextId('s'), '/tmp/nowhere'];
    take('new', userPrompt(id, cwd, 'said before'), at(9));
    take('new', userPrompt(id, cwd, 'said within'), at(10));
    take('new', userPrompt(id, cwd, 'said at its last moment'), { receivedAt: START + 20 * MINUTE - 1 });
    take('new', userPrompt(id, cwd, 'said after'), at(20));
    expect(texts(db)).toContain('said before');
    expect(texts(db)).toContain('said after');
    expect(texts(db)).not.toMatch(/said within|last moment/);
    expect(db.query('SELECT prompt_number FROM prompts ORDER BY prompt_number').values()).toEqual([[1], [2]]);
  });

  test('a running turn loses what happens in it and keeps the rest', () => {
    const { db, take } = open();
    pause(db, 10, 20);
    const [id, cwd, prompt] = [nextId('s'), '/tmp/nowhere', { prompt_id: nextId('p') }];
    take('new', userPrompt(id, cwd, 'the question', prompt), at(9));
    take('save', bashUse(id, cwd, 'echo hidden', prompt), at(15));
    take('save', bashUse(id, cwd, 'echo shown', prompt), at(21));
    expect(texts(db)).toContain('echo shown');
    expect(texts(db)).not.toContain('echo hidden');
  });

  test('tools of a prompt that was said in it are kept once it is over', () => {
    const { db, take } = open();
    pause(db, 0, 10);
    const [id, cwd, prompt] = [nextId('s'), '/tmp/nowhere', { prompt_id: nextId('p') }];
    take('new', userPrompt(id, cwd, 'said within', prompt), at(5));
    take('save', bashUse(id, cwd, 'echo later', prompt), at(11));
    expect(texts(db)).toContain('echo later');
    expect(db.query('SELECT * FROM prompts').all()).toEqual([]);
  });

  test('the summary of a compaction after it says nothing, for it is about all of the session', () => {
    const { db, take } = open();
    pause(db, 0, 10);
    const cwd = '/tmp/nowhere';
    const compact = (id: string) => ({ session_id: id, cwd, hook_event_name: 'PostCompact', compact_summary: `all of ${id}` });
    const [silenced, other] = [nextId('s'), nextId('s')];
    take('new', userPrompt(silenced, cwd, 'said within'), at(5));
    take('save', compact(silenced), at(11));
    take('save', compact(other), at(11));
    expect(texts(db)).toContain(`all of ${other}`);
    expect(texts(db)).not.toContain(`all of ${silenced}`);
  });

  test.each([
    ['a project', (key: string) => ({ scope: 'project', key }) as const, false, true],
    ['a session', () => ({ scope: 'session', key: 'one' }) as const, true, false],
  ])('of %s the others go on', (_, whose, keepsOther, keepsElsewhere) => {
    const { db, take } = open();
    const tree = makeTree();
    pause(db, 0, null, whose(identifyProject(tree).key));
    take('new', userPrompt('one', tree, 'silenced'), at(5));
    take('new', userPrompt('two', tree, 'another session there'), at(5));
    take('new', userPrompt('three', '/tmp/nowhere', 'another project'), at(5));
    expect(texts(db).includes('silenced')).toBe(false);
    expect(texts(db).includes('another session there')).toBe(keepsOther);
    expect(texts(db).includes('another project')).toBe(true);
    expect(counted(db, 'paused')).toBe(keepsElsewhere ? 2 : 1);
  });

  test('a session that goes into a paused project is silent there', () => {
    const { db, take } = open();
    const tree = makeTree();
    pause(db, 0, null, { scope: 'project', key: identifyProject(tree).key });
    const id = nextId('s');
    take('new', userPrompt(id, '/tmp/nowhere', 'outside'), at(1));
    take('save', bashUse(id, tree, 'echo inside'), at(2));
    take('save', bashUse(id, '/tmp/nowhere', 'echo outside again'), at(3));
    expect(texts(db)).not.toContain('echo inside');
    expect(texts(db)).toContain('echo outside again');
  });
});

describe('pauses that overlap', () => {
  const place = { session: 's', cwd: '/tmp/x', project: { key: '/tmp/x', name: 'x', root: '/tmp/x' } };
  const silentAt = (minutes: number) => isSilent((store ?? open()).db, CAPTURE_ALL, { ...place, at: START + minutes * MINUTE });

  test('hold as long as one of them does, and the longest is told', () => {
    const { db } = open();
    pause(db, 0, 60);
    pause(db, 5, 15);
    pause(db, 50, 70);
    expect([0, 14, 16, 59, 69].map(silentAt)).toEqual([true, true, true, true, true]);
    expect([-1, 70].map(silentAt)).toEqual([false, false]);
    expect(findSilence(db, CAPTURE_ALL, { ...place, at: START + 10 * MINUTE })?.until).toBe(START + 60 * MINUTE);
    expect(listSilences(db, CAPTURE_ALL, START + 10 * MINUTE)).toHaveLength(1);
  });

  test('end together, but not those of something else', () => {
    const { db } = open();
    pause(db, 0, null);
    pause(db, 1, 60);
    pause(db, 1, null, { scope: 'project', key: '/tmp/x' });
    expect(endSilences(db, START + 5 * MINUTE, { scope: 'everything', key: '' })).toBe(2);
    expect(silentAt(4)).toBe(true);
    expect(silentAt(6)).toBe(true);
    expect(listSilences(db, CAPTURE_ALL, START + 6 * MINUTE)).toMatchObject([{ scope: 'project', name: 'x' }]);
    expect(endSilences(db, START + 7 * MINUTE)).toBe(1);
    expect([4, 6, 7].map(silentAt)).toEqual([true, true, false]);
  });
});

describe('a project that is off', () => {
  test('is like a pause without an end, by its name, key or root', () => {
    const tree = makeTree();
    for (const label of ['shop', identifyProject(tree).key, tree]) {
      const { db, take } = open({ projects: { [label]: { off: true } } });
      take('new', userPrompt('one', tree, 'silenced'), at(5));
      take('new', userPrompt('two', '/tmp/nowhere', 'kept'), at(5));
      expect(texts(db)).not.toContain('silenced');
      expect(texts(db)).toContain('kept');
      expect(counted(db, 'off')).toBe(1);
      store?.close();
      store = null;
    }
  });

  test('by the root of its repository is off in the other work trees, too', () => {
    const tree = makeTree();
    const other = join(folder ?? '', 'shop-feature');
    const gitDir = join(tree, '.git/worktrees/shop-feature');
    for (const made of [other, gitDir]) mkdirSync(made, { recursive: true });
    writeFileSync(join(tree, '.git/config'), '[remote "origin"]\n  url = https://github.com/Dev/Shop.git\n');
    writeFileSync(join(other, '.git'), `gitdir: ${gitDir}\n`);
    writeFileSync(join(gitDir, 'commondir'), '../..\n');
    writeFileSync(join(gitDir, 'gitdir'), `${join(other, '.git')}\n`);
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/feature\n');
    const { db, take } = open({ projects: { [tree]: { off: true } } });
    take('new', userPrompt('one', other, 'silenced'), at(5));
    expect(texts(db)).toBe('');
    expect(counted(db, 'off')).toBe(1);
  });

  test('may be all of them but one', () => {
    const tree = makeTree();
    const { db, take } = open({ off: true, projects: { shop: { off: false } } });
    take('new', userPrompt('one', tree, 'kept'), at(5));
    take('new', userPrompt('two', '/tmp/nowhere', 'silenced'), at(5));
    expect(texts(db)).toContain('kept');
    expect(texts(db)).not.toContain('silenced');
  });

  test('has tools of its own that make no observation', () => {
    const tree = makeTree();
    const { db, take } = open({ projects: { shop: { skipTools: ['Bash'] } } } as Partial<SilenceSettings>);
    take('save', bashUse('one', tree, 'ls'), at(1));
    take('save', bashUse('two', '/tmp/nowhere', 'ls'), at(1));
    expect(db.query('SELECT status FROM events ORDER BY seq').values()).toEqual([['skipped'], ['pending']]);
  });
});

test('while it is in doubt what is to be silent, everything is, whatever is said of a project', () => {
  const tree = makeTree();
  const { db, take } = open({ doubt: 'config.json cannot be read', projects: { shop: { off: false } } });
  take('new', userPrompt('one', tree, 'silenced'), at(5));
  for (const table of ['events', 'sessions']) expect(db.query(`SELECT * FROM ${table}`).all()).toEqual([]);
  expect(listSilences(db, { ...CAPTURE_ALL, doubt: 'why' }, START)).toMatchObject([{ kind: 'off', scope: 'everything', reason: 'why' }]);
});

const quietUse = (session: string, cwd: string, command: string) => bash(session, cwd, command, 'quiet words');
const toolUse = (session: string, cwd: string, tool: string, input: unknown, response: unknown) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: tool,
  tool_input: input,
  tool_response: response,
  tool_use_id: nextId('toolu'),
});

describe('an excluded path', () => {
  const read = (tree: string, file: string) =>
    toolUse('s', tree, 'Read', { file_path: file }, { file: { filePath: file, content: 'quiet words' } });
  const edit = (tree: string, file: string) =>
    toolUse('s', tree, 'Edit', { file_path: file, old_string: 'a', new_string: 'quiet words' }, { filePath: file });

  test.each([
    ['read', (tree: string) => read(tree, join(tree, 'secrets/prod.env'))],
    ['edited', (tree: string) => edit(tree, join(tree, 'keys/site.pem'))],
    ['reached by dots', (tree: string) => read(tree, join(tree, 'src/../secrets/x'))],
    ['reached by a link', (tree: string) => read(tree, join(tree, 'link/x'))],
    ['searched', (tree: string) => toolUse('s', tree, 'Grep', { pattern: 'quiet words', path: 'secrets' }, {})],
    ['named in a command', (tree: string) => quietUse('s', tree, 'cat ./secrets/prod.env | grep "quiet words"')],
    ['named in quotes', (tree: string) => quietUse('s', tree, "cp 'secrets/my file' /tmp && echo quiet words")],
    ['the value of an option', (tree: string) => quietUse('s', tree, 'curl --data=@secrets/x -H "quiet words"')],
    ['entered', (tree: string) => quietUse('s', tree, 'cd secrets; echo quiet words')],
    ['given to another tool', (tree: string) => toolUse('s', tree, 'mcp__fs__get', { at: { path: 'a.pem' } }, 'quiet words')],
    ['the folder of the session', (tree: string) => userPrompt('s', join(tree, 'secrets'), 'quiet words')],
  ])('is left out when it is %s', (_, makePayload) => {
    const tree = makeTree();
    mkdirSync(join(tree, 'secrets'));
    symlinkSync(join(tree, 'secrets'), join(tree, 'link'));
    const { db, take } = open({ excludePaths: ['secrets/**', '*.pem'] });
    take('save', { ...makePayload(tree) });
    expect(texts(db)).not.toContain('quiet words');
    expect(counted(db, 'excluded')).toBe(1);
  });

  test('is known when the work tree itself is reached by a link', () => {
    const tree = makeTree();
    mkdirSync(join(tree, 'secrets'));
    const link = join(tree, '../link');
    symlinkSync(tree, link);
    const { db, take } = open({ excludePaths: ['secrets/**'] });
    take('save', read(link, join(link, 'secrets/x')));
    take('save', quietUse('s', link, 'cat secrets/*'));
    expect(counted(db, 'excluded')).toBe(2);
  });

  test('is taken out of the names that a search found', () => {
    const tree = makeTree();
    const { db, take } = open({ excludePaths: ['secrets/**'] });
    take('save', toolUse('s', tree, 'Glob', { pattern: '**' }, { filenames: ['src/a.ts', `${tree}/secrets/b.ts`] }));
    expect(texts(db)).toContain('src/a.ts');
    expect(texts(db)).not.toContain('secrets/b.ts');
  });

  test('is not kept in fields that nobody knows yet either', () => {
    const tree = makeTree();
    const { db, take } = open({ excludePaths: ['secrets/**'] });
    take('summary', { ...stop('s', tree, 'Done.'), added_later: { touched: [`${tree}/secrets/b.ts`] } });
    expect(texts(db)).toContain('Done.');
    expect(texts(db)).not.toContain('secrets/b.ts');
  });

  test('leaves everything else', () => {
    const tree = makeTree();
    const { db, take } = open({ excludePaths: ['secrets/**', 'build'] });
    take('save', read(tree, join(tree, 'src/secrets.ts')));
    take('save', quietUse('s', tree, 'npm run build'));
    take('new', userPrompt('s', tree, 'read secrets/prod.env'));
    expect(db.query('SELECT 1 FROM events').all()).toHaveLength(3);
    expect(counted(db, 'excluded')).toBe(0);
  });

  test('may be one of a single project', () => {
    const tree = makeTree();
    const { db, take } = open({ projects: { shop: { excludePaths: ['secrets/**'] } } });
    take('save', read(tree, join(tree, 'secrets/x')));
    take('save', toolUse('t', '/tmp/nowhere', 'Read', { file_path: '/tmp/nowhere/secrets/x' }, {}));
    expect(db.query('SELECT 1 FROM events').all()).toHaveLength(1);
  });
});
