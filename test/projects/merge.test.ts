// Two projects that become one, and one that is called otherwise.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { beginSilence, silencesAt } from '../../src/capture/silence.ts';
import { putSteps } from '../../src/memory/open-steps.ts';
import { listAliases } from '../../src/projects/keys.ts';
import { joinProject, mergeProjects, renameProject } from '../../src/projects/merge.ts';
import { ensureProject, findProject, findProjectBy, getProject } from '../../src/projects/projects.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const project = (key: string, more = {}) => ({ key, name: key.split('/').at(-1) ?? key, root: key, remote: null, ...more });
const known = (key: string) => findProject(store.db, key) ?? expect.unreachable(key);
const whences = () => store.db.query<{ whence: string }, []>('SELECT whence FROM documents ORDER BY id').all();
const found = (word: string) => store.db.query<{ n: number }, [string]>('SELECT count(*) AS n FROM words WHERE words MATCH ?').get(word)?.n;

describe('a merge', () => {
  test('moves every row that names the project, in every table there is', () => {
    const { db } = store;
    const [from, into] = [openShelf(db, '/dev/old', 's-old'), openShelf(db, '/dev/new', 's-new')];
    from.observe('Cut releases on mondays', 1, { filesModified: ['a.ts'] });
    from.sumUp(2, { request: 'Release it' });
    from.ask('release it', 3);
    const step = { text: 'Tag the release', source: 'closing' } as const;
    putSteps(db, { sessionId: from.sessionId, projectId: from.projectId, promptNumber: 1, at: 3 }, [step]);
    into.observe('Kept', 1);
    db.run(`INSERT INTO error_marks VALUES (${from.projectId}, 'm', 1)`);
    db.run(`INSERT INTO git_logs VALUES ('/dev/old', ${from.projectId}, 'h', 1)`);
    db.run(`INSERT INTO project_roots VALUES ('/dev/old', ${from.projectId}, 'seen', NULL)`);
    db.run(`INSERT INTO commits (project_id, hash, author_at_epoch) VALUES (${from.projectId}, 'c', 1)`);
    const tables = db
      .query<{ name: string }, []>(
        `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'project_id' WHERE m.type = 'table'`,
      )
      .all()
      .map(({ name }) => name);
    const rowsOf = (id: number) => tables.filter((name) => db.query(`SELECT 1 FROM ${name} WHERE project_id = ?`).get(id) !== null);
    // A new table that nobody moves would be found empty here, or be left behind below.
    expect(rowsOf(from.projectId).sort()).toEqual(tables.filter((name) => name !== 'project_aliases').sort());

    const moved = mergeProjects(db, { from: known('/dev/old'), into: known('/dev/new') }, 5);

    expect(moved).toEqual({ sessions: 1, observations: 1, summaries: 1 });
    expect(rowsOf(from.projectId)).toEqual([]);
    expect(getProject(db, from.projectId)).toBeNull();
    expect(known('/dev/old').id).toBe(into.projectId);
    expect(ensureProject(db, project('/dev/old'), 6).id).toBe(into.projectId);
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([]);
  });

  test('takes aliases and silences along, and both keys lead to it', () => {
    const { db } = store;
    for (const key of ['/dev/a', '/dev/b', '/dev/c']) ensureProject(db, project(key), 0);
    beginSilence(db, { scope: 'project', key: '/dev/a', since: 1, until: null });
    mergeProjects(db, { from: known('/dev/a'), into: known('/dev/b') }, 1);
    mergeProjects(db, { from: known('/dev/b'), into: known('/dev/c') }, 2);
    expect(listAliases(db, known('/dev/c').id)).toEqual(['/dev/a', '/dev/b']);
    expect(known('/dev/a').key).toBe('/dev/c');
    expect(silencesAt(db, 9)).toMatchObject([{ key: '/dev/c' }]);
  });

  test('of two that know the same commit and the same error keeps each once', () => {
    const { db } = store;
    const [from, into] = [openShelf(db, '/dev/old', 's-old'), openShelf(db, '/dev/new', 's-new')];
    const twin = from.observe('Fix the parser', 1);
    const pinned = from.observe('Fix the lexer', 1);
    const own = into.observe('Fix the parser', 1);
    db.run(`UPDATE observations SET pinned = 1 WHERE id = ${pinned}`);
    for (const [shelf, hash, id] of [
      [from, 'c1', twin],
      [from, 'c2', pinned],
      [into, 'c1', own],
      [into, 'c2', null],
    ] as const)
      db.run(`INSERT INTO commits (project_id, hash, observation_id, author_at_epoch) VALUES (${shelf.projectId}, '${hash}', ${id}, 1)`);
    for (const shelf of [from, into]) db.run(`INSERT INTO error_marks VALUES (${shelf.projectId}, 'm', ${pinned})`);
    mergeProjects(db, { from: known('/dev/old'), into: known('/dev/new') }, 5);
    const left = db.query<{ id: number }, []>('SELECT id FROM observations ORDER BY id').all();
    expect(left.map(({ id }) => String(id))).toEqual([pinned, own]);
    expect(db.query('SELECT hash FROM commits ORDER BY hash').all()).toEqual([{ hash: 'c1' }, { hash: 'c2' }]);
    expect(db.query('SELECT count(*) AS n FROM error_marks').get()).toEqual({ n: 1 });
    checkDocuments(db);
  });

  test('into itself is refused', () => {
    const { id } = ensureProject(store.db, project('/dev/a'), 0);
    expect(() => mergeProjects(store.db, { from: known('/dev/a'), into: known('/dev/a') }, 1)).toThrow('itself');
    expect(getProject(store.db, id)).not.toBeNull();
  });
});

