// Records that are missing come from transcripts: word for word what they were, and nothing of what was to be kept out.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
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
/** Where Claude Code keeps them, below its folder. */
const write = (name: string, lines: object[]) => past.write(`projects/${name}`, lines);
/** Also what could not be stored at once and waits for its turn. */
async function read(): Promise<void> {
  await importAll(worker, { path: past.folder });
  await worker.settle();
}
const rebuild = (more: object = {}): Promise<Job> => runJob(worker, 'rebuild', { fromTranscripts: true, claudeDir: past.folder, ...more });
const records = () =>
  worker.rows<{ number: number; record: string; startedAt: number; endedAt: number }>(
    `SELECT prompt_number AS number, record, started_at_epoch AS startedAt, ended_at_epoch AS endedAt
     FROM turns ORDER BY session_id, prompt_number`,
  );

function change(work: (db: ReturnType<typeof openStore>) => void): void {
  const db = openStore(worker.paths.database);
  work(db);
  db.close();
}

/** As a store of an older version: no record, and no words between tools. */
const loseRecords = () =>
  change((db) => {
    db.run('DELETE FROM turns');
    db.run("DELETE FROM events WHERE kind = 'said'");
    db.run('UPDATE events SET payload = NULL');
  });

const turn = (id: string, text: string, lines = createLines()) => [
  lines.prompt(text, id),
  lines.say(`Between the tools of ${id} it says said-canary-${id}.`, 'tool_use'),
  ...lines.bash(`toolu_${id}`, `echo tool-canary-${id}`, `output-canary-${id}`),
  lines.say(`Closed with closing-canary-${id}: the work of ${id} is done now.`),
];
const CANARIES = ['said', 'tool', 'output', 'closing'];
const foundOf = (id: string) => CANARIES.filter((kind) => worker.filesWith(`${kind}-canary-${id}`).length > 0);

test('a record comes back word for word, no raw event does, and a second time changes nothing', async () => {
  write(own, ordinarySession());
  write('shop/other.jsonl', turn('o1', 'Why is the feed empty?', createLines({ session: 'other' })));
  await read();
  const before = records();
  expect(before.map(({ record }) => record).join('\n')).toContain('I will look at the test first.');
  loseRecords();
  const of = (table: string) => worker.rows(`SELECT * FROM ${table}`);
  const kept = [of('events'), of('observations'), of('summaries'), of('prompts'), of('sessions'), of('transcripts')];
  expect((await rebuild({ dryRun: true })).progress.counts.records).toBe(before.length);
  expect(records()).toEqual([]);
  const job = await rebuild();
  expect(job.progress.counts).toMatchObject({ records: before.length, 'memories without a record': 0 });
  expect(job.result).toContain(`${before.length} records made from transcripts.`);
  expect(records()).toEqual(before);
  expect([of('events'), of('observations'), of('summaries'), of('prompts'), of('sessions'), of('transcripts')]).toEqual(kept);
  change(checkDocuments);
  const documents = worker.rows('SELECT * FROM documents');
  expect((await rebuild()).progress.counts).toMatchObject({ records: 0, documents: 0 });
  expect(records()).toEqual(before);
  expect(worker.rows('SELECT * FROM documents')).toEqual(documents);
});

test('what is recorded stays as it is, and a session that was never known is not brought in', async () => {
  write(own, turn('p1', 'First'));
  await read();
  change((db) => db.run("UPDATE turns SET record = '── closing\nAs somebody left it.'"));
  write('shop/unknown.jsonl', turn('u1', 'Never seen', createLines({ session: 'unknown' })));
  await rebuild();
  expect(records().map(({ record }) => record)).toEqual(['── closing\nAs somebody left it.']);
  expect(foundOf('u1')).toEqual([]);
});

test('where the transcript is gone, the payloads that are left do', async () => {
  await worker.send('new', { session_id: 'live', cwd: '/home/dev/shop', prompt: 'Run it', prompt_id: 'l1' });
  await worker.send('save', {
    ...{ session_id: 'live', cwd: '/home/dev/shop', prompt_id: 'l1', tool_name: 'Bash', tool_use_id: 'toolu_live' },
    ...{ hook_event_name: 'PostToolUse', tool_input: { command: 'bun run it' } },
    tool_response: { stdout: 'it runs', stderr: '' },
  });
  const closing = { last_assistant_message: 'It runs now.', hook_event_name: 'Stop', stop_hook_active: false };
  await worker.send('summary', { session_id: 'live', cwd: '/home/dev/shop', prompt_id: 'l1', ...closing });
  await worker.settle();
  const before = records();
  expect(before[0]?.record).toContain('bun run it');
  change((db) => db.run('DELETE FROM turns'));
  expect((await rebuild()).progress.counts.records).toBe(1);
  expect(records()).toEqual(before);
});

