// A rebuild: what is derived from records comes out the same however often, what is missing comes back, what people said stays.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Job } from '../../src/core/shapes/job.ts';
import { openStore } from '../../src/store/open.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { createLines, ordinarySession, SESSION } from '../support/claude-lines.ts';
import { createTranscripts, importAll, runJob, type Transcripts } from '../support/transcripts.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let past: Transcripts;

beforeEach(async () => {
  worker = createTestWorker();
  past = createTranscripts();
  await worker.start();
});

afterEach(async () => {
  await worker.dispose();
  past.dispose();
});

const own = `shop/${SESSION}.jsonl`;
const rebuild = (parameters: object = {}): Promise<Job> => runJob(worker, 'rebuild', parameters);
const fromTranscripts = (more: object = {}) => rebuild({ fromTranscripts: true, claudeDir: past.folder, ...more });
/** Where Claude Code keeps them, below its folder. */
const write = (name: string, lines: object[], at?: number) => past.write(`projects/${name}`, lines, at);
/** Also what could not be stored at once and waits for its turn. */
async function read(): Promise<void> {
  await importAll(worker, { path: past.folder });
  await worker.settle();
}

function change(work: (db: Database) => void): void {
  const db = openStore(worker.paths.database);
  work(db);
  db.close();
}

/** Every row of every table but those that tell of jobs, and of what is still to be done in the background. */
function dump(): Record<string, unknown[]> {
  const tables = worker
    .rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .map(({ name }) => name)
    .filter((name) => !/^(?:jobs|counters|sqlite_|words|fragments|dropped_documents|id_marks|notices)/.test(name));
  return Object.fromEntries(tables.map((name) => [name, worker.rows(`SELECT * FROM ${name}`)]));
}

/** Work in two projects, with words between tools, an edit and a red command. */
function writePast(): void {
  write(own, ordinarySession());
  const { prompt, say, bash } = createLines({ session: 'other', cwd: '/home/dev/blog' });
  write('blog/other.jsonl', [
    prompt('Why is the feed empty?', 'f1'),
    say('The feed is empty because the pelican filter drops drafts.', 'tool_use'),
    ...bash('toolu_f1', 'bun run feed', '0 entries'),
    say('Fixed: the filter keeps drafts with a date now.'),
  ]);
}

const records = () => worker.rows<{ record: string }>('SELECT record FROM turns ORDER BY session_id, prompt_number');

test('of a store that is as it should be changes no row, twice', async () => {
  writePast();
  await read();
  expect((await worker.call('PATCH', '/api/observations/1', { pinned: true, by: 'user' })).status).toBe(200);
  expect(records().length).toBeGreaterThan(2);
  const before = dump();
  for (let again = 0; again < 2; again++) {
    const job = await rebuild();
    expect(job).toMatchObject({ status: 'done', progress: { counts: { documents: 0, records: 0 } } });
    expect(job.progress.counts.turns).toBe(records().length);
    expect(job.result?.[0]).toMatch(/^Went through \d turns: 0 documents/);
    expect(dump()).toEqual(before);
  }
});

const WORDS_MADE = 'The index of words was damaged and was made again.';

describe('what is lost of the index comes back', () => {
  const find = async (words: string) => (await worker.call('GET', `/api/search?query=${encodeURIComponent(words)}&all=true`)).body.results;

  test('documents and words, some or all', async () => {
    writePast();
    await read();
    for (const sql of [
      'DELETE FROM documents',
      "DELETE FROM documents WHERE kind = 'prompt' OR ref = 1",
      "INSERT INTO words (words) VALUES ('delete-all')",
      "INSERT INTO fragments (fragments) VALUES ('delete-all')",
      "UPDATE documents SET headline = 'nonsense'",
    ]) {
      change((db) => db.run(sql));
      const dry = await rebuild({ dryRun: true });
      const done = await rebuild();
      expect([sql, (done.progress.counts.documents ?? 0) > 0 || done.result?.includes(WORDS_MADE)]).toEqual([sql, true]);
      expect([sql, dry.progress.counts]).toEqual([sql, done.progress.counts]);
      expect(JSON.stringify(await find('pelican filter'))).toContain('drafts');
      change(checkDocuments);
      const after = dump();
      expect([sql, (await rebuild()).progress.counts.documents]).toEqual([sql, 0]);
      expect(dump()).toEqual(after);
    }
  });

  test('a document that other rules made stays as it is where today’s make the same of it', async () => {
    writePast();
    await read();
    const before = dump();
    change((db) => db.run("UPDATE documents SET mark = CASE WHEN kind = 'prompt' THEN 'of other rules' END"));
    const unmarked = dump();
    expect((await rebuild({ dryRun: true })).progress.counts.documents).toBe(0);
    expect(dump()).toEqual(unmarked);
    expect((await rebuild()).progress.counts.documents).toBe(0);
    expect(dump()).toEqual(before);
  });

  test('words that are damaged', async () => {
    writePast();
    await read();
    await worker.stop();
    damageWords(worker.paths.database);
    await worker.start();
    const dry = await rebuild({ dryRun: true });
    expect(dry.result).toContain('The index of words was damaged: a rebuild makes it again.');
    expect((await rebuild()).result).toContain(WORDS_MADE);
    change(checkDocuments);
  });
});

