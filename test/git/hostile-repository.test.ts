import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { askGit } from '../../src/git/ask-git.ts';
import { readLog } from '../../src/git/log.ts';
import { readNames } from '../../src/git/own-commits.ts';
import { listLeftBehind, provesWork, readCommitTimes, readFirstCommit } from '../../src/git/proof.ts';
import { createKnownRemovals, findEarlierNames, findLost, listUnmerged } from '../../src/git/renames.ts';
import { createTouchedFiles } from '../../src/git/touched.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

let repository: TestRepository;
let mark: string;
let moved: string;

const BODY = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};`).join('\n');

beforeEach(() => {
  repository = createTestRepository();
  mark = join(repository.root, 'SPRUNG');
  repository.write('a.ts', BODY);
  repository.write('.gitattributes', '* diff=evil filter=evil merge=evil text=auto\n');
  repository.commit('one');
  repository.git('mv', 'a.ts', 'b.ts');
  repository.write('b.ts', `${BODY}\n// more`);
  moved = repository.commit('two');
  repository.git('branch', 'other');
  repository.git('mv', 'b.ts', 'c.ts');
});
afterEach(() => repository.close());

function setTraps(names: string[]): void {
  const trap = join(repository.root, 'trap.sh');
  repository.write('trap.sh', `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(trap, 0o755);
  for (const name of names) repository.git('config', name, trap);
  for (const name of SWITCHED_ON) repository.git('config', name, 'true');
  const others = {
    'log.diffMerges': 'remerge',
    'extensions.partialClone': 'origin',
    'protocol.ext.allow': 'always',
    'alias.log': `!${trap}`,
  };
  for (const [name, value] of Object.entries(others)) repository.git('config', name, value);
  repository.git('config', 'remote.origin.url', `ext::${trap}`);
  repository.git('config', 'core.hooksPath', repository.root);
  for (const hook of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman']) {
    repository.write(hook, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(repository.root, hook), 0o755);
  }
  // Another time and the same size: git has to read it to see whether it changed.
  utimesSync(join(repository.root, 'c.ts'), new Date(), new Date());
  rmSync(mark, { force: true });
}

const SETTINGS = [
  ...['core.fsmonitor', 'core.pager', 'pager.log', 'pager.status', 'core.editor', 'core.sshCommand', 'core.askPass', 'core.gitProxy'],
  ...['core.alternateRefsCommand', 'diff.external', 'diff.evil.command', 'diff.evil.textconv', 'credential.helper', 'sequence.editor'],
  ...['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'merge.evil.driver', 'gpg.program', 'gpg.ssh.program'],
  ...['uploadpack.packObjectsHook', 'interactive.diffFilter', 'trace2.eventTarget', 'remote.origin.uploadpack', 'remote.origin.vcs'],
];
/** A partial clone would fetch what it lacks. */
const SWITCHED_ON = ['log.showSignature', 'status.submoduleSummary', 'core.useBuiltinFSMonitor', 'remote.origin.promisor'];

test('a hostile repository gets nothing run by any question', async () => {
  setTraps(SETTINGS);
  const { root } = repository;
  const asking = { root, msLeft: () => 5000 };
  const lost = await findLost({ ...asking, known: createKnownRemovals() }, { paths: ['a.ts', 'b.ts'], since: 0 });
  expect(Object.fromEntries(lost.movedTo)).toEqual({ 'a.ts': 'c.ts', 'b.ts': 'c.ts' });
  expect(await listUnmerged(asking, ['other'])).toEqual(new Set(['']));
  expect((await createTouchedFiles().read(root, { isAhead: true })).dirty).toContain('c.ts');
  const log = await readLog({ root, head: moved, known: [], most: 9, within: null, signal: new AbortController().signal });
  expect(log?.map(({ touched }) => touched)).toEqual([2, 2]);
  const first = await readFirstCommit(root);
  expect(first).toBe(log?.at(-1)?.hash ?? '');
  expect(await provesWork(root, [first ?? ''])).toBe(true);
  expect([...(await readCommitTimes(root, [moved])).keys()]).toEqual([moved]);
  expect(await listLeftBehind(root, [moved], first ?? '')).toEqual(new Set([moved]));
  expect(await readNames(root, null)).toEqual({ person: null, here: null });
  expect(existsSync(mark)).toBe(false);
});

test('nor by a look along a history with a merge', async () => {
  repository.git('commit', '-q', '-m', 'three');
  repository.git('checkout', '-q', 'other');
  repository.write('other.ts', 'x');
  repository.commit('beside');
  repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'main');
  setTraps(SETTINGS);
  expect(await findEarlierNames({ root: repository.root, path: 'c.ts' })).toEqual(['b.ts', 'a.ts']);
  expect(existsSync(mark)).toBe(false);
});

test('the same trap goes off when git is asked without care', () => {
  setTraps(['filter.evil.clean']);
  repository.git('status', '--porcelain');
  expect(existsSync(mark)).toBe(true);
});

test('a filter whose name cannot be said for sure leaves the work tree unasked', async () => {
  repository.write('.gitattributes', '* filter=a=b\n');
  setTraps([]);
  repository.git('config', 'filter.a=b.clean', join(repository.root, 'trap.sh'));
  expect((await createTouchedFiles().read(repository.root)).dirty).toEqual([]);
  expect(existsSync(mark)).toBe(false);
});

test('a question that takes too long is cut short', async () => {
  repository.git('config', 'include.path', join(repository.root, 'pipe'));
  Bun.spawnSync(['mkfifo', join(repository.root, 'pipe')]);
  const { isWhole } = await askGit({ root: repository.root, args: ['status'], deadlineMs: 50 });
  expect(isWhole).toBe(false);
});
