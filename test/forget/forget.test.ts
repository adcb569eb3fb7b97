// Forgetting, with real files: what is hidden is shown nowhere, what is erased is gone byte by byte and does not come back.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendLine } from '../../src/client/send.ts';
import type { HookCommand } from '../../src/core/envelope.ts';
import { openStore } from '../../src/store/open.ts';
import { GOOD_ANSWER, say, startFakeModel } from '../support/fake-model.ts';
import { openShelf } from '../support/memories.ts';
import { bash, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { createTestWorker, envelopeOf, type TestWorker } from '../support/worker-app.ts';

// A busy machine.
const CWD = '/home/dev/shop';
const promptOf = (session: string) =>
  `Always cache the zorbliquent tokens ${session} for Quellmont Industries rather than parsing them again`;

let worker: TestWorker;
beforeEach(() => {
  worker = createTestWorker();
});
afterEach(() => worker.dispose());

const story = (session = 's'): [HookCommand, object][] => {
  const more = { prompt_id: `prompt-${session}` };
  const found = bash(session, CWD, 'grep -rn zorbliquent src', 'src/quellmont.ts: zorbliquent', { ...more, tool_use_id: `t-${session}` });
  const said = `We decided to cache the zorbliquent tokens ${session} of Quellmont Industries rather than parse them again`;
  return [
    ['new', userPrompt(session, CWD, promptOf(session), more)],
    ['save', found],
    ['summary', stop(session, CWD, `Done. ${said}, because parsing is slow.`, more)],
  ];
};

async function tell(turn = story()): Promise<void> {
  for (const [command, payload] of turn) await worker.send(command, payload);
  await worker.settle();
}

type Found = { id: string; title: string };
async function listAll(): Promise<Found[]> {
  const lists = await Promise.all(['observations', 'summaries', 'prompts'].map((kind) => worker.call('GET', `/api/${kind}?limit=200`)));
  return lists.flatMap(({ body }) => body.items);
}
const withCanary = async () => (await listAll()).filter(({ title }) => /zorbliquent/i.test(title)).map(({ id }) => id);
const erase = (ids: string[], more = '') => worker.call('DELETE', `/api/observations/${ids.join(',')}?erase=true${more}`);

/** So many other memories that the word index has grown several layers. */
function fill(count: number): void {
  const db = openStore(worker.paths.database);
  const words = 'cache parser route index table query model budget session worker hook spool'.split(' ');
  db.transaction(() => {
    const shelf = openShelf(db, CWD, 'old');
    for (let at = 0; at < count; at++) {
      const title = `Changed the ${words[at % 12]} of ${words[(at * 7) % 12]} number ${at}`;
      shelf.observe(title, at + 1, { narrative: `${title} with zebra${at}` });
    }
  }).immediate();
  db.close();
}

describe('a hidden memory', () => {
  test('is in no list, search, timeline or context, and comes back when asked', async () => {
    await worker.start();
    await tell();
    const ids = await withCanary();
    expect(ids.length).toBeGreaterThanOrEqual(3);
    const hidden = await worker.call('DELETE', `/api/observations/${ids.join(',')}`);
    expect(hidden).toMatchObject({ status: 200, body: { state: 'hidden', ids } });
    expect(hidden.body.next).toContain(`claude-mem forget ${ids.join(' ')}`);
    expect(await withCanary()).toEqual([]);
    const search = async () => (await worker.call('GET', '/api/search?query=zorbliquent&all=true')).body.results.length;
    expect(await search()).toBe(0);
    const batch = await worker.call('POST', '/api/observations/batch', { ids });
    expect(batch.body).toEqual({ memories: [], missing: ids });
    const timeline = await worker.call('GET', '/api/timeline?anchor=2000-01-01&depth_after=100');
    expect(JSON.stringify(timeline.body)).not.toContain('zorbliquent');
    expect((await worker.call('GET', `/api/timeline?anchor=${ids[0]}`)).status).toBe(404);
    const told = await sendLine(worker.paths.workerSocket, JSON.stringify(envelopeOf('context', sessionStart('next', CWD))), 20_000);
    expect(JSON.stringify(told)).not.toMatch(/#\d+ .*zorbliquent/);
    const listed = await worker.call('GET', '/api/memory/hidden');
    expect(listed.body.memories.map(({ id }: Found) => id).sort()).toEqual([...ids].sort());
    expect(listed.body.memories[0].hiddenAt).toMatch(/^\d{4}-/);
    expect((await worker.call('POST', '/api/memory/unhide', { ids })).body).toEqual({ ids });
    expect((await withCanary()).sort()).toEqual([...ids].sort());
    expect(await search()).toBeGreaterThan(0);
    expect((await worker.call('POST', '/api/memory/unhide', { ids })).body).toEqual({ ids: [] });
  });

  test('is not told by what its session is called either, until it is shown again', async () => {
    await worker.start();
    await tell();
    await worker.send('new', userPrompt('s', CWD, 'now tidy the imports of the parser', { prompt_id: 'second' }));
    await worker.send('summary', stop('s', CWD, 'Tidied the imports of the parser.', { prompt_id: 'second' }));
    await worker.settle();
    const ids = await withCanary();
    const read = async () => {
      const context = await sendLine(worker.paths.workerSocket, JSON.stringify(envelopeOf('context', sessionStart('next', CWD))), 20_000);
      const sessions = await worker.call('GET', '/api/sessions');
      const found = await worker.call('GET', '/api/search/sessions?query=imports&all=true');
      return JSON.stringify([context, sessions.body, found.body, worker.rows('SELECT * FROM sessions')]);
    };
    expect(await read()).toContain('zorbliquent');
    // One by one: what the next one still says does not stay when that one is hidden, too.
    for (const id of ids) await worker.call('DELETE', `/api/observations/${id}`);
    expect(await read()).not.toMatch(/zorbliquent|quellmont/i);
    await worker.call('POST', '/api/memory/unhide', { ids });
    expect(worker.rows('SELECT title, first_prompt FROM sessions WHERE id = 1')).toMatchObject([
      { title: expect.stringContaining('zorbliquent'), first_prompt: promptOf('s') },
    ]);
  });

  test('that is not there is a clear error, and nothing else is hidden', async () => {
    await worker.start();
    await tell();
    const [id] = await withCanary();
    const answer = await worker.call('DELETE', `/api/observations/${id},999`);
    expect(answer).toMatchObject({ status: 404, body: { error: 'There is no memory 999.' } });
    expect((await worker.call('GET', '/api/memory/hidden')).body.memories).toEqual([]);
    expect((await worker.call('DELETE', '/api/observations/abc')).status).toBe(400);
  });
});

describe('an erased memory', () => {
  test('leaves no byte in any file, among thousands of others', async () => {
    fill(3000);
    await worker.start();
    await tell();
    mkdirSync(worker.paths.logs, { recursive: true });
    const log = join(worker.paths.logs, 'worker-2026-01-01.log');
    appendFileSync(log, 'first line\n{"answer":"cache the zorbliquent tokens of Quellmont Industries"}\nlast line\n');
    // As a worker leaves it that was killed while it wrote the log anew.
    appendFileSync(`${log}.4711`, 'first line\nlast line\n');
    expect(worker.filesWith('zorbliquent').length).toBeGreaterThan(1);
    const ids = await withCanary();
    const { status, body } = await erase(ids, '&related=true');
    expect(status).toBe(200);
    expect(body.state).toBe('erased');
    expect(body.receipt).toMatchObject({ summaries: 1, prompts: 1, remains: 0 });
    expect(body.receipt.observations).toBeGreaterThan(0);
    expect(body.receipt.events).toBeGreaterThanOrEqual(3);
    expect(body.receipt.tombstones).toBeGreaterThan(body.receipt.events);
    expect(JSON.stringify(body)).not.toContain('zorbliquent');
    for (const word of ['zorbliquent', 'quellmont', 'zorbliqu']) expect(worker.filesWith(word)).toEqual([]);
    expect(worker.filesWith('last line')).toEqual([log]);
    expect(worker.rows("SELECT title FROM sessions WHERE title LIKE '%zorbl%' OR first_prompt LIKE '%zorbl%'")).toEqual([]);
    // The others are all there, and found.
    expect(worker.rows('SELECT count(*) AS n FROM documents')).toEqual([{ n: 3000 }]);
    expect(worker.rows("SELECT rowid FROM words WHERE words MATCH 'zebra1234'")).toHaveLength(1);
    expect(worker.rows("INSERT INTO words(words, rank) VALUES('integrity-check', 1) RETURNING 1".replace(/ RETURNING 1/, ''))).toEqual([]);
    expect(worker.problems).toEqual([]);
    await worker.stop();
    expect(worker.filesWith('zorbliquent')).toEqual([]);
  });

  test('does not come back when its hooks are delivered again, nor its id for another', async () => {
    await worker.start();
    const turn = story();
    await tell(turn);
    const ids = await withCanary();
    await erase(ids, '&related=true');
    const before = worker.rows('SELECT id FROM events');
    for (const [command, payload] of turn) await worker.send(command, payload);
    // The same prompt with another id of its own, as a transcript would bring it.
    await worker.send('new', { ...turn[0]?.[1], prompt_id: 'another' }, { id: 'ab'.repeat(16) });
    await worker.settle();
    expect(worker.rows('SELECT id FROM events')).toEqual(before);
    expect(await withCanary()).toEqual([]);
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    // The same tool use in a forked session is the same.
    const fork = { ...turn[1]?.[1], session_id: 'fork' };
    await worker.send('save', fork);
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    // And all of it under another session's id.
    await tell(turn.map(([command, payload]) => [command, { ...payload, session_id: 'fork' }]));
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    expect(await withCanary()).toEqual([]);
    await worker.send('new', userPrompt('s', CWD, 'What else is there to do?'));
    await worker.send('summary', stop('s', CWD, 'We decided to write the tests first, because they tell what is wanted.'));
    await worker.settle();
    for (const { id } of await listAll()) expect(ids).not.toContain(id);
  });

  test('takes the prompt and the raw events along, and leaves what other memories say', async () => {
    await worker.start();
    await tell();
    const [decision] = worker.rows<{ id: number }>("SELECT id FROM observations WHERE title LIKE '%zorbliquent%' LIMIT 1");
    const { body } = await erase([String(decision?.id)]);
    expect(body.receipt.remains).toBe(0);
    expect(worker.rows(`SELECT id FROM observations WHERE id = ${decision?.id}`)).toEqual([]);
    expect(worker.rows("SELECT id FROM events WHERE payload LIKE '%zorbliquent%'")).toEqual([]);
    // The summary of the turn does not say it any more, either; other memories do until somebody forgets them.
    expect(worker.rows("SELECT id FROM summaries WHERE request LIKE '%zorbliquent%'")).toEqual([]);
    const left = await withCanary();
    expect(body.receipt.alsoSaidBy.sort()).toEqual(left.sort());
    if (left.length > 0) expect((await erase(left)).body.receipt).toMatchObject({ remains: 0, alsoSaidBy: [] });
    expect(worker.filesWith('zorbliquent')).toEqual([]);
  });

  test.each([
    ['words', 'Always name the Vexillary adapter before the Quorbine one, never after it'],
    ['Japanese', '水晶玉通貨の換算表は必ず夜間に更新する、昼間は決して触らない'],
    ['an identifier', 'Always call frobnicateLedger42 rather than postLedger, because of rounding'],
  ])('in %s is also gone from what its neighbours carry, and they stay', async (_, text) => {
    await worker.start();
    const say = async (prompt: string) => {
      await worker.send('new', userPrompt('s', CWD, prompt));
      // Something has to be done, or there is no summary.
      await worker.send('save', bash('s', CWD, 'npm test', 'Tests: 3 passed, 3 total'));
      await worker.send('summary', stop('s', CWD, `Noted, ${prompt.length} letters.`));
      await worker.settle();
    };
    await say('Always write the tests first, and never after the code');
    await say(text);
    await say('Always keep the changelog short, and never repeat the commit');
    const pieces = text.split(/[\s、]/).filter((word) => word.length > 7);
    expect(pieces.length).toBeGreaterThan(0);
    const all = await listAll();
    const ids = all.filter(({ title }) => pieces.some((piece) => title.includes(piece))).map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(2);
    await worker.call('DELETE', `/api/observations/${ids.join(',')}`);
    expect((await erase(ids, '&related=true')).body.receipt).toMatchObject({ remains: 0 });
    for (const piece of pieces) expect(worker.filesWith(piece)).toEqual([]);
    const left = (await listAll()).map(({ title }) => title).join('\n');
    expect(left).toContain('tests first');
    expect(left).toContain('changelog short');
  });

  test('is told with what was made of the same turn, which goes along when asked', async () => {
    await worker.start();
    await tell();
    await worker.send('new', userPrompt('s', CWD, 'Always write the tests before the code, never after it'));
    await worker.send('summary', stop('s', CWD, 'Noted.'));
    await worker.settle();
    const [id = ''] = await withCanary();
    const { body } = await worker.call('GET', `/api/observations/${id}/related`);
    const related = body.memories.map((memory: Found) => memory.id);
    expect(related.some((one: string) => one.startsWith('S'))).toBe(true);
    const { receipt } = (await erase([id], '&related=true')).body;
    expect(receipt.ids).toEqual([id, ...related]);
    // Another turn of the same session has nothing to do with it, though it stands beside it.
    expect(receipt.alsoSaidBy).toEqual([]);
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    expect((await listAll()).map(({ title }) => title).join()).toContain('tests before the code');
  });

  test('names the file that still holds a piece of it', async () => {
    await worker.start();
    const text = 'The zorbliquent key of Quellmont is rotated on Fridays.';
    const { body } = await worker.call('POST', '/api/memory/save', { text, cwd: CWD, by: 'user' });
    mkdirSync(worker.paths.logs, { recursive: true });
    // What is in so many lines of a log is taken for the log's own, and stays.
    appendFileSync(join(worker.paths.logs, 'worker-2026-01-01.log'), `${text}\n`.repeat(30));
    const { receipt } = (await erase([body.id])).body;
    expect(receipt.remains).toBeGreaterThan(0);
    expect(receipt.remainsIn).toEqual(['logs/worker-2026-01-01.log']);
  });

  test('that somebody said by hand is refused to an agent and allowed to a person', async () => {
    await worker.start();
    const said = { text: 'The zorbliquent key of Quellmont is rotated on Fridays.', cwd: CWD };
    const { body } = await worker.call('POST', '/api/memory/save', { ...said, by: 'user' });
    expect((await erase([body.id])).body.receipt).toMatchObject({ observations: 1, remains: 0 });
    expect(await erase([body.id])).toMatchObject({ status: 404, body: { hint: expect.stringContaining('forgotten already') } });
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    expect((await worker.call('POST', '/api/memory/save', said)).status).toBe(409);
    const again = await worker.call('POST', '/api/memory/save', { ...said, by: 'user' });
    expect(again.body.isNew).toBe(true);
    expect(again.body.id).not.toBe(body.id);
  });
});

test('a model that is just being asked about it says nothing of it afterwards', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const model = startFakeModel(async () => {
    await promise;
    return say(GOOD_ANSWER.replace('Deepened by the model', 'Deepened zorbliquent'));
  });
  try {
    const apiKey = { value: 'sk-fake', host: new URL(model.baseUrl).host };
    writeFileSync(worker.paths.config, JSON.stringify({ provider: 'openai', baseUrl: model.baseUrl, quietSeconds: 0, apiKey }));
    await worker.start();
    for (const [command, payload] of story()) await worker.send(command, payload);
    await until(() => model.prompts.length > 0);
    const ids = await withCanary();
    expect((await erase(ids, '&related=true')).body.receipt).toMatchObject({ remains: 0 });
    answer();
    await until(() => worker.rows("SELECT 1 FROM model_calls WHERE status = 'answered'").length > 0);
    await Bun.sleep(50);
    expect(await listAll()).toEqual([]);
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    expect(worker.rows("SELECT 1 FROM batches WHERE status = 'waiting'")).toEqual([]);
  } finally {
    answer();
    await worker.stop();
    model.close();
  }
});
