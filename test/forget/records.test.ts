// Forgetting reaches the records of turns: what a memory rests on and says goes out of them, with a mark, and does not come back.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { HookCommand } from '../../src/core/envelope.ts';
import { openStore } from '../../src/store/open.ts';
import { bash, edit, stop, userPrompt } from '../support/payloads.ts';
import { runJob } from '../support/transcripts.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const CWD = '/home/dev/shop';

let worker: TestWorker;
beforeEach(async () => {
  worker = createTestWorker();
  await worker.start();
});
afterEach(() => worker.dispose());

const ANSWER = `## The bank

We decided to cache the zorbliquent tokens of Quellmont Industries for nine minutes, because their vault is slow.

- Zorbliquent tokens of Quellmont are dropped at midnight.

## The pager

- The pager test is green again: offset 0 is counted since the last row was missing.

\`\`\`ts
const retries: Map<string, number> = new Map();
\`\`\``;

type Turn = { session?: string; id: string; prompt: string; answer: string; run?: [command: string, output: string] };

async function deliver({ session = 's', id, prompt, answer, run }: Turn): Promise<void> {
  const more = { prompt_id: id };
  const turn: [HookCommand, object][] = [
    ['new', userPrompt(session, CWD, prompt, more)],
    ...(run ? [['save', bash(session, CWD, run[0], run[1], { ...more, tool_use_id: `t-${id}` })] as [HookCommand, object]] : []),
    ['save', bash(session, CWD, 'npm test', 'Tests: 3 passed, 3 total', { ...more, tool_use_id: `n-${id}` })],
    ['summary', stop(session, CWD, answer, more)],
  ];
  for (const [command, payload] of turn) await worker.send(command, payload);
}

async function tell(turn: Turn): Promise<void> {
  await deliver(turn);
  await worker.settle();
}

const bank = (more: Partial<Turn> = {}): Turn => ({
  id: 'p1',
  prompt: 'How should the shop talk to its bank?',
  answer: ANSWER,
  run: ['curl https://bank.example/v2/tokens', 'zorbliquent for quellmont'],
  ...more,
});

const records = () => worker.rows<{ record: string }>('SELECT record FROM turns').map(({ record }) => record);
const erase = async (ids: string[]) => (await worker.call('DELETE', `/api/observations/${ids.join(',')}?erase=true`)).body;
const saying = (words: string) =>
  worker
    .rows<{ id: number }>(
      `SELECT id FROM observations WHERE title || coalesce(subtitle, '') || coalesce(narrative, '') || facts LIKE '%${words}%'`,
    )
    .map(({ id }) => String(id));
const search = async (query: string) => (await worker.call('GET', `/api/search?all=true&query=${encodeURIComponent(query)}`)).body.results;

describe('a memory that is forgotten', () => {
  test('takes the paragraphs that say it out of its record, and the report says how many', async () => {
    await tell(bank());
    expect(records()[0]).toContain('zorbliquent');
    const ids = saying('orbliquent');
    expect(ids.length).toBeGreaterThan(0);
    const { receipt } = await erase([...ids, 'S1']);
    expect(receipt.paragraphs).toBeGreaterThanOrEqual(3);
    expect(receipt).toMatchObject({ records: 0, remains: 0 });
    const [record = ''] = records();
    expect(record).not.toMatch(/zorbliquent|quellmont/i);
    expect(record).toContain('[forgotten]');
    // What the memory does not say can still be read.
    expect(record).toContain('## The pager');
    expect(record).toContain('const retries: Map<string, number> = new Map();');
    for (const word of ['zorbliquent', 'quellmont']) expect(worker.filesWith(word)).toEqual([]);
    expect(await search('zorbliquent tokens of Quellmont')).toEqual([]);
  });

  test('names the turns of others that still say it, by their P id', async () => {
    await tell(bank());
    await tell({
      session: 'other',
      id: 'p2',
      prompt: 'What is slow here?',
      answer: 'The vault: we cache the zorbliquent tokens of Quellmont Industries for nine minutes, because their vault is slow.',
    });
    const [turn] = worker.rows<{ id: number }>(
      "SELECT p.id FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE s.host_session_id = 'other'",
    );
    const own = worker
      .rows<{ id: number }>(
        "SELECT o.id FROM observations o JOIN sessions s ON s.id = o.session_id WHERE s.host_session_id = 's' AND o.facts LIKE '%zorbl%'",
      )
      .map(({ id }) => String(id));
    const { receipt } = await erase(own);
    expect(receipt.alsoSaidBy).toContain(`P${turn?.id}`);
    expect(receipt.alsoSaidBy).not.toContain('P1');
    expect(records().filter((record) => record.includes('for nine minutes'))).toHaveLength(1);
    await erase(receipt.alsoSaidBy);
    expect(records().join()).not.toContain('for nine minutes');
  });
});

