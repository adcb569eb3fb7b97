// hole-S2: a folder that only says that it is another project was told that project's memory, and wrote into it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, chownSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { startReports } from '../e2e/hook-reports.ts';
import { createSandbox as createClaude, TEST_TIMEOUT_MS } from '../e2e/sandbox.ts';
import { addFeature, sayOnly } from '../e2e/work-scripts.ts';
import { createLines } from '../support/claude-lines.ts';
import { sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const ADDRESS = 'git@forge.test:acme/private.git';
const KEY = 'forge.test/acme/private';
const WORD = 'zebrafish';

let sandbox: Sandbox;
let victim: string;
let head: string;
let first: string;
let sessions = 0;

beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
  victim = repository('work/private', ADDRESS);
  commit(victim, 'second');
  head = git(victim, 'rev-parse', 'HEAD');
  first = git(victim, 'rev-list', '--max-parents=0', 'HEAD');
  await start(victim);
  await sandbox.person('remember', '--project', KEY, `The launch word is ${WORD}, the user decided`);
  // Its log was read, and its first commit is known.
  await until(() => sandbox.query('SELECT 1 FROM git_logs').length > 0);
  await until(() => sandbox.query('SELECT 1 FROM projects WHERE first_commit IS NOT NULL').length > 0);
  expect((await start(victim)).context).toContain(WORD);
});
afterAll(() => sandbox.dispose());

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: '/usr/bin:/bin', HOME: sandbox.home, GIT_CONFIG_NOSYSTEM: '1', GIT_ALLOW_PROTOCOL: 'file' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
  return done.stdout.toString().trim();
}

const commit = (cwd: string, message: string) => git(cwd, 'commit', '-q', '--allow-empty', '-m', message);

function repository(name: string, remote = ADDRESS): string {
  const path = sandbox.project(name);
  git(path, 'init', '-q', '-b', 'main');
  commit(path, `first of ${name}`);
  git(path, 'remote', 'add', 'origin', remote);
  return path;
}

/** What a session that starts there is told, and what the person sees. On a busy machine one may hear nothing in time: then the next one counts. */
const start = (cwd: string) =>
  until(async () => {
    const session = `s2-${++sessions}`;
    const { stdout, code } = await sandbox.hook('context', sessionStart(session, cwd));
    expect(code).toBe(0);
    const { systemMessage: message = '', hookSpecificOutput: said } = JSON.parse(stdout || '{}');
    const [row] = sandbox.query<{ key: string }>(
      `SELECT p.key FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.host_session_id = '${session}'`,
    );
    return message && row ? { context: String(said?.additionalContext ?? ''), message: String(message), project: row.key } : null;
  });

async function ask(route: string): Promise<string> {
  return (await fetch(`http://localhost${route}`, { unix: sandbox.paths.httpSocket })).text();
}

/** Neither told, nor found, nor written to; also once everything was looked at in the background. */
async function expectApart(cwd: string): Promise<void> {
  const one = await start(cwd);
  expect(one.project).not.toContain(KEY);
  await sandbox.hook('new', userPrompt(`s2-${sessions}`, cwd, `What is the launch word? ${WORD.slice(0, 5)}`));
  // Its own log was read: then its project was looked at, too.
  const two = await start(cwd);
  const query = encodeURIComponent(cwd);
  const found = await ask(`/api/search?query=launch+word&cwd=${query}`);
  const told = await ask(`/api/context/inject?cwd=${query}`);
  for (const text of [one.context, two.context, found, told]) expect(text).not.toContain(WORD);
  expect(two.project).toBe(one.project);
}

/** What somebody sends you in an archive. */
type Forge = (evil: string) => void;
const initWith = (evil: string, config = `[remote "origin"]\n\turl = ${ADDRESS}\n`) => {
  git(evil, 'init', '-q', '-b', 'main');
  appendFileSync(join(evil, '.git/config'), config);
};
const pointAt = (evil: string, hash: string) => writeFileSync(join(evil, '.git/refs/heads/main'), `${hash}\n`);
/** An object under a name that is not its own. */
const putObject = (evil: string, hash: string, from: string) => {
  const path = join(evil, '.git/objects', hash.slice(0, 2), hash.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(evil, '.git/objects', from.slice(0, 2), from.slice(2)), path);
};

