import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFreshness } from '../../src/context/freshness.ts';
import type { Action } from '../../src/core/event.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { readBranch } from '../../src/git/identity.ts';
import { spellEvent } from '../../src/git/work-file.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { loadMode } from '../../src/model/instructions.ts';
import { summariseBatch } from '../../src/model/summarise.ts';
import { readEvidence } from '../../src/observe/evidence.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { EMPTY_OBSERVATION, openShelf } from '../support/memories.ts';
import { edit, nextId, stop, userPrompt } from '../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const FILE = 'src/retry.ts';
const OLD = 'export function retryCap() { return 3; }';
const NEW = 'export function retryCap() { return 7; }';
const REST = 'export const other = 1;\n';
const REWRITTEN = 'export async function capOf(run: Run) { return run.cap; }\n';

let repository: TestRepository;
let store: TestStore;
let deadlineMs: number;
beforeEach(() => {
  repository = createTestRepository();
  store = createTestStore();
  deadlineMs = 5000;
  repository.write(FILE, `${OLD}\n${REST}`);
  repository.commit('begin');
});
afterEach(() => {
  store.close();
  repository.close();
});

/** One turn, from the hooks to the store; each payload is one tool that was used in it. */
function remember(makeTools: (session: string) => object[], cwd = repository.root): void {
  const session = nextId('session');
  store.take('new', userPrompt(session, cwd, 'Raise the retry cap'));
  for (const tool of makeTools(session)) store.take('save', tool);
  const taken = store.take('summary', stop(session, cwd, 'Raised the cap.'));
  const deps = { observe: observeBatch, isForModel: () => false, readEvidence, clock: Date.now };
  processTurn(store.db, taken.happened?.session.id ?? 0, deps);
}

const editOf =
  (lines: string[], file = FILE, cwd = repository.root) =>
  (session: string): object[] => [edit(session, cwd, file, lines)];

function rememberRaise(): void {
  repository.write(FILE, `${NEW}\n${REST}`);
  remember(editOf([`-${OLD}`, `+${NEW}`]));
}

type Row = { id: number; at: number; branch: string | null };

async function check() {
  const { root } = repository;
  const rows = store.db.query<Row, []>('SELECT id, created_at_epoch AS at, branch FROM observations ORDER BY id').all();
  return createFreshness({ db: store.db, deadlineMs }).check(rows, { root, branch: readBranch(root) });
}

async function expectWord(word: string): Promise<void> {
  expect([...new Set(Array.from((await check()).values(), (one) => one.word))]).toEqual([word as 'fresh']);
}

describe('a memory of a change', () => {
  beforeEach(() => {
    rememberRaise();
    repository.commit('raise');
  });
  const rewrite = () => repository.write(FILE, REWRITTEN);
  const undo = () => repository.write(FILE, `${OLD}\n${REST}`);

  test.each<[string, string, () => void]>([
    ['fresh', 'while its file is untouched', () => repository.write('README.md', 'x\n')],
    ['fresh', 'when the file was changed elsewhere', () => repository.write(FILE, `// a word\n${NEW}\n`)],
    ['fresh', 'when its lines were only indented', () => repository.write(FILE, `    ${NEW}\n${REST}`)],
    ['fresh', 'when its line ends were converted', () => repository.write(FILE, `${NEW}\n${REST}`.replaceAll('\n', '\r\n'))],
    ['changed', 'when its lines were rewritten', rewrite],
    ['gone', 'when the file was deleted', () => repository.remove(FILE)],
    ['reverted', 'when it was undone', undo],
    ['reverted', 'when it was undone and the file went on', () => repository.write(FILE, `// more\n${OLD}\n`)],
  ])('is %s %s, committed or not, and without git', async (word, _, change) => {
    change();
    await expectWord(word);
    repository.git('add', '-A');
    repository.git('commit', '-q', '--allow-empty', '-m', 'later');
    await expectWord(word);
    renameSync(join(repository.root, '.git'), join(repository.root, 'no-git'));
    await expectWord(word);
  });

  test('is fresh without a word from git, which is asked only about what is not there', async () => {
    deadlineMs = 0;
    await expectWord('fresh');
    undo();
    await expectWord('reverted');
    repository.remove(FILE);
    await expectWord('changed');
  });

  test('follows its file to its new name, staged or committed, and again', async () => {
    const expectName = async (word: string, to: string) =>
      expect([...(await check()).values()]).toMatchObject([{ word, renamed: [{ from: FILE, to }] }]);
    repository.git('mv', FILE, 'src/again.ts');
    await expectName('fresh', 'src/again.ts');
    repository.commit('move');
    await expectName('fresh', 'src/again.ts');
    repository.git('mv', 'src/again.ts', 'retry.ts');
    repository.commit('move again');
    await expectName('fresh', 'retry.ts');
    repository.write('retry.ts', REWRITTEN);
    await expectName('changed', 'retry.ts');
    repository.remove('retry.ts');
    repository.commit('away');
    await expectWord('gone');
  });
});