/** SQLite lets nobody write to these tables; a disk does. */
function damageWords(path: string): void {
  const db = new Database(path);
  const row = db.query<{ block: Uint8Array }, []>('SELECT block FROM words_data WHERE id > 10 LIMIT 1').get();
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, readFileSync(path).indexOf(row?.block ?? ''));
  closeSync(file);
}

test('a dry run changes nothing, one project leaves the others alone, and what is not known is refused', async () => {
  writePast();
  await read();
  change((db) => db.run('DELETE FROM documents'));
  const before = dump();
  await rebuild({ dryRun: true });
  await fromTranscripts({ dryRun: true });
  expect(dump()).toEqual(before);
  await rebuild({ project: 'blog' });
  expect(worker.rows('SELECT DISTINCT p.name FROM documents d JOIN projects p ON p.id = d.project_id')).toEqual([{ name: 'blog' }]);
  expect(await rebuild({ project: 'nowhere' })).toMatchObject({ status: 'failed' });
  expect(await rebuild({ everything: true })).toMatchObject({ status: 'failed' });
});

test('what people said of memories stays, though the rules of today make other words of their turns', async () => {
  const feeds = ['pelican', 'wombat', 'giraffe', 'quokka', 'tapir', 'dugong'];
  for (const feed of feeds) {
    const { prompt, say, bash } = createLines({ session: feed, cwd: '/home/dev/shop' });
    const decided = `We decided to keep the ${feed} feed in SQLite rather than in a file, because its readers lock it.`;
    write(`shop/${feed}.jsonl`, [prompt(`Where does the ${feed} feed go?`, feed), ...bash(`t-${feed}`, `ls ${feed}`, 'x'), say(decided)]);
  }
  await read();
  const SAID = `SELECT id, title, pinned, edited_at IS NOT NULL AS isEdited, wrong_at IS NOT NULL AS isWrong, hidden_at IS NOT NULL AS isHidden
    FROM observations ORDER BY id`;
  const made = worker.rows<{ id: number; title: string }>(SAID);
  const say = async (feed: string, method: 'PATCH' | 'DELETE', body?: object, more = '') => {
    const { id } = made.find(({ title }) => title.includes(feed)) ?? expect.unreachable(feed);
    expect((await worker.call(method, `/api/observations/${id}${more}`, body)).status).toBe(200);
  };
  await say('pelican', 'PATCH', { pinned: true, by: 'user' });
  await say('wombat', 'PATCH', { title: 'The wombat feed goes to Postgres', by: 'user' });
  await say('giraffe', 'PATCH', { wrong: true, by: 'user' });
  await say('quokka', 'DELETE');
  await say('tapir', 'DELETE', undefined, '?erase=true');
  const ofPeople = made.filter(({ title }) => /pelican|wombat|giraffe|quokka/.test(title)).map(({ id }) => id);
  change((db) => db.run("UPDATE observations SET title = 'Older rules: ' || title WHERE edited_at IS NULL"));
  const before = worker.rows<{ id: number; title: string }>(SAID);
  expect(await rebuild()).toMatchObject({ status: 'done' });
  const after = worker.rows<{ id: number; title: string }>(SAID);
  const kept = (rows: typeof after) => rows.filter(({ id }) => ofPeople.includes(id));
  expect(kept(after)).toEqual(kept(before));
  expect(kept(after)).toHaveLength(4);
  // What nobody touched is in the words of today; nothing is there twice, and what was deleted does not come back.
  const rest = after.filter(({ id }) => !ofPeople.includes(id)).map(({ title }) => title);
  expect(rest).toEqual([made.find(({ title }) => title.includes('dugong'))?.title ?? '']);
  expect(worker.filesWith('tapir feed in SQLite')).toEqual([]);
});

test('a memory whose turn has no record is counted and not touched', async () => {
  writePast();
  await read();
  const of = (table: string) => worker.rows<object>(`SELECT * FROM ${table}`);
  const before = [of('observations'), of('summaries'), of('prompts')];
  change((db) => db.run('DELETE FROM turns'));
  const { progress, result } = await rebuild();
  const made = of('observations').length + of('summaries').length;
  expect(made).toBeGreaterThan(2);
  expect(progress.counts).toMatchObject({ turns: 0, 'memories without a record': made });
  expect(result?.at(-1)).toBe(`${made} memories of turns without a record: unchanged, only indexed.`);
  expect([of('observations'), of('summaries'), of('prompts')]).toEqual(before);
  change(checkDocuments);
});
