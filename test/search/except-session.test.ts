// Whoever asks from within a session does not find that session, at whatever size its project is.
import { expect, test } from 'bun:test';
import { createScopes, toCondition } from '../../src/search/filters.ts';
import { isAccepted } from '../../src/search/vector-index.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore } from '../support/store.ts';

test('leaves out the documents of one session, and no others', () => {
  const { db, close } = createTestStore();
  const [own, other] = [openShelf(db, '/shop', 'own'), openShelf(db, '/shop', 'other')];
  own.ask('retry budget', 1);
  other.ask('retry budget', 2);
  own.observe('retry budget', 3);
  const filters = { projectIds: [own.projectId], exceptSession: own.sessionId };
  const { accept, count } = createScopes(db)(filters, toCondition(filters));
  const rows = db.query<{ id: number; session: number }, []>('SELECT id, session_id AS session FROM documents').all();
  expect(count).toBe(1);
  for (const { id, session } of rows) expect(accept && isAccepted(accept, id)).toBe(session === other.sessionId);
  close();
});