describe('a memory of another branch', () => {
  beforeEach(() => {
    repository.git('checkout', '-q', '-b', 'feature/retry');
    rememberRaise();
    repository.commit('raise');
    repository.git('checkout', '-q', 'main');
  });

  test('is elsewhere until that is merged, whatever this one does to the file', async () => {
    await expectWord('elsewhere');
    repository.git('pack-refs', '--all');
    repository.write(FILE, REWRITTEN);
    await expectWord('elsewhere');
    repository.remove(FILE);
    await expectWord('elsewhere');
    repository.git('checkout', '-q', '--', FILE);
    repository.git('merge', '-q', '--no-edit', 'feature/retry');
    await expectWord('fresh');
    repository.write(FILE, `${OLD}\n${REST}`);
    await expectWord('reverted');
  });

  test('is judged by the code alone when its branch is deleted', async () => {
    repository.git('branch', '-q', '-D', 'feature/retry');
    await expectWord('reverted');
  });

  test('is fresh when it was squashed, though its branch is there', async () => {
    repository.git('merge', '-q', '--squash', 'feature/retry');
    repository.commit('squash');
    await expectWord('fresh');
  });
});

describe('never fresh is', () => {
  test('a long file with one other line', async () => {
    const long = Array.from({ length: 200 }, (_, at) => `export const value_${at} = compute_${at}(${at});`);
    const added = long.map((line) => `+${line}`);
    repository.write('src/long.ts', long.join('\n'));
    remember(editOf(added, 'src/long.ts'));
    await expectWord('fresh');
    repository.write('src/long.ts', long.with(1, 'export const value_1 = 999999;').join('\n'));
    await expectWord('changed');
  });

  test('an edit that was undone before it was remembered, until it is made again', async () => {
    remember(editOf([`-${OLD}`, `+${NEW}`]));
    await expectWord('reverted');
    repository.write(FILE, REWRITTEN);
    await expectWord('unverified');
    repository.remove(FILE);
    await expectWord('gone');
    repository.write(FILE, `${NEW}\n`);
    await expectWord('fresh');
  });

  test('a short line that was put back beside one that was kept', async () => {
    repository.write(FILE, 'a = 7\nexport const limiter = makeLimiter();\n');
    remember(editOf(['-a = 3', '+a = 7', '+export const limiter = makeLimiter();']));
    repository.write(FILE, 'a = 3\nexport const limiter = makeLimiter();\n');
    await expectWord('changed');
  });
});

test('an edit of which the host told a part of a line is fresh', async () => {
  repository.write(FILE, `${NEW}\n${REST}`);
  remember(editOf(['-return 3', '+return 7']));
  await expectWord('fresh');
});

test('a memory that does not say how its file was is unverified while that is there, and gone when a commit took it away', async () => {
  openShelf(store.db, repository.root, 'imported').observe('retry waits', Date.now(), { filesModified: [FILE] });
  await expectWord('unverified');
  repository.remove(FILE);
  repository.commit('away');
  await expectWord('gone');
});

test('a file of a submodule that is not there under its name is unverified', async () => {
  const inner = createTestRepository();
  inner.write('lib.ts', `${OLD}\n`);
  inner.commit('lib');
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
  repository.commit('submodule');
  repository.write('lib/lib.ts', `${NEW}\n`);
  remember(editOf([`-${OLD}`, `+${NEW}`], 'lib/lib.ts'));
  await expectWord('fresh');
  repository.git('-C', 'lib', 'mv', 'lib.ts', 'moved.ts');
  await expectWord('unverified');
  repository.git('submodule', '--quiet', 'deinit', '-f', 'lib');
  await expectWord('unverified');
  inner.close();
});

describe('a memory of several files', () => {
  const NAMES = ['a.ts', 'b.ts', 'c.ts'];

  /** What each file is changed to; null deletes it. */
  async function judge(files: Record<string, string | null>, draft: Partial<ObservationDraft>): Promise<void> {
    for (const name of NAMES) repository.write(name, `export const ${name[0]} = 'as it is';\n`);
    const { root } = repository;
    const { sessionId, projectId } = openShelf(store.db, root, 'several');
    const whole = { ...EMPTY_OBSERVATION, title: 'several', at: Date.now(), ...draft };
    const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
    insertObservation(store.db, owner, whole, readEvidence(whole, { root, events: [] }));
    for (const [name, text] of Object.entries(files)) {
      if (text === null) repository.remove(name);
      else repository.write(name, text);
    }
  }
  const all = { filesModified: NAMES };

  test.each<[string, Record<string, string | null>, Partial<ObservationDraft>, string]>([
    ['one rewritten', { 'a.ts': 'other();' }, all, 'changed'],
    ['one gone', { 'a.ts': null }, all, 'changed'],
    ['all gone', { 'a.ts': null, 'b.ts': null, 'c.ts': null }, all, 'gone'],
    ['only what was read is rewritten', { 'b.ts': 'x();' }, { filesModified: ['a.ts'], filesRead: ['b.ts'] }, 'fresh'],
    ['nothing was changed, what was read is rewritten', { 'b.ts': 'x();' }, { filesRead: ['b.ts'] }, 'changed'],
    ['outside', {}, { filesModified: ['/etc/hosts', '../x.ts'] }, 'uncited'],
    ['a folder', {}, { filesRead: ['.'] }, 'uncited'],
    ['a name that none can have', {}, { filesRead: ['a\0b', ''] }, 'uncited'],
  ])('%s', async (_, files, draft, word) => {
    await judge(files, draft);
    await expectWord(word);
  });
});

