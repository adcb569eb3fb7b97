import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { completeSession, countSessions } from '../../src/capture/sessions.ts';
import { recallFile } from '../../src/context/known-notes.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { type CommitRow, insertCommit } from '../../src/memory/git-log.ts';
import { readRecap } from '../../src/search/rollup.ts';
import { insertBatch } from '../../src/store/batches.ts';
import { EMPTY_OBSERVATION, openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { tell } from './told.ts';

let store: TestStore;
let db: Database;
let work: Shelf;
const ROOT = '/home/dev/shop';
const DAY = 86_400_000;
const START = Date.parse('2026-03-01T08:00:00Z');

beforeEach(() => {
  store = createTestStore();
  db = store.db;
  work = openShelf(db, ROOT, 's1');
});
afterEach(() => store.close());

/** Read as it was written, unless it says otherwise. */
function commit(title: string, at: number, more: Partial<ObservationDraft> = {}, row: Partial<CommitRow> = {}): string {
  const { projectId } = work;
  const owner = { sessionId: null, projectId, promptNumber: 0, batchId: null, isProvisional: false };
  const draft: ObservationDraft = { ...EMPTY_OBSERVATION, origin: 'commit', title, at, ...more };
  const whole = { projectId, hash: hashOf(title), authoredAt: at, reverts: null, readAt: at, isOwn: true, isRoutine: false };
  return String(insertCommit(db, { ...whole, ...row }, { owner, draft, evidence: bareEvidence(draft) }));
}

const hashOf = (title: string) => new Bun.CryptoHasher('sha1').update(title).digest('hex');

/** Distinct words: nothing is folded with anything. */
const name = (n: number) => ['alpha', 'bravo', 'cedar', 'delta', 'ember', 'flint'][n % 6] + String.fromCharCode(97 + n / 6) + n;

async function idsTold(circumstances: Parameters<typeof tell>[1] = {}): Promise<string[]> {
  const { pieces } = await tell(db, { projectId: work.projectId, ...circumstances });
  return pieces.flatMap(({ record }) => (record?.ref.kind === 'observation' ? [String(record.ref.id)] : []));
}

test('of many commits only the few since the last session are told, beside all that sessions said', async () => {
  const said = [1, 2, 3, 4].map((n) => work.observe(`Learned ${name(n)}`, START + n * DAY, { type: 'discovery' }));
  completeSession(db, work.sessionId, 'exit', START + 5 * DAY);
  const before = Array.from({ length: 150 }, (_, n) => commit(`Old ${name(n)}`, START + n * 1000));
  const since = Array.from({ length: 20 }, (_, n) => commit(`New ${name(n)}`, START + 6 * DAY + n * 1000));
  const told = await idsTold();
  expect(said.every((id) => told.includes(id))).toBe(true);
  expect(told.filter((id) => since.includes(id))).toHaveLength(5);
  expect(told.filter((id) => before.includes(id))).toEqual([]);
  const { pieces } = await tell(db, { projectId: work.projectId });
  expect(pieces.flatMap(({ record }) => record?.why ?? [])).toContain('since the last session');
});

test('what was decided in a commit is told, and one that touches a file at hand', async () => {
  completeSession(db, work.sessionId, 'exit', START + 9 * DAY);
  const decided = commit('Keep one file', START, { type: 'decision', narrative: 'rather than a server' });
  const touching = commit('Tune the parser', START + 1000, { filesModified: ['src/parse.ts'] });
  const other = commit('Tune the printer', START + 2000, { filesModified: ['src/print.ts'] });
  const told = await idsTold({ surroundings: { dirty: new Set(['src/parse.ts']) } });
  expect(told.toSorted()).toEqual([decided, touching].toSorted());
  expect(told).not.toContain(other);
});

test('commits take no more than a third of the index', async () => {
  for (let n = 0; n < 20; n++) commit(`Decided ${name(n)}`, START + n, { type: 'decision' });
  expect(await idsTold({ settings: { contextIndex: 10 } })).toHaveLength(3);
});

test('a commit that a session tells of is left to the session', async () => {
  const id = work.observe('Fixed the parser', START, { type: 'bugfix' });
  commit('fix the parser of headers', START + DAY, { type: 'decision' });
  db.query('UPDATE observations SET commit_hash = ? WHERE id = ?').run(hashOf('fix the parser of headers'), Number(id));
  expect(await idsTold()).toEqual([id]);
  const recap = readRecap(db, { projectIds: null, since: 0, until: START * 2, now: START + 2 * DAY });
  expect(recap.projects.map(({ sessions, done }) => [sessions, done.map((row) => row.id)])).toEqual([[1, [id]]]);
  expect(Object.values(countSessions(db)).reduce((sum, n) => sum + n, 0)).toBe(1);
});

test('memories of the files at hand are found behind any number of commits of them', async () => {
  const id = work.observe('Mended the parser', START - 900 * DAY, { type: 'bugfix', filesModified: ['src/parse.ts'] });
  for (let n = 0; n < 130; n++) work.observe(`Later ${name(n)}`, START + n);
  db.transaction(() => {
    for (let n = 0; n < 700; n++) commit(`Step ${name(n)}`, START + n, { filesModified: ['src/parse.ts'] });
  }).immediate();
  expect(await idsTold({ surroundings: { dirty: new Set(['src/parse.ts']) } })).toContain(id);
});

test('before an edit, what a session learned comes before what a commit decided', () => {
  const said = work.observe('Keep the parser strict', START, { type: 'decision', filesModified: ['a.ts'] });
  const decided = commit('Let the tokens be lazy', START + DAY, { type: 'decision', filesModified: ['a.ts'] });
  const query = { projectId: work.projectId, sessionId: 0, path: 'a.ts', isExcluded: () => false };
  expect(recallFile(db, query).map(({ id }) => String(id))).toEqual([said, decided]);
});

describe('what came while nobody was there', () => {
  const ended = START + 5 * DAY;
  const routine = (title: string, at: number) => commit(title, at, {}, { isRoutine: true });

  test('chores take no place, and are counted in one line', async () => {
    const said = work.observe('Keep the parser strict', START, { type: 'decision' });
    completeSession(db, work.sessionId, 'exit', ended);
    for (let n = 0; n < 7; n++) routine(`chore: bump ${name(n)}`, ended + DAY + n);
    const told = [1, 2, 3].map((n) => commit(`Add ${name(n)}`, ended + DAY + n, { type: 'feature' }));
    expect((await idsTold()).toSorted()).toEqual([said, ...told].toSorted());
    const { context } = await tell(db, { projectId: work.projectId });
    expect(context).toContain('Since the last session: 10 commits, 7 of them routine.');
    expect(context.match(/10 commits/g)).toHaveLength(1);
  });

  test('is what was read after it, whenever it was written; a first reading is none', async () => {
    completeSession(db, work.sessionId, 'exit', ended);
    const pulled = commit('Move the queue to Redis', START, {}, { readAt: ended + DAY });
    commit('Tune the printer', START, {}, { readAt: ended - DAY });
    commit('Tune the parser', ended + DAY, {}, { readAt: 0 });
    // What the session committed itself is read in the moments after its end.
    commit('Tune the lexer', ended - 1000, {}, { readAt: ended + 2000 });
    expect(await idsTold()).toEqual([pulled]);
    expect(await idsTold({ since: ended })).toEqual([pulled]);
  });
});

test('commits of others are told as such, once a session has worked there, and are not among what was done', async () => {
  commit('Keep one file', START, { type: 'decision', narrative: 'rather than a server' }, { isOwn: false });
  const own = commit('fix: parse headers', START, { type: 'bugfix' });
  commit('fix: print headers', START, { type: 'bugfix' }, { isOwn: false });
  expect((await tell(db, { projectId: work.projectId })).context).not.toContain('Keep one file');
  const worked = work.observe('Add a parser', START, { type: 'feature', filesModified: ['a.ts'] });
  const batch = insertBatch(db, { sessionId: work.sessionId, promptNumber: 1, status: 'done', at: START });
  db.query('UPDATE observations SET batch_id = ? WHERE id = ?').run(batch, Number(worked));
  const { context } = await tell(db, { projectId: work.projectId });
  expect(context).toMatch(/Keep one file \(.*commit by others or unproven\)/);
  const recap = readRecap(db, { projectIds: null, since: 0, until: START * 2, now: START + 2 * DAY });
  expect(recap.projects[0]?.done.map(({ id }) => id).toSorted()).toEqual([own, worked].toSorted());
  expect(recap.projects[0]?.decided.map(({ title }) => title)).toEqual(['Keep one file (by others or unproven)']);
});

describe('of commits that say the same', () => {
  const DECIDED = { type: 'decision', filesModified: ['a.ts'] } as const;
  const more = (narrative: string | null) => ({ ...DECIDED, filesModified: ['a.ts'], narrative });

  test('the newest that says why is told, at the start and before an edit', async () => {
    commit('Keep the sessions in one SQLite file', START, more('A server must be run by somebody.'));
    const why = commit('Keep sessions in one SQLite file', START + 1, more('Nobody wants to run a server.'));
    commit('Keep all sessions in one SQLite file', START + 2, more(null));
    expect(await idsTold()).toEqual([why]);
    const query = { projectId: work.projectId, sessionId: 0, path: 'a.ts', isExcluded: () => false };
    expect(recallFile(db, query).map(({ id }) => String(id))).toEqual([why]);
  });
});

test('a project of which only the log is known is told the few that say why, and is not called without memory', async () => {
  for (let n = 0; n < 40; n++) commit(`Step ${name(n)}`, START + n, {}, { readAt: 0 });
  const empty = await tell(db, { projectId: work.projectId });
  expect(empty.context).toBe('');
  expect(empty.message).toContain('knows the git log');
  db.query('DELETE FROM sessions WHERE id = ?').run(work.sessionId);
  for (let n = 0; n < 9; n++)
    commit(`Chose ${name(n)}`, START + n, { type: 'decision', narrative: `because of ${name(n + 9)}` }, { readAt: 0 });
  expect(await idsTold()).toHaveLength(4);
});

test('a summary does not say that something is completed of which all was reverted', async () => {
  const id = work.observe('Added toasts', START, { type: 'feature', outcome: 'ruled-out' });
  work.sumUp(START, { request: 'Show errors', completed: 'Errors are shown as toasts', learned: 'Alerts block' });
  db.query('UPDATE observations SET commit_hash = ? WHERE id = ?').run('a'.repeat(40), Number(id));
  const { context } = await tell(db, { projectId: work.projectId });
  expect(context).toContain('feature Added toasts');
  expect(context).toContain('[ruled out]');
  expect(context).not.toContain('Errors are shown as toasts');
  expect(context).not.toContain('Completed: ');
  const recap = () => readRecap(db, { projectIds: null, since: 0, until: START * 2, now: START + DAY }).projects;
  expect(recap().flatMap(({ done }) => done)).toEqual([]);
  work.observe('Added a log of errors', START, { type: 'feature', outcome: 'passed' });
  db.query("UPDATE observations SET commit_hash = ? WHERE title = 'Added a log of errors'").run('b'.repeat(40));
  expect((await tell(db, { projectId: work.projectId })).context).not.toContain('reverted');
});
