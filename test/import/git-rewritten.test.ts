import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createFreshness } from '../../src/context/freshness.ts';
import { writeFileNote } from '../../src/context/known-notes.ts';
import { renderMemory } from '../../src/core/render.ts';
import { readMemories } from '../../src/memory/read.ts';
import { createGitPast, type GitPast, HOUR, START } from '../support/git-past.ts';

let past: GitPast;

beforeEach(() => {
  past = createGitPast();
});
afterEach(() => past.close());

describe('a history that was rewritten', () => {
  test('a commit that was amended keeps its memory under the new hash', async () => {
    past.commit('Step one', { 'a.ts': '1' });
    const old = past.commit('Use a lock file', { 'lock.ts': '1' });
    await past.readAll();
    const before = past.find('Use a lock file');
    past.repository.write('lock.ts', '2');
    past.repository.git('commit', '-q', '-a', '--amend', '-m', 'Use a lock file beside the database');
    await past.readAll();
    const rows = past.listCommits();
    expect(rows.map(({ title }) => title)).toEqual(['Step one', 'Use a lock file beside the database']);
    expect(rows[1]?.id).toBe(before?.id);
    expect(rows[1]?.hash).not.toBe(old);
    expect((await past.search('lock file beside the database')).results).toHaveLength(1);
  });
});

test('commits that were rebased while the log was read elsewhere are not told twice', async () => {
  past.commit('Lay the base', { 'base.ts': '1' });
  past.repository.git('checkout', '-q', '-b', 'work');
  const names = ['Work one', 'Work two', 'Work three'];
  for (const name of names) past.commit(name, { [`${name}.ts`]: '1' });
  await past.readAll();
  past.repository.git('checkout', '-q', 'main');
  past.commit('Done meanwhile', { 'm.ts': '1' });
  await past.readAll();
  past.repository.git('checkout', '-q', 'work');
  past.repository.git('rebase', '-q', 'main');
  await past.readAll();
  const titles = past.listCommits().map(({ title }) => title);
  expect(titles.toSorted()).toEqual(['Done meanwhile', 'Lay the base', ...names.toSorted()]);
  // Also where the old ones are not there any more.
  past.repository.git('commit', '-q', '--amend', '-m', 'Work three, amended');
  past.repository.git('reflog', 'expire', '--expire=now', '--all');
  past.repository.git('gc', '-q', '--prune=now');
  await past.readAll();
  expect(past.listCommits()).toHaveLength(5);
});

describe('a revert', () => {
  test('rules out what was decided in the same turn, though it cites no file; not what was found out', async () => {
    past.commit('Lay the base', { 'a.ts': '0' });
    past.repository.write('a.ts', '1');
    past.remember('Show a toast', 'a.ts');
    past.commit('Show toasts', { 'a.ts': '1' });
    await past.readAll();
    const work = past.openWork();
    const decided = work.observe('Toasts rather than alerts', START + HOUR, { type: 'decision' });
    const found = work.observe('Alerts block the page', START + HOUR, { type: 'discovery' });
    past.repository.git('revert', '--no-edit', 'HEAD');
    await past.readAll();
    expect(past.knows(decided)?.outcome).toBe('ruled-out');
    expect(past.knows(found)?.outcome).toBeNull();
    past.repository.git('revert', '--no-edit', 'HEAD');
    await past.readAll();
    expect(past.knows(decided)?.outcome).toBeNull();
  });

  test('is named before the file is edited again', async () => {
    past.commit('Lay the base', { 'a.ts': '0' });
    past.commit('Show toasts', { 'a.ts': '1' });
    past.repository.git('revert', '--no-edit', 'HEAD');
    await past.readAll();
    const { db, repository } = past;
    const freshness = createFreshness({ db });
    const deps = { db, checkFreshness: freshness.check };
    const query = { projectId: past.openWork().projectId, sessionId: 0, root: repository.root, isExcluded: () => false };
    const note = await writeFileNote(deps, { ...query, path: 'a.ts' });
    expect(note.map(({ text }) => text).join('\n')).toMatch(/Show toasts .*\[ruled out\]/);
  });

  test('rules out the commit and the work that went into it, and a revert of it takes that back', async () => {
    past.commit('Lay the base', { 'a.ts': '0' });
    past.repository.write('a.ts', '1');
    const id = past.remember('Fixed the retry loop', 'a.ts');
    past.commit('Retry forever', { 'a.ts': '1' });
    past.repository.git('revert', '--no-edit', 'HEAD');
    await past.readAll();
    expect(past.find('Retry forever')?.outcome).toBe('ruled-out');
    expect(past.knows(id)?.outcome).toBe('ruled-out');
    past.repository.git('revert', '--no-edit', 'HEAD');
    await past.readAll();
    expect(past.find('Retry forever')?.outcome).toBeNull();
    expect(past.knows(id)?.outcome).toBe('unverified');
    expect(past.find('Revert "Retry forever"')?.outcome).toBe('ruled-out');
  });

  test('leaves alone what a person pinned, and is known by its subject as well', async () => {
    past.commit('Cache all (#12)', { 'a.ts': '1' });
    past.commit('Warm the cache', { 'b.ts': '1' });
    await past.readAll();
    past.db.query("UPDATE observations SET pinned = 1 WHERE title = 'Warm the cache'").run();
    past.commit('Revert "Cache all (#12)"\n\nReverts dev/shop#12', { 'a.ts': '2' });
    past.commit('Revert "Warm the cache"', { 'b.ts': '2' });
    await past.readAll();
    expect(past.find('Cache all (#12)')?.outcome).toBe('ruled-out');
    expect(past.find('Warm the cache')?.outcome).toBeNull();
  });
});

