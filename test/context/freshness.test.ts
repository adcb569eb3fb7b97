import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createFreshness, type FreshnessChecker } from '../../src/context/freshness.ts';
import type { SessionEvent } from '../../src/core/event.ts';
import { formatFreshness } from '../../src/core/freshness.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { readBranch } from '../../src/git/identity.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { distilTurn } from '../../src/observer/distil-turn.ts';
import { insertObservation } from '../../src/store/memories/observations.ts';
import { readEvidence } from '../../src/worker/observing/read-evidence.ts';
import { EMPTY_OBSERVATION, openShelf } from '../support/memories.ts';
import { nextId, stop, userPrompt } from '../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let repository: TestRepository;
let store: TestStore;
let freshness: FreshnessChecker;

beforeEach(() => {
  repository = createTestRepository();
  store = createTestStore();
  freshness = createFreshness({ db: store.db, deadlineMs: 5000 });
});
afterEach(() => {
  store.close();
  repository.close();
});

const FILE = 'src/retry.ts';
const HEAD = Array.from({ length: 20 }, (_, at) => `export const limit${at} = ${at};`);
const OLD = ['export function retry(run: Run) {', '  return run(3);', '}'];
const NEW = [
  'export function retry(run: Run) {',
  '  const delays = [100, 200, 400];',
  '  return runWithDelays(run, delays);',
  '}',
];
const TAIL = Array.from({ length: 20 }, (_, at) => `export const name${at} = 'n${at}';`);
const textOf = (middle: string[], head = HEAD) => `${[...head, ...middle, ...TAIL].join('\n')}\n`;

/** As the host reports it: with a patch that has three lines around it. */
const edit = (session: string, file: string) => ({
  session_id: session,
  cwd: repository.root,
  hook_event_name: 'PostToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: file, old_string: OLD[1], new_string: NEW.slice(1, 3).join('\n') },
  tool_response: {
    filePath: file,
    structuredPatch: [
      {
        ...{ oldStart: 20, oldLines: 5, newStart: 20, newLines: 6 },
        lines: [` ${HEAD[19]}`, ` ${OLD[0]}`, `-${OLD[1]}`, `+${NEW[1]}`, `+${NEW[2]}`, ` ${OLD[2]}`, ` ${TAIL[0]}`],
      },
    ],
  },
  tool_use_id: nextId('toolu'),
});

/** A whole turn of a session that changes the function, from the hooks to the store. */
function rememberEdit(): void {
  const session = nextId('session');
  repository.write(FILE, textOf(NEW));
  store.take('new', userPrompt(session, repository.root, 'Make retry wait between its tries'));
  store.take('save', edit(session, join(repository.root, FILE)));
  const taken = store.take('summary', stop(session, repository.root, 'Changed retry() to wait 100, 200 and 400 ms.'));
  const sessionId = taken.happened?.session.id ?? 0;
  const deps = { observe: observeBatch, isForModel: () => false, readEvidence, clock: Date.now };
  expect(distilTurn(store.db, sessionId, deps)).toMatchObject({ kind: 'distilled' });
}

type Row = { id: number; at: number; branch: string | null; head: string | null };

const listRows = () =>
  store.db
    .query<Row, []>(
      `SELECT id, created_at_epoch AS at, branch, head FROM observations
       WHERE id IN (SELECT observation_id FROM citations WHERE did = 'changed') ORDER BY id`,
    )
    .all();

const checkAll = async () => {
  const { root } = repository;
  // The clock of the test's events is not that of its commits.
  const rows = listRows();
  const checked = await freshness.check(rows, { root, branch: readBranch(root) });
  return rows.map(({ id }) => checked.get(id));
};

async function expectWord(word: string): Promise<void> {
  const all = await checkAll();
  expect(all.length).toBeGreaterThan(0);
  expect(all.map((one) => one && formatFreshness(one))).toEqual(all.map(() => word));
}

const rewrite = (round: number) =>
  repository.write(
    FILE,
    textOf([`export async function retry${round}(run: Run) {`, `  await queue.push(run, ${round});`, '}']),
  );

