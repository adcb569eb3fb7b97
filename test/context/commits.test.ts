import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { recallFile } from '../../src/context/before-edit.ts';
import { orderFinds } from '../../src/context/recall-commits.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { createFinder } from '../../src/search/find.ts';
import { readRecap } from '../../src/search/recap.ts';
import { insertCommit } from '../../src/store/commits.ts';
import { completeSession, countSessions, ensureSession } from '../../src/store/sessions.ts';
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

function commit(title: string, at: number, more: Partial<ObservationDraft> = {}): string {
  const { projectId } = work;
  const place = { cwd: ROOT, root: ROOT, branch: null, at };
  const sessionId = ensureSession(db, { host: 'git', hostSessionId: 'git:1', projectId, ...place }).id;
  const owner = { sessionId, projectId, promptNumber: 0, batchId: null, isProvisional: false };
  const draft: ObservationDraft = { ...EMPTY_OBSERVATION, origin: 'commit', title, at, ...more };
  const row = { projectId, hash: hashOf(title), authoredAt: at, reverts: null };
  return String(insertCommit(db, row, { owner, draft, evidence: bareEvidence(draft) }));
}

const hashOf = (title: string) => new Bun.CryptoHasher('sha1').update(title).digest('hex');

/** Distinct words: nothing is folded with anything. */
const name = (n: number) =>
  ['alpha', 'bravo', 'cedar', 'delta', 'ember', 'flint'][n % 6] + String.fromCharCode(97 + n / 6) + n;

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

test('commits take no more than a fifth of the index', async () => {
  for (let n = 0; n < 20; n++) commit(`Decided ${name(n)}`, START + n, { type: 'decision' });
  expect(await idsTold({ settings: { contextIndex: 10 } })).toHaveLength(2);
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
  const query = { projectId: work.projectId, sessionId: 0, path: 'a.ts' };
  expect(recallFile(db, query).map(({ id }) => String(id))).toEqual([said, decided]);
});

test('a first prompt is answered by what a session said, and by a commit where it is clearly the better match', async () => {
  const finder = createFinder({ db, models: () => [], clock: () => START });
  const said = Number(work.observe('The lease of the scheduler lasts ninety seconds', START, { type: 'decision' }));
  const decided = Number(commit('Let the lease of the scheduler last ninety seconds', START, { type: 'decision' }));
  const both = await finder.find('how long does the lease of the scheduler last', { projectIds: null });
  const [first, second] = orderFinds(db, both).map(({ scored }) => scored.map(({ candidate }) => candidate.ref));
  expect(first).toEqual([said]);
  expect(second?.toSorted()).toEqual([said, decided]);
  const alone = {
    ...both,
    scored: both.scored.map((item) => ({ ...item, score: item.candidate.ref === said ? 0.1 : 1 })),
  };
  expect(orderFinds(db, alone)[0]?.scored).toHaveLength(2);
});
