// What hung on a made-up session in a store of 0.1.0 has none afterwards, and is otherwise what it was.
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readThrough } from '../../src/backup/check.ts';
import { readMemories } from '../../src/memory/read.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { checkDocuments } from './check-documents.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-stand-ins-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HOSTS = ['claude-code', 'claude-mem', 'git', 'claude-mem', 'git'];
/** Of each session: id, origin, a mark of a person. */
const MEMORIES = [
  [11, 1, 'agent', 'pinned = 1'],
  [12, 2, 'user', "wrong_at = 'now'"],
  [13, 2, 'agent', 'kept = 1'],
  [14, 3, 'commit', "commit_hash = 'abcdef1'"],
  [15, 2, 'imported', "hidden_at = 'now'"],
  // Of a session that somebody blocked, and of one in which something was asked.
  [17, 4, 'user', 'trust = 3'],
  [18, 5, 'commit', 'trust = 2'],
] as const;

/** As 0.1.0 kept them: documents of what no session made are numbered below zero. */
function fillOld(db: Database): void {
  db.run(`INSERT INTO projects (id, key, name, root, created_at) VALUES (1, 'k', 'shop', '/shop', 'now');
    INSERT INTO distrusted VALUES ('session:s4', 'now'), ('host:git', 'now');
    INSERT INTO tombstones VALUES ('text', 'gone', 'now'); INSERT INTO id_marks VALUES ('observations', 40)`);
  const addSession = db.query(
    `INSERT INTO sessions (id, host, host_session_id, project_id, cwd, root, started_at, started_at_epoch, updated_at, updated_at_epoch, status)
     VALUES (?1, ?2, 's' || ?1, 1, '/shop', '/shop', 'now', 1, 'now', 1, 'completed')`,
  );
  for (const [at, host] of HOSTS.entries()) addSession.run(at + 1, host);
  db.run(`INSERT INTO prompts (id, session_id, prompt_number, text, created_at, created_at_epoch)
    VALUES (1, 1, 1, 'Ask', 'now', 1), (2, 5, 1, 'Asked by hand', 'now', 2)`);
  for (const [id, session, origin, mark] of MEMORIES) {
    db.query(
      `INSERT INTO observations (id, session_id, project_id, prompt_number, type, title, origin, trust, tokens, hash, created_at, created_at_epoch)
       VALUES (?1, ?2, 1, 0, 'change', 'Title ' || ?1, ?3, 3, 1, 'h' || ?1, 'now', ?1)`,
    ).run(id, session, origin);
    db.run(`UPDATE observations SET ${mark} WHERE id = ${id}`);
    db.query('INSERT INTO citations (observation_id, project_id, path, did) VALUES (?, 1, ?, ?)').run(id, 'a.ts', 'changed');
  }
  db.run(`INSERT INTO commits (project_id, hash, observation_id, author_at_epoch) VALUES (1, 'abcdef1', 14, 1);
    INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
      SELECT 'observation', id, 1, iif(session_id = 1, 1, -id), type, created_at_epoch, title, '', '', title, '' FROM observations
      WHERE hidden_at IS NULL ORDER BY id;
    INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
      SELECT 'prompt', id, 1, session_id, 'prompt', created_at_epoch, text, '', '', text, '' FROM prompts;
    -- A trigger of 0.1.0 did this.
    INSERT INTO fragments (rowid, names) SELECT id, names FROM documents;
    UPDATE documents SET neighbours = coalesce((SELECT headline FROM documents d WHERE d.session_id = documents.session_id
      AND d.id <> documents.id), '')`);
}

test('a made-up session goes, and all that hung on it stays as it was', () => {
  const path = join(folder, 'memory.db');
  const old = openStore(path, MIGRATIONS.slice(0, 5));
  fillOld(old);
  const KEPT = `SELECT id, project_id, type, title, origin, trust, pinned, hash, created_at, created_at_epoch, hidden_at, wrong_at, kept,
    commit_hash FROM observations ORDER BY id`;
  const before = [KEPT, 'SELECT * FROM citations', 'SELECT * FROM commits', 'SELECT * FROM tombstones', 'SELECT * FROM id_marks'];
  const were = before.map((sql) => old.query(sql).all());
  old.close(true);

  const db = openStore(path);
  expect(before.map((sql) => db.query(sql).all())).toEqual(were);
  expect(db.query('SELECT id, host FROM sessions').values()).toEqual([
    [1, 'claude-code'],
    [4, 'imported'],
    [5, 'imported'],
  ]);
  expect(db.query('SELECT id, session_id, author FROM observations ORDER BY id').values()).toEqual([
    [11, 1, null],
    [12, null, null],
    [13, null, null],
    [14, null, null],
    [15, null, null],
    [17, 4, null],
    [18, 5, null],
  ]);
  expect(db.query('SELECT count(*) FROM documents WHERE session_id < 0').values()).toEqual([[0]]);
  expect(db.query('PRAGMA foreign_key_check').all()).toEqual([]);
  checkDocuments(db);
  const seals = db.query<{ id: number; isTrue: number }, []>(
    `SELECT id, seal = ifnull(session_id, '') || ' 1 0 ' || origin || ' ' || trust || ' ' || pinned || ' ' || created_at_epoch || ' 0 ' ||
       ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || kept || ' 0 ' || is_rule || '  ' || ifnull(commit_hash, '') || ' ' ||
       ifnull(author, '') AS isTrue FROM observations`,
  );
  expect(seals.all().filter(({ isTrue }) => !isTrue)).toEqual([]);
  const found = readMemories(
    db,
    [12, 14, 17].map((id) => ({ kind: 'observation', id }) as const),
  );
  expect([...found.values()].map(({ id, session, agent, isDistrusted }) => [id, session, agent, isDistrusted])).toEqual([
    ['12', null, undefined, undefined],
    ['14', null, undefined, true],
    ['17', 's4', 'imported', true],
  ]);
  db.close(true);
  expect(readThrough(path, true)).toEqual(['7 memories do not say what was stored']);
});