describe('a memory of a function', () => {
  beforeEach(() => {
    repository.write(FILE, textOf(OLD));
    repository.write('README.md', 'A project.\n');
    repository.commit('begin');
  });

  describe('that was committed', () => {
    beforeEach(() => {
      rememberEdit();
      repository.commit('Wait between tries');
    });

    test('is fresh while its file is untouched, without a word from git', async () => {
      freshness = createFreshness({ db: store.db, deadlineMs: 0 });
      repository.write('README.md', 'Another word.\n');
      repository.commit('words');
      await expectWord('fresh');
    });

    test('is fresh when the file was changed elsewhere', async () => {
      repository.write(FILE, textOf(NEW, ['// A word on limits', ...HEAD.slice(3)]));
      repository.commit('limits');
      await expectWord('fresh');
    });

    test('is fresh when its lines were only indented', async () => {
      repository.write(FILE, textOf(NEW.map((line) => `    ${line}`)));
      await expectWord('fresh');
    });

    test.each([1, 3])('is changed when the function was rewritten by %d commits', async (count) => {
      for (let round = 1; round <= count; round++) {
        rewrite(round);
        repository.commit(`rewrite ${round}`);
        repository.write('README.md', `${round}\n`);
        repository.commit('beside it');
      }
      await expectWord(`changed:${count}`);
    });

    test('is changed when the function was rewritten and nothing was committed', async () => {
      rewrite(1);
      await expectWord('changed');
    });

    test('is gone when the file was deleted, committed or not', async () => {
      repository.remove(FILE);
      await expectWord('gone');
      repository.commit('away');
      await expectWord('gone');
    });

    test('is reverted by git revert', async () => {
      repository.git('revert', '--no-edit', 'HEAD');
      await expectWord('reverted');
    });

    test('is reverted by git revert even when the rest of the file went on', async () => {
      const commit = repository.git('rev-parse', 'HEAD');
      repository.write(FILE, textOf(NEW, ['// A word on limits', ...HEAD]));
      repository.commit('limits');
      repository.write(FILE, textOf(['export const retry = once;'], ['// A word on limits', ...HEAD]));
      repository.git('add', '-A');
      repository.git('commit', '-q', '-m', `Revert "Wait between tries"\n\nThis reverts commit ${commit}.`);
      await expectWord('reverted');
    });

    test('is reverted by hand', async () => {
      repository.write(FILE, textOf(OLD));
      await expectWord('reverted');
      repository.write(FILE, textOf(OLD, ['// and more', ...HEAD]));
      await expectWord('reverted');
    });

    test('is fresh again when the revert is reverted', async () => {
      repository.git('revert', '--no-edit', 'HEAD');
      await expectWord('reverted');
      repository.git('revert', '--no-edit', 'HEAD');
      await expectWord('fresh');
    });

    test('is fresh under the new name of the file', async () => {
      repository.git('mv', FILE, 'src/again.ts');
      const renamed = [{ from: FILE, to: 'src/again.ts' }];
      expect(await checkAll()).toMatchObject([{ word: 'fresh', renamed }]);
      repository.commit('move');
      expect(await checkAll()).toMatchObject([{ word: 'fresh', renamed }]);
      repository.git('mv', 'src/again.ts', 'retry.ts');
      repository.commit('move again');
      expect(await checkAll()).toMatchObject([{ word: 'fresh', renamed: [{ from: FILE, to: 'retry.ts' }] }]);
    });

    test('is changed under the new name when the function was rewritten there', async () => {
      repository.git('mv', FILE, 'src/again.ts');
      repository.commit('move');
      repository.write('src/again.ts', textOf(['export const retry = once;']));
      repository.commit('rewrite');
      const renamed = [{ from: FILE, to: 'src/again.ts' }];
      expect(await checkAll()).toEqual([{ word: 'changed', commits: 1, renamed }]);
    });

    test('is gone when it was renamed and then deleted', async () => {
      repository.git('mv', FILE, 'src/again.ts');
      repository.commit('move');
      repository.remove('src/again.ts');
      repository.commit('away');
      await expectWord('gone');
    });

    test('is reverted when the branch is reset to before it', async () => {
      repository.git('reset', '-q', '--hard', 'HEAD~1');
      await expectWord('reverted');
    });
  });

  describe('that was not committed', () => {
    test('is reverted when the work tree is as HEAD again', async () => {
      rememberEdit();
      await expectWord('fresh');
      repository.git('checkout', '-q', '--', FILE);
      await expectWord('reverted');
    });

    test('is told from the file alone without git', async () => {
      rememberEdit();
      renameSync(join(repository.root, '.git'), join(repository.root, 'no-git'));
      await expectWord('fresh');
      rewrite(1);
      await expectWord('changed');
      repository.write(FILE, textOf(OLD));
      await expectWord('reverted');
      repository.remove(FILE);
      await expectWord('gone');
    });
  });

  describe('of another branch', () => {
    beforeEach(() => {
      repository.git('checkout', '-q', '-b', 'feature/retry');
      rememberEdit();
    });

    test('is elsewhere until it is merged, then fresh', async () => {
      repository.commit('Wait between tries');
      repository.git('checkout', '-q', 'main');
      await expectWord('elsewhere');
      repository.write('README.md', 'Meanwhile.\n');
      repository.commit('meanwhile');
      await expectWord('elsewhere');
      repository.git('merge', '-q', '--no-edit', 'feature/retry');
      await expectWord('fresh');
      repository.git('revert', '--no-edit', '-m', '1', 'HEAD');
      await expectWord('reverted');
    });

    test('is elsewhere when this branch rewrote the function in its own way', async () => {
      repository.commit('Wait between tries');
      repository.git('checkout', '-q', 'main');
      rewrite(1);
      repository.commit('rewrite');
      await expectWord('elsewhere');
    });

    test('is elsewhere when its branch never committed it', async () => {
      repository.git('stash', '-q');
      repository.git('checkout', '-q', 'main');
      await expectWord('elsewhere');
    });

    test('is elsewhere when this branch deleted the file', async () => {
      repository.commit('Wait between tries');
      repository.git('checkout', '-q', 'main');
      repository.remove(FILE);
      repository.commit('away');
      await expectWord('elsewhere');
    });

    test('is judged by the code alone when its branch is deleted', async () => {
      repository.commit('Wait between tries');
      repository.git('checkout', '-q', 'main');
      repository.git('branch', '-q', '-D', 'feature/retry');
      await expectWord('reverted');
    });

    test('of refs that are packed is elsewhere, too', async () => {
      repository.commit('Wait between tries');
      repository.git('checkout', '-q', 'main');
      repository.git('pack-refs', '--all');
      await expectWord('elsewhere');
    });
  });
});

