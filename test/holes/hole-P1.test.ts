// hole-P1: SQLite before 3.51 could not read the schema at all: no sqlite3, no Python, and no worker where Bun uses the system's own.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { checkStatements } from '../support/check-statements.ts';
import { ordinarySession } from '../support/claude-lines.ts';
import { bash, edit, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { makeRecordedDist } from '../support/recorded-dist.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { askSystemSqlite, copyStore } from '../support/system-sqlite.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');
const FIXTURE = join(ROOT, 'test/fixtures/store-0.1.0');

/** A store that was made anew, and one of 0.1.0: both lived on by the worker of today. */
const STORES = ['a new store', 'a store of 0.1.0'] as const;
const sandboxes = new Map<string, { sandbox: Sandbox; statements: Record<string, string[]>; copy: (name: string) => string }>();
const storeOf = (name: string) => sandboxes.get(name) as NonNullable<ReturnType<(typeof sandboxes)['get']>>;

beforeAll(async () => {
  await Promise.all(STORES.map(async (name) => sandboxes.set(name, await liveIn(name))));
});
afterAll(() => Promise.all([...sandboxes.values()].map(({ sandbox }) => sandbox.dispose())));

describe('hole-P1', () => {
  describe.each(STORES)('%s', (name) => {
    test('is sound to the system’s sqlite3, every table and view of it', () => {
      const path = storeOf(name).copy('read.db');
      expect(askSystemSqlite(path, 'PRAGMA integrity_check; PRAGMA foreign_key_check;')).toBe('ok');
      const tables = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
      const names = askSystemSqlite(path, tables).split('\n');
      expect(names).toContain('document_texts');
      askSystemSqlite(path, names.map((table) => `SELECT * FROM "${table}";`).join('\n'));
      expect(askSystemSqlite(path, "SELECT count(*) > 0 FROM words WHERE words MATCH 'queue';")).toBe('1');
      expect(askSystemSqlite(path, "SELECT count(*) > 0 FROM fragments WHERE fragments MATCH 'eue';")).toBe('1');
    });

    test('is written by it, triggers and index included, and true afterwards', () => {
      const path = storeOf(name).copy('written.db');
      askSystemSqlite(path, WRITES);
      const db = openStore(path);
      expect(db.query('SELECT title FROM observations WHERE id = 9001').get()).toBeNull();
      expect(db.query("SELECT count(*) AS n FROM words WHERE words MATCH 'elderberry'").get()).toEqual({ n: 2 });
      checkDocuments(db);
      db.close(true);
    });

    test('is asked nothing by the worker, by what it starts or by a command that it would refuse', () => {
      const { statements } = storeOf(name);
      for (const [program, most] of Object.entries({ worker: 150, importer: 50, backup: 20, cli: 0 }))
        expect({ program, isRecorded: new Set(statements[program]).size > most }).toEqual({ program, isRecorded: true });
      expect(checkStatements(Object.values(statements).flat())).toMatchObject({ refused: [], unknown: [] });
    });
  });

  test('the check refuses what SQLite 3.40 does not know', () => {
    const { refused } = checkStatements(["SELECT concat_ws(',', id, id)\nFROM projects", 'SELECT id FROM projects']);
    expect(refused).toEqual([expect.stringContaining('concat_ws')]);
  });

  test('a store is made anew by the system’s sqlite3, by the same steps', () => {
    const path = join(storeOf('a new store').sandbox.home, 'made.db');
    for (const { sql } of MIGRATIONS) askSystemSqlite(path, `BEGIN;${sql};COMMIT;`);
    expect(askSystemSqlite(path, 'PRAGMA integrity_check;')).toBe('ok');
  });
});

/** Fires every trigger: three documents side by side, one that goes with its memory, one whose text changes. */
const WRITES = `
  PRAGMA foreign_keys = ON;
  -- The sqlite3 program trusts no schema by itself: triggers may not write to FTS5 then.
  PRAGMA trusted_schema = ON;
  INSERT INTO sessions (id, host, host_session_id, project_id, cwd, root, started_at, started_at_epoch, updated_at, updated_at_epoch, status)
    SELECT 9001, 'claude-code', 'by-hand', min(id), '/x', '/x', 'now', 1, 'now', 1, 'active' FROM projects;
  INSERT INTO observations (id, session_id, project_id, type, title, origin, trust, tokens, hash, created_at, created_at_epoch)
    SELECT value, 9001, (SELECT min(id) FROM projects), 'change', 'Elderberry ' || value, 'agent', 2, 1, 'h', 'now', 1 FROM json_each('[9001, 9002]');
  INSERT INTO summaries (id, session_id, project_id, request, learned, hash, created_at, created_at_epoch)
    SELECT 9001, 9001, min(id), 'Elderberry', 'Jam', 'h', 'now', 1 FROM projects;
  INSERT INTO prompts (id, session_id, prompt_number, text, created_at, created_at_epoch) VALUES (9001, 9001, 1, 'Cook jam', 'now', 1);
  INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
    SELECT kind, ref, 1, 9001, 'change', 1, 'About ' || ref, '', '', 'jamJar' || ref, ''
    FROM (SELECT 'observation' AS kind, 9001 AS ref UNION ALL SELECT 'observation', 9002 UNION ALL SELECT 'summary', 9001 UNION ALL SELECT 'prompt', 9001);
  UPDATE observations SET title = 'Elderberry wine' WHERE id = 9002;
  INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
    VALUES ('observation', 9002, 1, 9001, 'change', 1, 'About wine', '', '', 'wineJar', '');
  UPDATE prompts SET text = 'Cook the jam' WHERE id = 9001;
  DELETE FROM prompts WHERE id = 9001;
  UPDATE summaries SET learned = 'Jelly' WHERE id = 9001;
  INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
    VALUES ('summary', 9001, 1, 9001, 'summary', 1, 'About jelly', '', '', 'jellyJar', '');
  DELETE FROM observations WHERE id = 9001;
  INSERT INTO words (words) VALUES ('integrity-check');
  INSERT INTO fragments (fragments) VALUES ('integrity-check');`;

/** A day of the real worker and of all that it starts, with a note of what each of them prepares. */
async function liveIn(name: string) {
  const sandbox = createSandbox({ makeDist: (home) => makeRecordedDist(join(home, 'dist'), join(home, 'statements')) });
  const { home, paths } = sandbox;
  if (name === 'a store of 0.1.0') cpSync(`${FIXTURE}/data`, paths.dataDir, { recursive: true });
  else cpSync(`${FIXTURE}/data/config.json`, `${paths.dataDir}/config.json`, { recursive: true });
  // The other embedder takes long, and asks the same.
  const config = JSON.parse(readFileSync(paths.config, 'utf8'));
  writeFileSync(paths.config, JSON.stringify({ ...config, embedder: 'static' }), { mode: 0o600 });
  chmodSync(paths.dataDir, 0o700);
  await sandbox.startWorker();
  await work(sandbox);
  await sandbox.cli('stop');
  const copy = (to: string) => {
    copyStore(paths.database, join(home, to));
    return join(home, to);
  };
  return { sandbox, statements: readStatements(join(home, 'statements')), copy };
}

/** By the program that prepared them. */
const readStatements = (folder: string): Record<string, string[]> =>
  Object.fromEntries(
    readdirSync(folder).map((program) => {
      const lines = readFileSync(join(folder, program), 'utf8').trimEnd().split('\n');
      return [program, lines.map((line): string => JSON.parse(line))];
    }),
  );

async function work(sandbox: Sandbox): Promise<void> {
  const { home, cli } = sandbox;
  const shop = sandbox.project('shop');
  for (const [session, about] of [
    ['p1', 'queue'],
    ['p2', 'basket'],
  ] as const) {
    await sandbox.hook('context', sessionStart(session, shop));
    await sandbox.hook('new', userPrompt(session, shop, `Make the ${about} survive a crash`));
    await sandbox.hook('save', edit(session, shop, `src/${about}.ts`, ['-keep()', '+write()']));
    await sandbox.hook('save', bash(session, shop, 'npm test', '12 passed'));
    await sandbox.hook('summary', stop(session, shop, `Decision: the ${about} is written to disk, because a crash lost it.`));
    await until(() => sandbox.query(`SELECT 1 FROM summaries WHERE request LIKE '%${about} survive%'`).length > 0);
    await sandbox.hook('cleanup', sessionEnd(session, shop));
  }
  const transcript = join(home, '.claude/projects/-home-dev-shop/11111111-2222-4333-8444-555555555555.jsonl');
  await Bun.write(transcript, toLines(ordinarySession()));
  await cli('import', '--yes', '--json');
  await cli('remember', 'Releases are cut on Tuesdays', '--project', 'shop');
  const id = () => String(sandbox.query<{ id: number }>('SELECT max(id) AS id FROM observations')[0]?.id);
  for (const args of [
    ['search', 'queue', '--all'],
    ['search', 'queue', '--all', '--sessions'],
    ['search', '--file', 'src/queue.ts', '--all'],
    ['timeline', id(), '--all'],
    ['show', id(), 'P1', 'S1'],
    ['recap', '--all'],
    ['stats'],
    ['projects'],
    ['context', '--preview', '--why', '--project', shop],
    ['pin', id()],
    ['edit', id(), '--title', 'Releases are cut on Mondays'],
    ['wrong', id()],
    ['distrust', 'session:p2'],
    ['export', join(home, 'all.jsonl')],
    ['forget', '--yes', '--related', id()],
    ['pause', '1h', '--project', shop],
    ['resume', '--project', shop],
    ['reindex'],
    ['vacuum'],
    ['rebuild'],
    ['doctor'],
    ['backup'],
    ['repair'],
    ['restore', 'latest'],
    ['import', '--yes', join(home, 'all.jsonl')],
  ]) {
    const { code, stderr } = await sandbox.person(...args);
    // A doctor has something to say of a machine without Claude Code.
    const why = code === 0 || args[0] === 'doctor' ? '' : `${stderr}${readErrors(sandbox)}`;
    expect({ args, why }).toEqual({ args, why: '' });
  }
}

/** What the worker says of its own failures. */
const readErrors = ({ paths: { logs } }: Sandbox): string =>
  readdirSync(logs)
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .filter((line) => line.includes(' ERROR '))
    .join('\n');
