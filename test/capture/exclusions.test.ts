import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SilenceSettings } from '../../src/capture/silence.ts';
import { readCounters } from '../../src/store/counters.ts';
import { bash, nextId, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

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
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-excluded-')));
  const tree = join(folder, 'shop');
  for (const name of ['objects', 'refs']) mkdirSync(join(tree, '.git', name), { recursive: true });
  writeFileSync(join(tree, '.git/HEAD'), 'ref: refs/heads/main\n');
  return tree;
}

const bashUse = (session: string, cwd: string, command: string) => bash(session, cwd, command, 'quiet words');
const toolUse = (session: string, cwd: string, tool: string, input: unknown, response: unknown) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: tool,
  tool_input: input,
  tool_response: response,
  tool_use_id: nextId('toolu'),
});

const texts = (db: TestStore['db']) => JSON.stringify(db.query('SELECT payload FROM events ORDER BY seq').values());
const counted = (db: TestStore['db'], reason: string) => readCounters(db)[`dropped:${reason}`] ?? 0;

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
    ['named in a command', (tree: string) => bashUse('s', tree, 'cat ./secrets/prod.env | grep "quiet words"')],
    ['named in quotes', (tree: string) => bashUse('s', tree, "cp 'secrets/my file' /tmp && echo quiet words")],
    ['the value of an option', (tree: string) => bashUse('s', tree, 'curl --data=@secrets/x -H "quiet words"')],
    ['entered', (tree: string) => bashUse('s', tree, 'cd secrets; echo quiet words')],
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
    take('save', bashUse('s', link, 'cat secrets/*'));
    expect(counted(db, 'excluded')).toBe(2);
  });

  test('is taken out of the names that a search found', () => {
    const tree = makeTree();
    const { db, take } = open({ excludePaths: ['secrets/**'] });
    take('save', toolUse('s', tree, 'Glob', { pattern: '**' }, { filenames: ['src/a.ts', `${tree}/secrets/b.ts`] }));
    expect(texts(db)).toContain('src/a.ts');
    expect(texts(db)).not.toContain('secrets/b.ts');
  });

  test('leaves everything else', () => {
    const tree = makeTree();
    const { db, take } = open({ excludePaths: ['secrets/**', 'build'] });
    take('save', read(tree, join(tree, 'src/secrets.ts')));
    take('save', bashUse('s', tree, 'npm run build'));
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