describe('a memory that does not say how its file was', () => {
  const at = (day: number) => `2026-01-0${day}T12:00:00Z`;
  const observe = (day: number) =>
    openShelf(store.db, repository.root, 'imported').observe('retry waits', Date.parse(at(day)), {
      filesModified: [FILE],
    });

  beforeEach(() => {
    repository.write('README.md', 'A project.\n');
    repository.commit('begin', at(1));
    repository.write(FILE, textOf(OLD));
    repository.commit('retry', at(3));
  });

  test.each([
    [2, 'unverified'],
    [4, 'fresh'],
  ])('of day %d is %s before anything changed', async (day, word) => {
    observe(day);
    await expectWord(word);
  });

  test('is changed by the commits after its date', async () => {
    observe(4);
    repository.write(FILE, textOf(NEW));
    repository.commit('one', at(5));
    repository.write(FILE, textOf(['x();']));
    repository.commit('two', at(6));
    await expectWord('changed:2');
    observe(5);
    expect((await checkAll()).map((one) => one?.commits)).toEqual([2, 1]);
  });

  test('is fresh when the file is again as it was at its date', async () => {
    observe(4);
    repository.write(FILE, textOf(NEW));
    repository.commit('one', at(5));
    repository.write(FILE, textOf(OLD));
    await expectWord('fresh');
  });

  test('is changed by what is not committed', async () => {
    observe(4);
    repository.write(FILE, textOf(NEW));
    await expectWord('changed');
  });

  test('is gone with the file, or goes on under its new name', async () => {
    observe(4);
    repository.git('mv', FILE, 'src/again.ts');
    repository.commit('move', at(5));
    expect(await checkAll()).toMatchObject([{ word: 'fresh', renamed: [{ from: FILE, to: 'src/again.ts' }] }]);
    repository.remove('src/again.ts');
    repository.commit('away', at(6));
    await expectWord('gone');
  });

  test('is unverified without git', async () => {
    observe(4);
    renameSync(join(repository.root, '.git'), join(repository.root, 'no-git'));
    await expectWord('unverified');
  });
});

