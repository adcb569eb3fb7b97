import { afterEach, beforeEach, expect, test } from 'bun:test';
import { ensureSession } from '../../../src/capture/sessions.ts';
import { isoTime } from '../../../src/core/time.ts';
import { ensureProject } from '../../../src/projects/projects.ts';
import { spendByProject } from '../../../src/store/model-calls.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

/** One call of so many tokens in a project of its own. */
function spend(root: string, tokens: number, key = root): void {
  const { db } = store;
  const name = root.slice(root.lastIndexOf('/') + 1);
  const { id: projectId } = ensureProject(db, { key, name, root, remote: null }, 1);
  const session = ensureSession(db, { host: 'h', hostSessionId: key, projectId, cwd: root, root, branch: null, at: 1 });
  db.query(
    `INSERT INTO model_calls (session_id, provider, model, input_tokens, status, created_at, created_at_epoch)
     VALUES (?, 'claude', 'm', ?, 'answered', ?, 1)`,
  ).run(session.id, tokens, isoTime(1));
}

const spent = () => spendByProject(store.db, 10).map(({ name, input }) => [name, input]);

test('names a project by its folder, and by the one above where two have the same', () => {
  spend('/home/me/shop', 30);
  spend('/home/me/one/app', 20);
  spend('/home/me/two/app', 10);
  expect(spent()).toEqual([
    ['shop', 30],
    ['one/app', 20],
    ['two/app', 10],
  ]);
});

test('names projects by their keys when their folders cannot tell them apart', () => {
  spend('/a/one/app', 30);
  spend('/b/one/app', 20);
  spend('/b/one/app', 10, 'github.com/me/app');
  expect(spent()).toEqual([
    ['/a/one/app', 30],
    ['/b/one/app', 20],
    ['github.com/me/app', 10],
  ]);
});

test('keeps what was spent for a session that is gone', () => {
  store.db.run(`INSERT INTO model_calls (provider, model, input_tokens, status, created_at, created_at_epoch)
    VALUES ('claude', 'm', 5, 'answered', 'now', 1)`);
  expect(spent()).toEqual([[null, 5]]);
});