const FORGERIES: [string, Forge][] = [
  [
    'its remote, and a history of its own',
    (evil) => {
      initWith(evil);
      commit(evil, 'other');
    },
  ],
  [
    'its remote, spelled otherwise, and no commit',
    (evil) => initWith(evil, '[remote "origin"]\nurl = https://x:y@FORGE.test:443/acme/Private.git/\n'),
  ],
  [
    'an address that ends before it seems to',
    (evil) => {
      initWith(evil, '[remote "origin"]\nurl = http://evil.test?@forge.test/acme/private\n');
      commit(evil, 'other');
    },
  ],
  [
    'the name of its last commit, without the commit',
    (evil) => {
      initWith(evil);
      pointAt(evil, head);
    },
  ],
  [
    'another commit under the name of its first',
    (evil) => {
      initWith(evil);
      commit(evil, 'other');
      putObject(evil, first, git(evil, 'rev-parse', 'HEAD'));
      const tree = git(evil, 'write-tree');
      pointAt(evil, git(evil, 'commit-tree', '-p', first, '-m', 'child', tree));
    },
  ],
  [
    'another commit under the name of its last',
    (evil) => {
      initWith(evil);
      commit(evil, 'other');
      putObject(evil, head, git(evil, 'rev-parse', 'HEAD'));
      pointAt(evil, head);
    },
  ],
  [
    'its objects by a link',
    (evil) => {
      initWith(evil);
      rmSync(join(evil, '.git/objects'), { recursive: true });
      symlinkSync(join(victim, '.git/objects'), join(evil, '.git/objects'));
      rmSync(join(evil, '.git/refs'), { recursive: true });
      symlinkSync(join(victim, '.git/refs'), join(evil, '.git/refs'));
    },
  ],
  [
    'some of its objects by links',
    (evil) => {
      initWith(evil);
      for (const hash of [head, first, git(victim, 'rev-parse', 'HEAD^{tree}')]) {
        mkdirSync(join(evil, '.git/objects', hash.slice(0, 2)), { recursive: true });
        symlinkSync(
          join(victim, '.git/objects', hash.slice(0, 2), hash.slice(2)),
          join(evil, '.git/objects', hash.slice(0, 2), hash.slice(2)),
        );
      }
      pointAt(evil, head);
    },
  ],
  [
    'its objects as a reserve',
    (evil) => {
      initWith(evil);
      writeFileSync(join(evil, '.git/objects/info/alternates'), `${victim}/.git/objects\n`);
      pointAt(evil, head);
    },
  ],
  [
    'a shallow clone of it',
    (evil) => {
      rmSync(evil, { recursive: true });
      git(dirname(evil), 'clone', '-q', '--depth', '1', `file://${victim}`, evil);
      git(evil, 'remote', 'set-url', 'origin', ADDRESS);
    },
  ],
  ['a file that names its repository', (evil) => writeFileSync(join(evil, '.git'), `gitdir: ${victim}/.git\n`)],
  ['a link to its repository', (evil) => symlinkSync(join(victim, '.git'), join(evil, '.git'))],
  [
    'a repository that takes it for its own',
    (evil) => {
      initWith(evil, '');
      writeFileSync(join(evil, '.git/commondir'), `${victim}/.git\n`);
    },
  ],
];

