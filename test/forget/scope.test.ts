// Whole sessions, projects, and all that has a text in it: shown first, gone byte by byte, and no more of the others.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/open.ts';
import { createLines } from '../support/claude-lines.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createTranscripts, importAll, runJob, type Transcripts } from '../support/transcripts.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
beforeEach(() => {
  worker = createTestWorker();
});
afterEach(() => worker.dispose());

const SHOP = '/home/dev/shop';
const BLOG = '/home/dev/blog';

/** One turn with a decision, a command and its output. */
async function tell(session: string, cwd: string, word: string, at = 1): Promise<void> {
  const more = { prompt_id: `p-${session}-${at}` };
  await worker.send('new', userPrompt(session, cwd, `Which ${word} do we take, number ${at} of them?`, more));
  await worker.send('save', bash(session, cwd, `ls ${word}`, `${word}.txt`, { ...more, tool_use_id: `t-${session}-${at}` }));
  const answer = `We decided to use the ${word} of number ${at} rather than the old one, because it is faster.\n\nThe ${word} is in.`;
  await worker.send('summary', stop(session, cwd, answer, more));
}

const erase = async (body: object) => (await worker.call('POST', '/api/memory/erase', body)).body;
const preview = (query: string) => worker.call('GET', `/api/memory/scope?${query}`);
const count = (table: string) => worker.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n;

describe('a session that is forgotten', () => {
  test('is shown first, and then goes with all its turns, for good', async () => {
    await worker.start();
    for (let at = 1; at <= 3; at++) await tell('session-gone', SHOP, 'zorbliquent', at);
    await tell('session-stays', SHOP, 'wombat');
    await worker.settle();
    mkdirSync(worker.paths.logs, { recursive: true });
    appendFileSync(join(worker.paths.logs, 'worker-2026-01-01.log'), 'We decided to use the zorbliquent of number 2\nlast line\n');
    const seen = await preview('session=session-g');
    expect(seen.body).toMatchObject({ scope: 'session session-gone', sessions: 1, prompts: 3, records: 3, ids: [] });
    expect(seen.body.memories.length).toBeGreaterThan(3);
    const { state, receipt } = await erase({ session: 'session-gone' });
    expect(state).toBe('erased');
    expect(receipt).toMatchObject({ sessions: 1, prompts: 3, records: 3, remains: 0 });
    expect(receipt.tombstones).toBeGreaterThan(receipt.events);
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    expect(worker.filesWith('last line')).toHaveLength(1);
    expect(worker.rows('SELECT host_session_id AS id FROM sessions')).toEqual([{ id: 'session-stays' }]);
    expect(worker.filesWith('wombat').length).toBeGreaterThan(0);
    // Neither by its own hooks nor in a copy of the session.
    await tell('session-gone', SHOP, 'zorbliquent', 4);
    await worker.send('save', bash('fork', SHOP, 'ls zorbliquent', 'x', { tool_use_id: 't-session-gone-1' }));
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    expect(worker.problems).toEqual([]);
  });

  test('that nobody knows, or that could be several, is a clear error', async () => {
    await worker.start();
    await tell('session-one', SHOP, 'wombat');
    await tell('session-two', SHOP, 'wombat');
    await worker.settle();
    expect(await preview('session=nowhere')).toMatchObject({ status: 404, body: { error: 'There is no session nowhere.' } });
    const several = await preview('session=session-');
    expect(several).toMatchObject({ status: 409, body: { candidates: ['session-one', 'session-two'] } });
    for (const unclear of ['session=a&project=b', 'matching=ab']) expect((await preview(unclear)).status).toBe(400);
    expect((await erase({})).error).toBe('It is not said what to forget.');
    expect(count('sessions')).toBe(2);
  });
});

test('a project that is forgotten takes notes by hand and all its sessions along, and no other', async () => {
  await worker.start();
  await tell('one', SHOP, 'zorbliquent');
  await tell('two', BLOG, 'wombat');
  await worker.settle();
  const note = { text: 'The zorbliquent key is rotated on Fridays, says the vault.', by: 'user' };
  await worker.call('POST', '/api/memory/save', { ...note, cwd: SHOP });
  expect((await preview('project=shop')).body).toMatchObject({ scope: 'project shop', sessions: 1 });
  const { receipt } = await erase({ project: 'shop' });
  expect(receipt).toMatchObject({ sessions: 1, records: 1, remains: 0 });
  expect(worker.filesWith('zorbliquent')).toEqual([]);
  expect(worker.rows("SELECT title FROM observations WHERE title LIKE '%wombat%'").length).toBeGreaterThan(0);
  // The project itself can be worked in as before.
  const later = await worker.call('POST', '/api/memory/save', { text: 'Releases are cut on Tuesdays.', cwd: SHOP, by: 'user' });
  expect(later.body).toMatchObject({ isNew: true, project: 'shop' });
  await tell('three', SHOP, 'giraffe');
  await worker.settle();
  expect(worker.filesWith('giraffe').length).toBeGreaterThan(0);
});

