import { expect, test } from 'bun:test';
import { countSessions, ensureSession } from '../../src/capture/sessions.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore } from '../support/store.ts';

test('what was noted by hand and what was committed are sessions of nobody', () => {
  const store = createTestStore();
  const { projectId } = openShelf(store.db, '/home/dev/shop', 'one');
  const place = { projectId, cwd: '/home/dev/shop', root: '/home/dev/shop', branch: null, at: 0 };
  for (const host of ['git', 'claude-mem']) ensureSession(store.db, { host, hostSessionId: `${host}:${projectId}`, ...place });
  expect(countSessions(store.db)).toEqual({ initialized: 1 });
  store.close();
});
