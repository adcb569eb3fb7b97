import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ObservationDraft, ObservationType } from '../../src/core/observation.ts';
import { formatDate, startsOfDays } from '../../src/core/time.ts';
import { hideMemories } from '../../src/memory/hide.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { countAll, countByDay } from '../../src/memory/overview.ts';
import { findPaths } from '../../src/paths.ts';
import { createLatencies, createQueueTrend, readStats } from '../../src/server/status.ts';
import { userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
const NOW = new Date(2026, 4, 20, 15, 30).getTime();

beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

function add(cwd: string, at: number, type: ObservationType = 'bugfix'): void {
  store.take('new', userPrompt(`s-${cwd}`, cwd, 'Go on'));
  const session = store.db
    .query<{ id: number; projectId: number }, [string]>('SELECT id, project_id AS projectId FROM sessions WHERE host_session_id = ?')
    .get(`s-${cwd}`);
  const { id: sessionId, projectId } = session ?? { id: 0, projectId: 0 };
  const draft: ObservationDraft = {
    ...{ type, title: `Of ${at}`, subtitle: null, narrative: null, facts: [], concepts: [], filesRead: [] },
    ...{ filesModified: [], outcome: null, origin: 'agent', sources: [], at },
  };
  const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
  insertObservation(store.db, owner, draft);
}

const dayOf = (year: number, month: number, day: number, hour: number) => new Date(year, month - 1, day, hour).getTime();
const counted = () => countByDay(store.db, { now: NOW, days: 30 });
const filled = () =>
  counted()
    .filter(({ types }) => Object.values(types).some((n) => n > 0))
    .map(({ day, types }) => [day, types.bugfix, types.feature]);

describe('the last thirty days', () => {
  test('are all there, oldest first, today last', () => {
    const days = counted();
    expect(days).toHaveLength(30);
    expect([days[0]?.day, days[29]?.day]).toEqual(['2026-04-21', '2026-05-20']);
    const none = { decision: 0, bugfix: 0, feature: 0, refactor: 0, discovery: 0, change: 0 };
    expect(days[12]?.types).toEqual(none);
  });

  test('count each type on the day it happened, from midnight to midnight', () => {
    add('/shop', dayOf(2026, 5, 20, 0));
    add('/shop', dayOf(2026, 5, 19, 23), 'feature');
    add('/shop', dayOf(2026, 5, 19, 0));
    add('/shop', dayOf(2026, 4, 21, 0));
    add('/shop', dayOf(2026, 4, 20, 23));
    expect(filled()).toEqual([
      ['2026-04-21', 1, 0],
      ['2026-05-19', 1, 1],
      ['2026-05-20', 1, 0],
    ]);
  });

  test('are without what is hidden', () => {
    add('/shop', dayOf(2026, 5, 20, 9));
    store.db.transaction(() => hideMemories(store.db, [{ kind: 'observation', id: 1 }], NOW)).immediate();
    expect(filled()).toEqual([]);
  });
});

describe('days that are longer or shorter than others', () => {
  test('begin at midnight where we are', () => {
    const days = startsOfDays(dayOf(2026, 11, 5, 12), 60);
    expect(days.every((start) => new Date(start).getHours() === 0)).toBe(true);
    expect(new Set(days.map(formatDate)).size).toBe(61);
  });
});

test('counts what can be found', () => {
  add('/shop', NOW);
  add('/bank', NOW);
  expect(countAll(store.db)).toEqual({ observations: 2, summaries: 0, prompts: 2, sessions: 2, projects: 2 });
});

test('days on which nothing was spent are there, too', () => {
  store.db.run(`INSERT INTO model_calls (provider, model, input_tokens, status, created_at, created_at_epoch)
    VALUES ('claude', 'm', 5, 'answered', 'now', ${dayOf(2026, 5, 18, 9)})`);
  const queue = createQueueTrend({ db: store.db, clock: () => NOW });
  const budget = { dailyTokens: 1, dailyCalls: 1, sessionTokens: 1, sessionCalls: 1 };
  const status = () => ({
    ...{ provider: null, model: null, why: '', waiting: 0, quarantined: 0, pause: null, problems: [] },
    ...{ spentToday: { tokens: 0, calls: 0 }, budget, exhausted: null },
  });
  const deps = { db: store.db, paths: findPaths('/nowhere'), spooled: () => [], model: { status }, latencies: createLatencies(), queue };
  const { spend, queue: depth } = readStats({ ...deps, clock: () => NOW });
  queue.close();
  expect(spend.byDay.slice(0, 4).map(({ name, input }) => [name, input])).toEqual([
    ['2026-05-20', 0],
    ['2026-05-19', 0],
    ['2026-05-18', 5],
    ['2026-05-17', 0],
  ]);
  expect([spend.byDay.length, depth]).toEqual([14, { depth: 0, oldestMs: null, slope: 0 }]);
});