test('takes the steps it rests on, also when their raw payloads are gone', async () => {
  const more = { prompt_id: 'p1' };
  await worker.send('new', userPrompt('s', CWD, 'The shop cannot find its ledger when it starts, can we fix that?', more));
  await worker.send('save', { ...edit('s', CWD, 'src/start.ts', ['-const ledger = find();', '+const ledger = findIn(FOLDER);']), ...more });
  await worker.send('save', bash('s', CWD, 'cat unit.ini', 'start = shop', more));
  await worker.send('summary', stop('s', CWD, 'The shop now looks for its ledger in the quellmont folder.', more));
  await worker.settle();
  const db = openStore(worker.paths.database);
  db.run('UPDATE events SET payload = NULL');
  db.close();
  await erase(saying('quellmont'));
  expect(records()[0]).not.toMatch(/start\.ts|findIn/);
  expect(records()[0]).toContain('cat unit.ini');
});

test('leaves a record of which a rebuild makes nothing else, and keeps what was made of all of it', async () => {
  const more = { prompt_id: 'p1' };
  await worker.send('new', userPrompt('s', CWD, 'From now on never keep zorbliquent ledgers in the home. Move ours, please.', more));
  await worker.send('save', { ...edit('s', CWD, 'src/start.ts', ['-const ledger = HOME;', '+const ledger = FOLDER;']), ...more });
  const closing =
    'The ledger lies in the folder of the service now.\n\nFrom now on we never keep zorbliquent ledgers in the home.\n\nThe start reads it once.';
  await worker.send('summary', stop('s', CWD, closing, more));
  await worker.settle();
  const told = () => worker.rows<{ id: number }>('SELECT id, title, facts FROM observations ORDER BY id');
  await erase(['1']);
  expect(records()[0]).toContain('[forgotten]');
  const left = told();
  expect(left.map(({ id }) => id)).toEqual([2]);
  await runJob(worker, 'rebuild', {});
  expect(told()).toEqual(left);
});

test('names no turn for a name of it that the output of many has', async () => {
  await tell(bank({ answer: `${ANSWER} Its client is called quellmontClient.` }));
  for (let at = 2; at < 12; at++)
    await tell(
      bank({ id: `p${at}`, prompt: `Step ${at} of the pager`, answer: `Step ${at} is done.`, run: ['npm test', 'ok quellmontClient'] }),
    );
  const { receipt } = await erase(saying('quellmontClient'));
  expect(receipt.observations).toBeGreaterThan(0);
  expect(receipt.alsoSaidBy.filter((id: string) => id.startsWith('P') && id !== 'P1')).toEqual([]);
});

describe('a prompt that is forgotten', () => {
  test('takes the whole record of its turn along, and none of it comes back', async () => {
    await tell(bank());
    await tell(bank({ id: 'p2', prompt: 'And now the pager, please.', answer: 'The pager is done: it shows wombats.', run: undefined }));
    const related = (await worker.call('GET', '/api/observations/P1/related')).body.memories.map(({ id }: { id: string }) => id);
    const { receipt } = await erase(['P1', ...related]);
    expect(receipt).toMatchObject({ prompts: 1, records: 1, remains: 0 });
    expect(records()).toHaveLength(1);
    expect(records()[0]).toContain('wombats');
    for (const word of ['zorbliquent', 'quellmont', 'talks to its bank']) expect(worker.filesWith(word)).toEqual([]);
    await tell(bank());
    expect(records()).toHaveLength(1);
    expect(worker.filesWith('zorbliquent')).toEqual([]);
    // Another word under the same id, told late, is of the same turn.
    await worker.send('save', bash('s', CWD, 'echo zorbliquent', 'zorbliquent', { prompt_id: 'p1', tool_use_id: 'late' }));
    expect(worker.filesWith('zorbliquent')).toEqual([]);
  });

  test('only hidden, hides its record, and shows it again', async () => {
    await tell(bank());
    const shown = async () =>
      JSON.stringify([
        await search('zorbliquent tokens'),
        (await worker.call('GET', '/api/timeline?anchor=2000-01-01&depth_after=50')).body,
      ]);
    expect(await shown()).toContain('zorbliquent');
    const others = saying('orbliquent');
    await worker.call('DELETE', `/api/observations/${['P1', 'S1', ...others].join(',')}`);
    expect(await shown()).not.toContain('zorbliquent');
    await worker.call('POST', '/api/memory/unhide', { ids: ['P1'] });
    expect(JSON.stringify(await search('vault bank'))).toContain('"P1"');
    // What its record says of those that are still hidden is not shown either.
    expect(JSON.stringify(await search('cache tokens for nine minutes'))).not.toContain('zorbliquent');
  });
});
