// The preview with other settings than those that hold: what would a change of them do?
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { PreviewAnswer } from '../../src/core/shapes/context.ts';
import { SETTINGS } from '../../src/settings.ts';
import { edit, nextId, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let cwd: string;

beforeAll(async () => {
  worker = createTestWorker();
  cwd = join(worker.paths.dataDir, '..', nextId('shop'));
  await worker.start();
  for (const [name = '', does = ''] of WORK) await runSession(name, does);
  await worker.settle();
});
afterAll(() => worker.dispose());

const WORK = [
  ['cart', 'rounds prices up', 'Math.ceil(price)'],
  ['basket', 'keeps orders for a week', 'keepDays(7)'],
  ['receipt', 'names the cashier', 'print(cashier)'],
  ['invoice', 'repeats the address below', 'footer(address)'],
  ['parcel', 'weighs boxes in grams', 'grams(box)'],
];

async function runSession(name: string, does: string): Promise<void> {
  const session = nextId('s');
  await worker.send('context', sessionStart(session, cwd));
  await worker.send('new', userPrompt(session, cwd, `We decided that ${name}.ts ${does}. Change it.`));
  await worker.send('save', edit(session, cwd, `src/${name}.ts`, ['-Math.floor(price)', '+Math.ceil(price)']));
  await worker.send(
    'summary',
    stop(session, cwd, `${name}.ts ${does} now. Its tests in ${name}.test.ts were slow before. Next: add a test for ${name}.ts.`),
  );
  await worker.send('cleanup', sessionEnd(session, cwd));
}

async function preview(query = ''): Promise<PreviewAnswer> {
  const { status, body } = await worker.call('GET', `/api/context/preview?cwd=${encodeURIComponent(cwd)}&${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const countIn = ({ records }: PreviewAnswer, section: string) => records.filter((record) => record.section === section).length;

describe('the preview', () => {
  test('says which settings hold, whatever is asked for instead', async () => {
    const set = {
      tokens: SETTINGS.contextTokens.fallback,
      sections: [...SETTINGS.contextSections.fallback],
      types: [...SETTINGS.contextTypes.fallback],
      index: SETTINGS.contextIndex.fallback,
      full: SETTINGS.contextFull.fallback,
      sessions: SETTINGS.contextSessions.fallback,
    };
    expect((await preview()).settings).toEqual(set);
    expect((await preview('tokens=500&full=0&sections=index')).settings).toEqual(set);
  });

  test('tells as many of each section as are asked for', async () => {
    const whole = await preview('index=15');
    expect(countIn(whole, 'useful') + countIn(whole, 'index')).toBe(WORK.length - 1);
    const less = await preview('full=1&index=2&sessions=1');
    // What is told of a session stands for its name.
    expect(['useful', 'index', 'sessions'].map((section) => countIn(less, section))).toEqual([1, 2, 1]);
  });

  test('tells only the sections that are asked for, and none when none is', async () => {
    const { records } = await preview('sections=useful,open');
    expect(new Set(records.map(({ section }) => section))).toEqual(new Set(['useful', 'open']));
    expect(await preview('sections=')).toMatchObject({ text: '', records: [] });
  });

  test('tells only the types that are asked for', async () => {
    const saved = await worker.call('POST', '/api/memory/save', { text: 'Prices are cents.', type: 'decision', cwd });
    expect(saved.status).toBe(201);
    const { records } = await preview('types=decision&sections=useful,index');
    expect(records.map(({ id }) => id)).toEqual([saved.body.id]);
  });
});

test.each([
  ['tokens', SETTINGS.contextTokens, 200, 10_000],
  ['index', SETTINGS.contextIndex, 0, 200],
  ['full', SETTINGS.contextFull, 0, 30],
  ['sessions', SETTINGS.contextSessions, 0, 50],
] as const)('%s is bounded in the preview as the setting is', async (name, setting, least, most) => {
  for (const value of [least, most]) {
    expect(setting.schema().safeParse(value).success).toBe(true);
    await preview(`${name}=${value}`);
  }
  for (const value of [least - 1, most + 1]) {
    expect(setting.schema().safeParse(value).success).toBe(false);
    const answer = await worker.call('GET', `/api/context/preview?cwd=${cwd}&${name}=${value}`);
    expect(answer.status).toBe(400);
  }
});

test.each(['sections=all', 'types=decision,idea'])('refuses %s, which is none of the names', async (query) => {
  const { status, body } = await worker.call('GET', `/api/context/preview?cwd=${cwd}&${query}`);
  expect(status).toBe(400);
  expect(body.error).toBeString();
});