describe('a memory of several files', () => {
  const NAMES = ['a.ts', 'b.ts', 'c.ts'];

  /** What each file is changed to; null deletes it. */
  async function judge(files: Record<string, string | null>, draft: Partial<ObservationDraft>): Promise<string[]> {
    for (const name of NAMES) repository.write(name, `export const ${name[0]} = 'as it was';\n`);
    repository.commit('begin');
    for (const name of NAMES) repository.write(name, `export const ${name[0]} = 'as it is';\n`);
    const { root } = repository;
    const owner = openShelf(store.db, root, 'several');
    const whole = { ...EMPTY_OBSERVATION, title: 'several', at: Date.now(), ...draft };
    const events: SessionEvent[] = [];
    insertObservation(
      store.db,
      { sessionId: owner.sessionId, projectId: owner.projectId, promptNumber: 1, batchId: null, isProvisional: false },
      whole,
      readEvidence(whole, { root, events }),
    );
    repository.commit('all of them');
    for (const [name, text] of Object.entries(files)) {
      if (text === null) repository.remove(name);
      else repository.write(name, text);
    }
    const rows = store.db.query<Row, []>('SELECT id, created_at_epoch AS at, branch, head FROM observations').all();
    const checked = await freshness.check(rows, { root, branch: readBranch(root) });
    return [...checked.values()].map(formatFreshness);
  }

  const was = (name: string) => `export const ${name} = 'as it was';\n`;
  const all = { filesModified: NAMES };

  test.each<[string, Record<string, string | null>, Partial<ObservationDraft>, string]>([
    ['untouched', {}, all, 'fresh'],
    ['one rewritten', { 'a.ts': 'other();' }, all, 'changed'],
    ['one gone', { 'a.ts': null }, all, 'changed'],
    ['all gone', { 'a.ts': null, 'b.ts': null, 'c.ts': null }, all, 'gone'],
    ['one back', { 'a.ts': was('a') }, all, 'changed'],
    ['all back', { 'a.ts': was('a'), 'b.ts': was('b'), 'c.ts': was('c') }, all, 'reverted'],
    ['only what was read is rewritten', { 'b.ts': 'x();' }, { filesModified: ['a.ts'], filesRead: ['b.ts'] }, 'fresh'],
    ['nothing was changed, what was read is rewritten', { 'b.ts': 'x();' }, { filesRead: ['b.ts'] }, 'changed'],
    ['what was read is as it once was', { 'b.ts': was('b') }, { filesRead: ['b.ts'] }, 'changed'],
    ['outside', {}, { filesModified: ['/etc/hosts', '../x.ts'] }, 'uncited'],
    ['one outside', { 'a.ts': null }, { filesModified: ['/etc/hosts', 'a.ts'] }, 'gone'],
    ['a folder', {}, { filesRead: ['.'] }, 'uncited'],
    ['none', {}, {}, 'uncited'],
    ['a name that none can have', {}, { filesRead: ['a\0b', ''] }, 'uncited'],
  ])('%s', async (_, files, draft, word) => {
    expect(await judge(files, draft)).toEqual([word]);
  });

  test('is said without git by its deadline', async () => {
    freshness = createFreshness({ db: store.db, deadlineMs: 0 });
    expect(await judge({ 'a.ts': null, 'b.ts': 'x();' }, all)).toEqual(['changed']);
  });
});