test('a repository that has moved goes on as the one it was, with its parts', () => {
  const { db } = store;
  const part = (whole: string, root: string) =>
    ({ key: `${whole}#packages/a`, name: 'x/packages/a', root, remote: null, part: 'packages/a' }) as const;
  const old = openShelf(db, '/dev/old', 's-old');
  old.observe('Kept', 1);
  const oldPart = ensureProject(db, part('/dev/old', '/dev/old'), 0);
  ensureProject(db, project('/dev/new', { name: 'new' }), 1);
  ensureProject(db, part('/dev/new', '/dev/new'), 1);
  const here = project('/dev/new', { name: 'new' });
  joinProject(db, { fresh: known('/dev/new'), into: known('/dev/old'), here, hasMoved: true }, 2);
  expect(known('/dev/new')).toMatchObject({ id: old.projectId, name: 'new', root: '/dev/new' });
  expect(known('/dev/new#packages/a').id).toBe(oldPart.id);
  expect(listAliases(db, old.projectId)).toEqual(['/dev/old']);
  // Its old place means it only as long as no other repository lies there.
  expect(findProjectBy(db, project('/dev/old/src', { isPlain: true }))?.id).toBe(old.projectId);
  expect(findProjectBy(db, project('/dev/old'))).toBeNull();
  expect(ensureProject(db, project('/dev/old'), 3).id).not.toBe(old.projectId);
});

test('memories are found by the new name of their project after a rename and a merge, and not by the old one', () => {
  const { db } = store;
  const [shop, other] = [openShelf(db, '/dev/zebrashop', 's1'), openShelf(db, '/dev/giraffe', 's2')];
  for (let at = 1; at <= 5; at++) shop.observe(`Thing ${at}`, at * 1000);
  other.observe('Other', 9000);
  renameProject(db, shop.projectId, 'Zebra store');
  expect([found('zebrashop'), found('zebra')]).toEqual([0, 5]);
  expect(whences()[0]?.whence).toMatch(/^Thursday 1 January 1970 Zebra store$/);
  mergeProjects(db, { from: known('/dev/giraffe'), into: known('/dev/zebrashop') }, 2);
  expect([found('giraffe'), found('zebra')]).toEqual([0, 6]);
  // A name that ends as the one before does.
  renameProject(db, shop.projectId, 'store');
  expect([found('zebra'), found('store')]).toEqual([0, 6]);
  checkDocuments(db);
});
