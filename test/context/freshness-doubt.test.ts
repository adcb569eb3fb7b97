// What must never be called fresh, and what is not reverted because it was only put away. From the hooks to the word that is told.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFreshness } from '../../src/context/freshness.ts';
import type { Action } from '../../src/core/event.ts';
import { formatFreshness } from '../../src/core/freshness.ts';
import { readBranch } from '../../src/git/identity.ts';
import { spellEvent } from '../../src/git/real-path.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { distilTurn } from '../../src/observer/distil-turn.ts';
import { readEvidence } from '../../src/worker/observing/read-evidence.ts';
import { bash, edit, nextId, stop, userPrompt } from '../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const FILE = 'src/retry.ts';
const OLD = 'export function retryCap() { return 3; }';
const NEW = 'export function retryCap() { return 7; }';
const REST = 'export const other = 1;\n';
const REWRITTEN = 'export async function capOf(run: Run) { return run.cap; }\n';

let repository: TestRepository;
let store: TestStore;
beforeEach(() => {
  repository = createTestRepository();
  store = createTestStore();
  repository.write(FILE, `${OLD}\n${REST}`);
  repository.commit('begin');
});
afterEach(() => {
  store.close();
  repository.close();
});

/** One turn; each payload is one tool that was used in it. */
function remember(makeTools: (session: string) => object[], { cwd = repository.root, says = 'Raised the cap.' } = {}) {
  const session = nextId('session');
  store.take('new', userPrompt(session, cwd, 'Raise the retry cap'));
  for (const tool of makeTools(session)) store.take('save', tool);
  const taken = store.take('summary', stop(session, cwd, says));
  const deps = { observe: observeBatch, isForModel: () => false, readEvidence, clock: Date.now };
  distilTurn(store.db, taken.happened?.session.id ?? 0, deps);
}

const editOf = (lines: string[], file = FILE, cwd = repository.root) =>
  ((session) => [edit(session, cwd, file, lines)]) satisfies (session: string) => object[];

/** Of a file that is not named from the folder of the session. */
const editAt = (session: string, cwd: string, file: string) => {
  const payload = edit(session, cwd, '', [`-${OLD}`, `+${NEW}`]);
  const response = { ...payload.tool_response, filePath: file };
  return { ...payload, tool_input: { file_path: file }, tool_response: response };
};

function rememberRaise(cwd = repository.root): void {
  repository.write(FILE, `${NEW}\n${REST}`);
  remember(editOf([`-${OLD}`, `+${NEW}`], FILE, cwd), { cwd });
}

type Row = { id: number; at: number; branch: string | null; head: string | null };

async function readWords(did = 'changed'): Promise<string[]> {
  const { root } = repository;
  const rows = store.db
    .query<Row, [string]>(
      `SELECT id, created_at_epoch AS at, branch, head FROM observations
       WHERE id IN (SELECT observation_id FROM citations WHERE did = ?)`,
    )
    .all(did);
  const freshness = createFreshness({ db: store.db, deadlineMs: 5000 });
  const checked = await freshness.check(rows, { root, branch: readBranch(root) });
  return [...new Set(Array.from(checked.values(), formatFreshness))];
}

describe('never fresh is', () => {
  const LONG = Array.from({ length: 200 }, (_, at) => `export const value_${at} = compute_${at}(${at});`);
  const rememberLong = () => {
    repository.write('src/long.ts', LONG.join('\n'));
    remember(
      editOf(
        LONG.map((line) => `+${line}`),
        'src/long.ts',
      ),
    );
    repository.commit('long');
  };

  test('a long file of which only some lines are as they were', async () => {
    rememberLong();
    repository.write('src/long.ts', LONG.map((line, at) => (at % 5 === 0 ? line : `// gone ${at}`)).join('\n'));
    repository.commit('rewrite');
    expect(await readWords()).toEqual(['changed:1']);
  });

  test('a long file with one other line; but one with more lines is', async () => {
    rememberLong();
    repository.write('src/long.ts', ['// More to come', ...LONG].join('\n'));
    expect(await readWords()).toEqual(['fresh']);
    repository.write('src/long.ts', LONG.with(1, 'export const value_1 = 999999;').join('\n'));
    expect(await readWords()).toEqual(['changed']);
  });

  test('an edit that was undone before it was remembered, until it is made again', async () => {
    remember(editOf([`-${OLD}`, `+${NEW}`]));
    expect(await readWords()).toEqual(['reverted']);
    repository.write(FILE, REWRITTEN);
    expect(await readWords()).toEqual(['unverified']);
    repository.remove(FILE);
    expect(await readWords()).toEqual(['gone']);
    repository.write(FILE, `${NEW}\n`);
    expect(await readWords()).toEqual(['fresh']);
  });

  test('lines that were added and taken out before they were remembered', async () => {
    remember(editOf(['+export const limiter = makeLimiter();']));
    expect(await readWords()).toEqual(['unverified']);
  });

  test('a short line that was put back beside one that was kept', async () => {
    repository.write(FILE, 'a = 7\nexport const limiter = makeLimiter();\n');
    remember(editOf(['-a = 3', '+a = 7', '+export const limiter = makeLimiter();']));
    repository.write(FILE, 'a = 3\nexport const limiter = makeLimiter();\n');
    repository.commit('back');
    expect(await readWords()).toEqual(['changed:1']);
  });
});