describe('a project that is reached through a link', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-link-')));
    symlinkSync(repository.root, join(folder, 'link'));
    symlinkSync(join(repository.root, 'src'), join(folder, 'src-link'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const listFiles = () => store.db.query<{ path: string }, []>('SELECT DISTINCT path FROM citations').all();

  test.each([
    ['to its root', 'link', FILE],
    ['on the way to a folder of it', 'link/src', 'retry.ts'],
    ['to a folder of it', 'src-link', 'retry.ts'],
  ])('%s keeps its files', async (_, link, file) => {
    const cwd = join(folder, link);
    repository.write(FILE, `${NEW}\n${REST}`);
    remember(editOf([`-${OLD}`, `+${NEW}`], file, cwd), cwd);
    expect(listFiles()).toEqual([{ path: FILE }]);
    await expectWord('fresh');
  });

  test('has its commands and searches spelled from the root, and nothing else in them', () => {
    const cwd = join(folder, 'link');
    const spell = (action: Action) => {
      const place = { session: 's', cwd, at: 1, promptId: null, agentId: null, id: 'e' };
      const used = { kind: 'tool' as const, tool: 'Tool', toolUseId: null, error: null, durationMs: null };
      return spellEvent({ ...place, ...used, action }, repository.root);
    };
    const output = { description: null, stdout: '', stderr: '', exitCode: 0, background: false };
    const command = `rm "${cwd}/a.ts" /backup${cwd}/a.ts b.ts`;
    expect(spell({ type: 'command', command, ...output })).toMatchObject({
      cwd: repository.root,
      action: { command: `rm "${repository.root}/a.ts" /backup${cwd}/a.ts b.ts` },
    });
    const files = [join(cwd, FILE), '/etc/hosts', 'b.ts'];
    expect(spell({ type: 'search', query: 'x', path: cwd, files, matches: 3 }).action).toMatchObject({
      path: repository.root,
      files: [join(repository.root, FILE), '/etc/hosts', 'b.ts'],
    });
  });
});

const ANSWER = `<observation><type>bugfix</type><title>Cart total is rounded</title><narrative>The total had too many decimals.</narrative>
<files_modified>src/cart.ts</files_modified><sources>2</sources></observation>`;
const ignore = () => undefined;

const answerLate = () =>
  summariseBatch(
    {
      db: store.db,
      access: {
        id: 'a',
        provider: 'fake',
        model: 'fake-1',
        ask: async () => ({ text: ANSWER, isCutOff: false, usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 } }),
      },
      prompt: { mode: loadMode('code', null), verbosity: 'normal', language: null },
      budget: { dailyTokens: 200_000, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 },
      answerMs: 1000,
      retryMs: 1000,
      observe: observeBatch,
      readEvidence,
      isWanted: () => true,
      clock: Date.now,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      signal: new AbortController().signal,
    },
    1,
  );

test('a model that answers late tells of the files as they were after the turn', async () => {
  const { root } = repository;
  const [before, after] = ['  return sum * rate;\n', '  return Math.round(sum * rate);\n'];
  repository.write('src/cart.ts', before);
  const head = repository.commit('begin');
  repository.write('src/cart.ts', after);
  const blob = repository.git('hash-object', 'src/cart.ts');
  store.take('new', userPrompt('s', root, 'The total has too many decimals. Fix it.'));
  store.take('save', edit('s', root, 'src/cart.ts', [`-${before.trimEnd()}`, `+${after.trimEnd()}`]));
  store.take('summary', stop('s', root, 'Fixed the rounding of the total.'));
  processTurn(store.db, 1, { observe: observeBatch, isForModel: () => true, readEvidence, clock: Date.now });
  repository.write('src/cart.ts', before);
  repository.git('checkout', '-q', '-b', 'other');
  repository.git('commit', '-q', '--allow-empty', '-m', 'other');

  await answerLate();
  const rows = store.db
    .query<{ id: number; at: number; head: string; branch: string; title: string }, []>(
      "SELECT id, created_at_epoch AS at, head, branch, title FROM observations WHERE type = 'bugfix'",
    )
    .all();
  expect(rows).toMatchObject([{ title: 'Cart total is rounded', head, branch: 'main' }]);
  expect(store.db.query('SELECT path, blob FROM citations WHERE observation_id = ?').all(rows[0]?.id ?? 0)).toEqual([
    { path: 'src/cart.ts', blob },
  ]);
  repository.git('checkout', '-q', 'main');
  const found = await createFreshness({ db: store.db, deadlineMs: 5000 }).check(rows, { root, branch: 'main' });
  expect([...found.values()]).toMatchObject([{ word: 'reverted' }]);
});
