// A memory with everything in it that an export has to carry.
import type { Database } from 'bun:sqlite';
import { insertPrompt } from '../../src/capture/prompts.ts';
import { remember } from '../../src/capture/remember.ts';
import { completeSession, countPrompt, describeSession } from '../../src/capture/sessions.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import { distrust } from '../../src/memory/blocked.ts';
import { correct } from '../../src/memory/edit.ts';
import { hideMemories } from '../../src/memory/hide.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { bury } from '../../src/store/tombstones.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { EMPTY_OBSERVATION, openShelf, replaced } from './memories.ts';

export const DAY = 86_400_000;
export const START = Date.parse('2026-01-02T10:00:00.123Z');

const RECORDED = { promptNumber: 1, branch: 'main', headBefore: 'a1b2c3d', head: 'e4f5a6b' };

/** Two projects, interleaved sessions, and every mark that a memory can carry. */
export function fillMemory(db: Database): void {
  const shop = openShelf(db, '/work/shop', 'session-shop');
  const other = openShelf(db, '/work/other', 'session-other');
  shop.ask('Make the queue survive a crash', START);
  putTurn(
    db,
    { ...RECORDED, sessionId: shop.sessionId, startedAt: START, endedAt: START + 900 },
    {
      steps: [
        { kind: 'said', text: 'I look at the queue first.\n\n── not a step' },
        { kind: 'ran', command: 'bun test queue', isOk: false, output: 'expected 3, found 0' },
        { kind: 'edited', file: 'src/queue.ts', isNew: false, added: 1, removed: 1, diff: '@@ 3\n-a\n+b' },
      ],
      closing: 'The queue survives a crash now: it keeps a journal.',
    },
  );
  insertPrivate(db, shop.sessionId, START + 1000);
  const old = shop.observe('Retries use a fixed delay', START + 2000, {
    type: 'decision',
    narrative: 'A fixed delay of 5 s.\n\nIt was the simplest.',
    facts: [{ text: 'The delay is 5 s', sources: ['event-1', 'event-2'] }],
    concepts: ['queue', 'gotcha'],
    sources: ['event-1', 'event-2'],
  });
  other.observe('Ein Umlaut: ü, 漢字, 🙂 and "quotes"', START + 2500, { subtitle: 'back\\slash\ttab', origin: 'web' });
  const now = shop.observe('Retries use exponential backoff', START + 3000, {
    type: 'decision',
    narrative: 'A fixed delay hammered the server.',
    outcome: 'passed',
    origin: 'user',
    filesModified: ['src/queue.ts'],
  });
  replaced(db, old, now, { words: 'A fixed delay hammered the server', at: START + 3000 });
  shop.sumUp(START + 4000, { request: 'Make the queue survive', nextSteps: 'Measure it', filesEdited: ['src/queue.ts'] });
  addWithEvidence(db, shop);
  const pinned = shop.observe('Never log the token', START + 6000, { type: 'decision', origin: 'user' });
  const say = (id: string, said: object, at: number) => correct(db, { kind: 'observation', id: Number(id) }, { ...said, by: 'user' }, at);
  say(pinned, { pinned: true }, START);
  const wrong = shop.observe('The cache is thread safe', START + 6000, { sources: ['event-7'] });
  say(wrong, { wrong: true }, START + 7000);
  const edited = shop.observe('The port is 80', START + 6000, { sources: ['event-7'] });
  say(edited, { title: 'The port is 8080', facts: ['8080, not 80'] }, START + 8000);
  shop.observe('Two of one turn, not edited', START + 6000, { sources: ['event-7'] });
  const hidden = other.observe('Nobody is to see this', START + 9000);
  hideMemories(db, [{ kind: 'observation', id: Number(hidden) }], START);
  remember(db, { text: 'Everywhere: tabs are four spaces wide.', global: true, by: 'user' }, START + 9500);
  remember(db, { text: 'Deploy on Tuesdays only.', project: 'shop', by: 'user' }, START + 9600);
  describeSession(db, shop.sessionId, { title: 'A queue that survives', subtitle: 'with backoff', isSummarized: false });
  completeSession(db, other.sessionId, 'logout', START + 10_000);
  distrust(db, 'host:strange', START);
  bury(db, 'text', 'a'.repeat(32), START);
  bury(db, 'session', 'session-forgotten', START);
  addProjectMarks(db, shop.projectId);
}

function insertPrivate(db: Database, sessionId: number, at: number): void {
  const promptNumber = countPrompt(db, sessionId, '');
  insertPrompt(db, { sessionId, promptNumber, promptId: 'prompt-2', text: '', isPrivate: true, at });
}

function addWithEvidence(db: Database, shop: { sessionId: number; projectId: number }): void {
  const draft = { ...EMPTY_OBSERVATION, title: 'Fix the race', type: 'bugfix' as const, at: START + 5000 };
  const owner = { ...shop, promptNumber: 2, batchId: null, isProvisional: true };
  const id = insertObservation(db, owner, draft, {
    ...bareEvidence(draft),
    head: 'c'.repeat(40),
    branch: 'main',
    citations: [
      { path: 'src/a.ts', did: 'changed', blob: 'b1', before: '', added: ['x1', 'x2'], removed: [] },
      { path: 'src/b.ts', did: 'read', blob: null, before: null, added: [], removed: ['y'] },
    ],
    errorMarks: ['mark-2', 'mark-1'],
    isQuarantined: true,
    trust: 1,
  });
  db.query('UPDATE observations SET commit_hash = ?, kept = 1 WHERE id = ?').run('d'.repeat(40), id);
  const commit = db.query('INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  commit.run(shop.projectId, 'd'.repeat(40), id, START, null, 0, 0, 0);
  commit.run(shop.projectId, 'e'.repeat(40), null, START, 'd'.repeat(40), 0, null, 1);
}

function addProjectMarks(db: Database, projectId: number): void {
  db.query("UPDATE projects SET first_commit = 'f00', is_renamed = 1, remote = 'git@x:dev/shop' WHERE id = ?").run(projectId);
  db.query("INSERT INTO project_aliases VALUES ('/old/shop', ?, '2026-01-01T00:00:00.000Z')").run(projectId);
}
