import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { beginRescan, holdsSecret, rescanSlice } from '../../src/forget/rescan.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

/** Columns that never hold what somebody said: kinds and states of ours, ids, times, hashes, and addresses of files and folders of this disk. */
const OWN = new RegExp(
  [
    '\\.(kind|type|status|host|author|occasion|scope|did|how|origin|section|freshness|made_by|why|was|observer|command|access|provider|model|agent_id|listed)$',
    '\\.(id|\\w*_id|\\w*_kind|key|mark|name|hash|commit_hash|head|head_before|head_after|first_commit|reverts|blob|before|added|removed|beginning)$',
    '\\.(\\w+_at|provenance|steps|closed_how|part|seal)$',
    '\\.(cwd|root|remote)$|^transcripts\\.path$',
    // Made anew from the rows that are looked at.
    '^documents\\.',
    // Ids, clocks and hashes: what is sent is read from the rows that are looked at.
    '^sync_(state|changes|records)\\.',
    // Of an event, an observation or a telling: where its words come from, by a word of ours.
    '^(observations\\.sources|open_steps\\.source|bad_inputs\\.reason|distrusted\\.source)$',
  ].join('|'),
);

test('every column that may hold what somebody said is looked at', () => {
  const columns = store.db
    .query<{ name: string }, []>(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.type = 'TEXT' AND t.sql LIKE '%STRICT%' -- of a test`,
    )
    .all()
    .map(({ name }) => name);
  const isSeen = (column: string) => {
    const [table, name] = column.split('.');
    const copy = new Database(':memory:');
    copy.run(`CREATE TABLE ${table} (${name} TEXT)`);
    copy.run(`INSERT INTO ${table} VALUES (?)`, [SECRET]);
    return holdsSecret(copy);
  };
  expect(columns.length).toBeGreaterThan(80);
  expect(columns.filter((column) => !isSeen(column) && !OWN.test(column))).toEqual([]);
});

const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

test.each([
  [
    'the files of a summary',
    `INSERT INTO summaries (session_id, project_id, files_read, files_edited, hash, created_at, created_at_epoch)
     VALUES (1, 1, '["notes/${SECRET}.md"]', '["${SECRET}"]', 'h', '', 1)`,
  ],
  [
    'why a model rests',
    `INSERT INTO model_pauses (access, kind, until_epoch, times, message, updated_at) VALUES ('a', 'auth', 1, 1, 'key ${SECRET} refused', '')`,
  ],
  [
    'how far a job is',
    `INSERT INTO jobs (kind, parameters, status, progress, created_at, created_at_epoch) VALUES ('import', '{}', 'done', '{"file":"${SECRET}"}', '', 1)`,
  ],
  [
    'the record of a turn',
    `INSERT INTO turns (session_id, prompt_number, record, hash, started_at_epoch, ended_at_epoch) VALUES (1, 1, 'token ${SECRET}', 'h', 1, 1)`,
  ],
])('a secret goes from %s', (_, insert) => {
  const { db } = store;
  db.run('PRAGMA foreign_keys = OFF');
  db.run(`${insert} -- of a test`);
  expect(holdsSecret(db)).toBe(true);
  beginRescan(db, 77);
  for (let isDone = false; !isDone; ) ({ isDone } = rescanSlice(db, 50));
  expect(holdsSecret(db)).toBe(false);
});