describe('all that has a text in it', () => {
  test('is found in titles, records and output, whatever the case, and goes', async () => {
    await worker.start();
    await tell('one', SHOP, 'Quellmont');
    await tell('two', BLOG, 'wombat');
    // Only the output of a command has it.
    await worker.send('new', userPrompt('three', BLOG, 'List what there is.', { prompt_id: 'p3' }));
    await worker.send('save', bash('three', BLOG, 'ls', 'readme QUELLMONT.txt', { prompt_id: 'p3' }));
    await worker.send('summary', stop('three', BLOG, 'There is a readme and another file.', { prompt_id: 'p3' }));
    await worker.settle();
    const { body } = await preview('matching=quellmont');
    expect(body.ids.filter((id: string) => id.startsWith('P'))).toHaveLength(2);
    expect(body.memories.map(({ id }: { id: string }) => id)).toEqual(body.ids);
    const { receipt } = await erase({ ids: body.ids, matching: 'quellmont' });
    expect(receipt).toMatchObject({ ids: body.ids, prompts: 2, records: 2, remains: 0 });
    expect(worker.filesWith('quellmont')).toEqual([]);
    expect(worker.filesWith('wombat').length).toBeGreaterThan(0);
    expect((await preview('matching=quellmont')).body.ids).toEqual([]);
  });
});

describe('what was forgotten stays out of imports and rebuilds', () => {
  let past: Transcripts;
  beforeEach(() => {
    past = createTranscripts();
  });
  afterEach(() => past.dispose());

  const linesOf = (session: string, word: string, id: string) => {
    const { prompt, say, bash: run } = createLines({ session, cwd: SHOP });
    return [
      prompt(`Which store does the ${word} feed take?`, `p-${id}`),
      say(`Between its tools: the ${word} feed is small.`, 'tool_use'),
      ...run(`t-${id}`, `ls ${word}`, `${word}.txt`),
      say(`We decided to keep the ${word} feed in SQLite rather than in a file, because ${word} readers lock it.`),
    ];
  };
  const laterTurn = (session: string) => {
    const { prompt, say } = createLines({ session, cwd: SHOP, from: Date.parse('2026-03-02T10:00:00Z') });
    return [prompt('And what does the giraffe feed take?', 'p-later'), say('The giraffe feed takes a file.')];
  };
  const write = (session: string, word: string, id: string) => past.write(`projects/shop/${session}.jsonl`, linesOf(session, word, id));
  const read = async () => {
    expect(await importAll(worker, { path: past.folder })).toMatchObject({ status: 'done' });
    await worker.settle();
  };

  test.each(['session=session-gone', 'project=shop', 'matching=zorbliquent'])('%s', async (query) => {
    await worker.start();
    write('session-gone', 'zorbliquent', '1');
    await read();
    expect(worker.filesWith('zorbliquent').length).toBeGreaterThan(0);
    const { ids } = (await preview(query)).body;
    const [name = '', text] = query.split('=');
    expect((await erase({ [name]: text, ...(name === 'matching' && { ids }) })).receipt).toMatchObject({ remains: 0 });
    // What stays of a session knows its events again: without it nothing but tombstones does.
    const db = openStore(worker.paths.database);
    db.run('DELETE FROM sessions');
    db.close();
    // The same transcript, which has grown since, a copy of it as of a session that was forked, and one of something else.
    past.append('projects/shop/session-gone.jsonl', laterTurn('session-gone'));
    write('session-fork', 'zorbliquent', '1');
    write('session-else', 'wombat', '2');
    for (const come of [read, () => runJob(worker, 'rebuild', { fromTranscripts: true, claudeDir: past.folder })]) {
      await come();
      expect(worker.filesWith('zorbliquent')).toEqual([]);
      expect(worker.rows("SELECT title FROM observations WHERE title LIKE '%wombat%'")).toHaveLength(1);
      expect([query, worker.filesWith('giraffe').length > 0]).toEqual([query, name === 'matching']);
    }
    expect(worker.problems).toEqual([]);
  });
});