describe('hole-S2', () => {
  test.each(FORGERIES)('a folder with %s is a project of its own', async (what, forge) => {
    const evil = sandbox.project(`evil/${what.replaceAll(/\W+/g, '-')}`);
    forge(evil);
    await expectApart(evil);
    mkdirSync(join(evil, 'src'), { recursive: true });
    await expectApart(join(evil, 'src'));
  });

  test.skipIf(process.getuid?.() !== 0)('what another user put above a folder does not count (as root)', async () => {
    const above = sandbox.project('shared');
    initWith(above, '');
    cpSync(join(victim, '.git'), join(above, '.git'), { recursive: true, force: true });
    chownSync(join(above, '.git'), 4242, 4242);
    await expectApart(sandbox.project('shared/mine'));
  });

  test('it is offered for merging, and nothing of it reached the project', async () => {
    const evil = join(sandbox.home, 'evil/its-remote-and-a-history-of-its-own');
    const { stdout, stderr } = await sandbox.person('projects');
    expect(stdout).toContain(evil);
    expect(stdout).toContain(`may be the same as ${KEY}`);
    expect(stderr).toContain(`claude-mem projects merge ${evil} ${KEY}`);
    const roots = sandbox.query<{ root: string }>(
      `SELECT DISTINCT s.root FROM sessions s JOIN projects p ON p.id = s.project_id WHERE p.key = '${KEY}'`,
    );
    expect(roots).toEqual([{ root: victim }]);
  });

  test('a clone with its history joins it, says so once, and can be separated and merged', async () => {
    const copy = join(sandbox.home, 'copy');
    git(sandbox.home, 'clone', '-q', victim, copy);
    git(copy, 'remote', 'set-url', 'origin', 'https://forge.test/acme/private');
    commit(copy, 'third');
    // Mostly in the very first session; on a busy machine in a later one.
    const joined = await until(async () => {
      const said = await start(copy);
      return said.context.includes(WORD) ? said : null;
    });
    expect(joined.message).toContain(`joined the project private (${KEY})`);
    expect(joined.message).toContain(`claude-mem projects separate ${copy}`);
    expect((await start(copy)).message).not.toContain('joined');
    const keys = sandbox.query<{ key: string }>(
      `SELECT DISTINCT p.key FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.root = '${copy}'`,
    );
    expect(keys).toEqual([{ key: KEY }]);
    git(copy, 'worktree', 'add', '-q', `${copy}-tree`);
    expect((await start(`${copy}-tree`)).context).toContain(WORD);

    const separated = await sandbox.person('projects', 'separate', copy, '--yes');
    expect([separated.stderr, separated.code]).toEqual(['', 0]);
    expect(separated.stdout).toContain('project of its own now');
    await expectApart(copy);
    await expectApart(`${copy}-tree`);
    expect((await sandbox.person('projects')).stderr).not.toContain(copy);
    const again = await sandbox.person('projects', 'separate', copy, '--yes');
    expect(again.stderr).toContain('is a project of its own already');

    const merged = await sandbox.person('projects', 'merge', copy, KEY, '--yes');
    expect(merged.code).toBe(0);
    expect(await start(copy)).toMatchObject({ project: KEY, context: expect.stringContaining(WORD) });
    expect((await start(victim)).context).toContain(WORD);
  });

  test('a transcript of such a folder, or of one that is gone, is imported apart; that of a clone joins', async () => {
    const [evil, copy] = [sandbox.project('past/evil'), join(sandbox.home, 'past/copy')];
    initWith(evil);
    commit(evil, 'other');
    git(sandbox.home, 'clone', '-q', victim, copy);
    git(copy, 'remote', 'set-url', 'origin', ADDRESS);
    const cwds = { evil, copy, gone: join(sandbox.home, 'past/gone') };
    const folder = sandbox.project('.claude/projects/past');
    for (const [session, cwd] of Object.entries(cwds)) {
      const lines = createLines({ session, cwd });
      const said = [lines.prompt('Set the limit to five'), lines.say('The limit is five now, three was too low.')];
      writeFileSync(join(folder, `${session}.jsonl`), said.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
    const { code, stderr } = await sandbox.person('import', '--yes');
    expect([code, stderr.includes('rror')]).toEqual([0, false]);
    const keyOf = (session: string) =>
      sandbox.query<{ key: string }>(
        `SELECT p.key FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.host_session_id = '${session}'`,
      )[0]?.key;
    await until(() => keyOf('copy') === KEY);
    expect([keyOf('evil'), keyOf('gone')]).toEqual([evil, cwds.gone]);
  });

  test('a repository that comes to a known place proves itself anew', async () => {
    const place = join(sandbox.home, 'place');
    git(sandbox.home, 'clone', '-q', victim, place);
    git(place, 'remote', 'set-url', 'origin', ADDRESS);
    await until(async () => (await start(place)).project === KEY);
    rmSync(place, { recursive: true });
    mkdirSync(place);
    initWith(place);
    commit(place, 'other');
    await expectApart(place);
  });

  test('the roots of a store from before stay in their projects', () => {
    const path = join(sandbox.home, 'before.db');
    const before = openStore(path, MIGRATIONS.slice(0, 5));
    before.run(`
      INSERT INTO projects (id, key, name, root, remote, created_at) VALUES
        (1, '${KEY}', 'private', '/a', '${KEY}', '2026'), (2, '${KEY}#packages/x', 'private/packages/x', '/a', '${KEY}', '2026'),
        (3, '/plain', 'plain', '/plain', NULL, '2026');`);
    const add = before.query(
      `INSERT INTO sessions (host, host_session_id, project_id, cwd, root, status, started_at, started_at_epoch, updated_at, updated_at_epoch)
       VALUES ('claude-code', ?, ?, ?, ?, 'active', '2026', 1, '2026', 1)`,
    );
    for (const [at, [id, root]] of Object.entries([
      [1, '/a'],
      [1, '/b'],
      [2, '/c'],
      [3, '/plain'],
    ] as [number, string][]))
      add.run(`s${at}`, id, root, root);
    before.close();
    const now = openStore(path);
    const rows = now.query('SELECT root, project_id AS id FROM project_roots ORDER BY root').all();
    now.close();
    expect(rows).toEqual([
      { root: '/a', id: 1 },
      { root: '/b', id: 1 },
      { root: '/c', id: 1 },
      { root: '/plain', id: 3 },
    ]);
  });

  test(
    'the real Claude Code is told nothing in a folder that names the remote of another',
    async () => {
      const claude = await createClaude();
      try {
        const [shop, evil] = [claude.makeRepo('work/shop'), claude.makeRepo('evil/shop')];
        for (const cwd of [shop, evil]) git(cwd, 'remote', 'add', 'origin', ADDRESS);
        writeFileSync(join(evil, 'other.txt'), 'other\n');
        git(evil, 'add', '-A');
        git(evil, 'commit', '-q', '--amend', '-m', 'another beginning');
        claude.mock.scripts.set('anchovy', addFeature(shop, 'anchovy'));
        claude.mock.scripts.set('look', sayOnly('I see.'));
        await claude.run({ cwd: shop, turns: ['[[mock:anchovy]] Please add anchovy'] });
        const [own, other] = [
          await claude.run({ cwd: shop, turns: ['[[mock:look]] Where were we?'] }),
          await claude.run({ cwd: evil, turns: ['[[mock:look]] Where were we?'] }),
        ];
        expect(startReports(own)[0]?.context).toContain('anchovy');
        expect(startReports(other)[0]?.context ?? '').not.toContain('anchovy');
        expect(JSON.stringify(other.requests)).not.toContain('anchovy');
      } finally {
        await claude.close();
      }
    },
    TEST_TIMEOUT_MS,
  );

  test('a folder that is called as the key of a part is not that part', async () => {
    await sandbox.person('config', 'set', 'subprojects', 'packages/*');
    const shop = sandbox.project('parts/shop');
    git(shop, 'init', '-q', '-b', 'main');
    commit(shop, 'first');
    const part = sandbox.project('parts/shop/packages/a');
    await start(part);
    await sandbox.hook('new', userPrompt(`s2-${sessions}`, part, `From now on, the launch word here is always ${WORD}.`));
    await sandbox.hook('summary', stop(`s2-${sessions}`, part, 'Noted.'));
    expect((await start(part)).project).toBe(`${shop}#packages/a`);
    const evil = sandbox.project('parts/shop#packages/a');
    await expectApart(evil);
    git(evil, 'init', '-q', '-b', 'main');
    await expectApart(evil);
    await sandbox.person('config', 'unset', 'subprojects');
  });
});