describe('what was to be kept out stays out:', () => {
  test('private words and all under a private prompt, an agent’s too', async () => {
    write(own, [...turn('open', 'Keep this <private>only-canary</private>'), ...turn('hidden', '<private>all of it</private>')]);
    write(
      `shop/${SESSION}/subagents/agent-a.jsonl`,
      createLines({ from: Date.parse('2026-03-02T10:00:00Z') })
        .bash('toolu_a', 'ls', 'agent-canary')
        .map((line) => ({ ...line, promptId: 'hidden', isSidechain: true, agentId: 'a' })),
    );
    await read();
    loseRecords();
    expect((await rebuild()).progress.counts.records).toBe(1);
    expect(foundOf('open')).toEqual(CANARIES);
    expect(foundOf('hidden')).toEqual([]);
    for (const canary of ['only-canary', 'agent-canary', 'all of it']) expect([canary, ...worker.filesWith(canary)]).toEqual([canary]);
  });

  test('what happened in a pause, also one that was set later than it was read', async () => {
    const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);
    write(own, [
      ...turn('before', 'Before', createLines({ from: at('10:00:00') })),
      ...turn('during', 'During', createLines({ from: at('11:30:00') })),
    ]);
    await read();
    loseRecords();
    change((db) =>
      db.run(`INSERT INTO silences (scope, key, since_epoch, until_epoch) VALUES ('everything', '', ${at('11:00:00')}, ${at('12:00:00')})`),
    );
    await rebuild();
    expect(records().map(({ number }) => number)).toEqual([1]);
    expect(records()[0]?.record).toContain('said-canary-before');
    expect(records()[0]?.record).not.toContain('during');
  });

  test('what touches an excluded path', async () => {
    const lines = createLines();
    write(own, [
      lines.prompt('Look at both', 'p1'),
      ...lines.bash('toolu_open', 'cat src/open.ts', 'open-canary'),
      ...lines.bash('toolu_secret', 'cat secret/plan.txt', 'excluded-canary'),
      lines.say('Looked at both.'),
    ]);
    await worker.stop();
    writeFileSync(worker.paths.config, JSON.stringify({ excludePaths: ['secret/**'] }));
    await worker.start();
    await read();
    loseRecords();
    await rebuild();
    expect(records()[0]?.record).toContain('open-canary');
    expect(worker.filesWith('excluded-canary')).toEqual([]);
    // Also when the setting is gone: what was never kept is not known to have happened here.
    loseRecords();
    await worker.stop();
    writeFileSync(worker.paths.config, '{}');
    await worker.start();
    await rebuild();
    expect(records()[0]?.record).toContain('open-canary');
    expect(worker.filesWith('excluded-canary')).toEqual([]);
  });

  test('a turn in which something was forgotten, and one in which something is hidden', async () => {
    const lines = createLines();
    const fix = (id: string, what: string) => [
      lines.prompt('Go on', id),
      lines.say(`Between the tools of ${id} it says said-canary-${id}.`, 'tool_use'),
      ...lines.bash(`toolu_${id}`, `echo tool-canary-${id} > notes.md`, `output-canary-${id}`),
      lines.say(`Decision: ${what}, because closing-canary-${id} was measured.`),
    ];
    write(own, [
      ...fix('kept', 'we keep the journal on disk'),
      ...fix('erased', 'we sort the vouchers by island'),
      ...fix('hidden', 'we number the chapters from one'),
    ]);
    await read();
    const idsOf = (number: number) =>
      worker
        .rows<{ id: number }>(`SELECT id FROM observations WHERE prompt_number = ${number}`)
        .map(({ id }) => id)
        .join(',');
    const [erased, hidden] = [idsOf(2), idsOf(3)];
    loseRecords();
    expect((await worker.call('DELETE', `/api/observations/${erased}?erase=true`)).status).toBe(200);
    expect((await worker.call('DELETE', `/api/observations/${hidden}`)).status).toBe(200);
    expect(worker.rows('SELECT id FROM prompts')).toHaveLength(3);
    past.write(`projects/copied/${SESSION}.jsonl`, readFileSync(`${past.folder}/projects/${own}`, 'utf8'));
    const { progress, result } = await rebuild();
    expect(progress.counts.records).toBe(1);
    expect(records().map(({ number }) => number)).toEqual([1]);
    expect(foundOf('kept')).toEqual(CANARIES);
    for (const kind of ['said', 'tool', 'output']) expect(worker.filesWith(`${kind}-canary-erased`)).toEqual([]);
    expect(result?.join('\n')).toContain('No record for 1 turn in which something was forgotten');
  });

  test('a prompt or a session that was erased', async () => {
    write(own, [...turn('kept', 'Keep the first'), ...turn('erased', 'Erase the second')]);
    write('shop/gone.jsonl', turn('gone', 'Everything goes', createLines({ session: 'gone' })));
    await read();
    loseRecords();
    const prompts = worker.rows<{ id: string; text: string }>("SELECT 'P' || id AS id, text FROM prompts");
    const ids = prompts.filter(({ text }) => text !== 'Keep the first').map(({ id }) => id);
    expect(ids).toHaveLength(2);
    await worker.call('DELETE', `/api/observations/${ids.join(',')}?erase=true&related=true`);
    await rebuild();
    expect(records()).toHaveLength(1);
    expect([foundOf('erased'), foundOf('gone')]).toEqual([[], []]);
  });

  test('an incognito session, and what is older than keepRecords', async () => {
    write(own, turn('old', 'Of long ago'));
    await read();
    loseRecords();
    change((db) => db.run(`UPDATE sessions SET updated_at_epoch = ${Date.now()}`));
    await worker.stop();
    writeFileSync(worker.paths.config, JSON.stringify({ keepRecords: 30 }));
    await worker.start();
    await worker.send('context', { session_id: 'secret' }, { incognito: true });
    write('shop/secret.jsonl', turn('secret', 'Secret', createLines({ session: 'secret' })));
    await rebuild();
    expect(records()).toEqual([]);
    expect(foundOf('secret')).toEqual([]);
  });
});