describe('fresh is', () => {
  test('an edit of which the host told a part of a line', async () => {
    repository.write(FILE, `${NEW}\n${REST}`);
    remember(editOf(['-return 3', '+return 7']));
    expect(await readWords()).toEqual(['fresh']);
  });

  test('a file that was only read, whose line ends were converted', async () => {
    remember(
      (session) => [
        {
          ...bash(session, repository.root, '', ''),
          tool_name: 'Read',
          tool_input: { file_path: join(repository.root, FILE) },
          tool_response: { type: 'text', file: { filePath: join(repository.root, FILE), content: OLD } },
        },
      ],
      { says: `The root cause: ${FILE} caps the retries at 3, so a slow gateway is given up too early.` },
    );
    repository.write(FILE, `${OLD}\n${REST}`.replaceAll('\n', '\r\n'));
    expect(await readWords('read')).toEqual(['fresh']);
  });
});

describe('work that was put away', () => {
  test('on a branch that was made for it later is elsewhere, also when that went on', async () => {
    rememberRaise();
    repository.git('checkout', '-q', '-b', 'later');
    repository.commit('raise');
    repository.git('checkout', '-q', 'main');
    expect(await readWords()).toEqual(['elsewhere']);
    repository.git('checkout', '-q', 'later');
    repository.write(FILE, `${NEW}\n${REST}// and more\n`);
    repository.commit('more');
    repository.git('checkout', '-q', 'main');
    expect(await readWords()).toEqual(['elsewhere']);
    repository.git('branch', '-q', '-D', 'later');
    expect(await readWords()).toEqual(['reverted']);
  });

  test('in the stash is elsewhere until that is dropped', async () => {
    rememberRaise();
    repository.git('stash', '-q');
    expect(await readWords()).toEqual(['elsewhere']);
    repository.git('stash', 'drop', '-q');
    expect(await readWords()).toEqual(['reverted']);
  });

  test('as a new file in the stash or on a later branch is elsewhere', async () => {
    repository.write('src/fresh.ts', `${NEW}\n`);
    remember(editOf([`+${NEW}`], 'src/fresh.ts'));
    repository.git('stash', '-q', '--include-untracked');
    expect(await readWords()).toEqual(['elsewhere']);
    repository.git('stash', 'pop', '-q');
    repository.git('checkout', '-q', '-b', 'later');
    repository.commit('new');
    repository.git('checkout', '-q', 'main');
    expect(await readWords()).toEqual(['elsewhere']);
  });

  test('is reverted when it was here and was taken back, though another branch has it', async () => {
    rememberRaise();
    repository.commit('raise');
    repository.git('branch', 'keeps-it');
    repository.git('revert', '--no-edit', 'HEAD');
    expect(await readWords()).toEqual(['reverted']);
  });
});

test('what was squashed onto another state of the file and rewritten since is changed, though its branch is there', async () => {
  repository.git('checkout', '-q', '-b', 'feature');
  rememberRaise();
  repository.commit('raise');
  repository.git('checkout', '-q', 'main');
  repository.write(FILE, `${OLD}\n${REST}\n\nexport const z = 5;\n`);
  repository.commit('z');
  expect(await readWords()).toEqual(['elsewhere']);
  repository.git('merge', '-q', '--squash', 'feature');
  repository.commit('squash');
  expect(await readWords()).toEqual(['fresh']);
  repository.write(FILE, REWRITTEN);
  repository.commit('rewrite');
  expect(await readWords()).toEqual(['changed:3']);
});

test('a file of a submodule that is not there under its name is unverified', async () => {
  const inner = createTestRepository();
  inner.write('lib.ts', `${OLD}\n`);
  inner.commit('lib');
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
  repository.commit('submodule');
  repository.write('lib/lib.ts', `${NEW}\n`);
  remember(editOf([`-${OLD}`, `+${NEW}`], 'lib/lib.ts'));
  expect(await readWords()).toEqual(['fresh']);
  repository.git('-C', 'lib', 'mv', 'lib.ts', 'moved.ts');
  expect(await readWords()).toEqual(['unverified']);
  repository.git('submodule', '--quiet', 'deinit', '-f', 'lib');
  expect(await readWords()).toEqual(['unverified']);
  inner.close();
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
    remember(editOf([`-${OLD}`, `+${NEW}`], file, cwd), { cwd });
    expect(listFiles()).toEqual([{ path: FILE }]);
    expect(await readWords()).toEqual(['fresh']);
    repository.git('checkout', '-q', '--', FILE);
    expect(await readWords()).toEqual(['reverted']);
  });

  test('keeps the file that only the edit names through the link', async () => {
    repository.write(FILE, `${NEW}\n${REST}`);
    remember((session) => [editAt(session, repository.root, join(folder, 'link', FILE))]);
    expect(listFiles()).toEqual([{ path: FILE }]);
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

  test('leaves a file of another folder as it was named', () => {
    const other = join(folder, 'other.ts');
    remember((session) => [editAt(session, join(folder, 'link'), other)], {
      cwd: join(folder, 'link'),
    });
    expect(listFiles().every(({ path }) => path === other)).toBe(true);
  });
});