describe('a memory of a session', () => {
  test('knows the commit that its change went into, and search shows one of the two', async () => {
    past.commit('Lay the base', { 'src/header.ts': '0' });
    past.repository.write('src/header.ts', 'parsed');
    const id = past.remember('Fixed the header parser', 'src/header.ts');
    const other = past.remember('Looked at something else', 'src/other.ts');
    const head = past.commit('Fix the header parser', { 'src/header.ts': 'parsed' });
    await past.readAll();
    expect(past.knows(id)?.hash).toBe(head);
    expect(past.knows(other)?.hash).toBeNull();
    const shown = readMemories(past.db, [{ kind: 'observation', id: Number(id) }]).get(id);
    expect(shown && renderMemory(shown)).toContain(`  In: commit ${head.slice(0, 10)}`);
    const { results } = await past.search('header parser');
    expect(results[0]?.id).toBe(id);
    expect(results.map(({ title }) => title)).not.toContain('Fix the header parser');
    expect(results[0]?.alike).toEqual([String(past.find('Fix the header parser')?.id)]);
  });

  test('knows it also when it is stored after the commit was read', async () => {
    const head = past.commit('Fix it', { 'a.ts': '1' });
    await past.readAll();
    const id = past.remember('Fixed it all', 'a.ts', START + HOUR);
    await past.readAll();
    expect(past.knows(id)?.hash).toBe(head);
  });

  test('knows it by its files where the bytes were changed once more before the commit', async () => {
    past.commit('Lay the base', { 'a.ts': '0' });
    past.repository.write('a.ts', 'half');
    const id = past.remember('Began with the loop', 'a.ts');
    const head = past.commit('Finish the loop', { 'a.ts': 'whole', 'b.ts': '1' });
    await past.readAll();
    expect(past.knows(id)?.hash).toBe(head);
  });
});

test('what was decided about a file is known under the name that it has now', async () => {
  const long = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
  past.commit('Keep one file\n\nWe decided to keep one file rather than to run a server for it.', { 'old.ts': long });
  past.commit('Write another', { 'other.ts': '1' });
  past.repository.git('mv', 'old.ts', 'new.ts');
  past.commit('Call it by its name', {});
  past.commit('Say more', { 'new.ts': `${long}\nmore` });
  await past.readAll();
  const { db, repository } = past;
  const { projectId } = past.openWork();
  const place = { projectId, root: repository.root, path: 'new.ts', isExcluded: () => false };
  const note = await writeFileNote({ db, checkFreshness: createFreshness({ db }).check }, { ...place, sessionId: 0 });
  expect(note.map(({ text }) => text).join('\n')).toContain('Keep one file');
});
