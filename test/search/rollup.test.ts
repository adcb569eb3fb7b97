// What came of a session: the same answer for the context, the list, the page of a session and the recap.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { findSession } from '../../src/capture/sessions.ts';
import { hideMemories } from '../../src/memory/hide.ts';
import { readRecap, rollUpSession } from '../../src/search/rollup.ts';
import { createToldWork, type ToldWork } from '../support/told-work.ts';

let work: ToldWork;
beforeEach(() => {
  work = createToldWork();
});
afterEach(() => work.close());

const sessionOf = (name: string) => {
  const session = findSession(work.db, name);
  if (!session) throw new Error(`no session ${name}`);
  return session;
};
const rolled = (name: string) => rollUpSession(work.db, sessionOf(name));
const titles = (rows: { title: string }[]) => rows.map(({ title }) => title).join('\n');

const GREET = (session = 'a') => work.turn(session, 'hi, have a look at the orders please', [], 'Sure.');
const COMMIT = { ran: 'git commit -am "Give orders a state"', out: '[main 4f1c2d9] Give orders a state\n 1 file changed' };
const ORDERS = (session = 'a') =>
  work.turn(
    session,
    'Give orders a state',
    [{ edited: 'src/orders.ts', lines: ['+  state: string;'] }, { ran: 'npm test', out: '12 pass\n0 fail' }, COMMIT],
    'Orders have a state now.\n\nNext steps:\n- Write the migration for orders',
  );

describe('the title of a session', () => {
  test('is the work it did, not what was asked first', () => {
    GREET();
    ORDERS();
    expect(sessionOf('a').title).toContain('Give orders a state');
  });

  test('is what was asked as long as nothing was made', () => {
    work.turn('a', 'Why does the upload of large files stop after a minute', [], 'I will have a look.');
    expect(sessionOf('a').title).toContain('upload of large files');
  });

  test('tells nothing of what is hidden', () => {
    GREET();
    const [made] = ORDERS().filter(({ type }) => type !== 'decision');
    hideMemories(work.db, [{ kind: 'observation', id: made?.id ?? 0 }], Date.now());
    expect(sessionOf('a').title ?? '').not.toContain('orders a state');
  });

  test('a model gave stays', () => {
    GREET();
    work.db.run("UPDATE batches SET observer = 'model', status = 'done'");
    work.db.run("UPDATE sessions SET title = 'Order states, end to end'");
    ORDERS();
    expect(sessionOf('a').title).toBe('Order states, end to end');
  });
});

describe('the roll-up of a session', () => {
  const recapOf = (until = Date.now() * 2) => readRecap(work.db, { projectIds: null, since: 0, until, now: until }).projects[0];

  test('has the work with its outcome and what is left open, as the recap has it', () => {
    ORDERS();
    const { done, decided, open } = rolled('a');
    expect(done).toMatchObject([{ title: expect.stringContaining('Give orders a state'), outcome: 'passed' }]);
    expect(open.map(({ text }) => text)).toEqual(['Write the migration for orders']);
    expect(recapOf()).toMatchObject({ done, decided, open });
  });

  test('loses a step that a later session has taken, as the recap does, and is empty of what another session did', () => {
    ORDERS();
    const lines = ['+ALTER TABLE orders ADD COLUMN state TEXT; -- migration for orders'];
    const written = { edited: 'migrations/007-orders.sql', lines };
    work.turn('b', 'Write the migration for orders', [written], 'The migration for orders is written.', 1);
    expect([rolled('a').open, recapOf()?.open]).toEqual([[], []]);
    expect(titles(rolled('b').done)).not.toContain('Give orders a state');
  });

  test('has none of the decisions that were replaced', () => {
    const decide = (times: number, lines: string[]) =>
      work.turn(
        'a',
        `From now on we retry a failed mail ${times} times`,
        [{ edited: 'src/mail.ts', lines }],
        `A failed mail is retried ${times} times.`,
      );
    decide(3, ['+const RETRIES = 3;']);
    expect(titles(rolled('a').decided)).toContain('3 times');
    decide(7, ['-const RETRIES = 3;', '+const RETRIES = 7;']);
    expect(titles(rolled('a').decided)).not.toContain('3 times');
    expect(titles(rolled('a').decided)).toContain('7 times');
  });

  test('in the past has what was left open then, without what was done since, in its newest words', () => {
    const openOf = (until?: number) => recapOf(until)?.open.map(({ id, text }) => `${id} ${text}`);
    const left = 'Read in chunks now.\n\nNext steps:\n- Port the weather join to polars\n- Add a memory test for readings';
    work.turn('a', 'Read the weather table in chunks', [{ edited: 'src/weather.py', lines: ['+read(path, chunk=500)'] }], left);
    const nextDay = Date.parse('2026-01-03T00:00:00Z');
    expect(openOf(nextDay)).toContain('P1 Port the weather join to polars');
    const ported = { edited: 'src/weather_join.py', lines: ['-pandas.merge(weather, on)', '+polars.join(weather, on)'] };
    const then = 'The weather join runs on polars.\n\nNext steps:\n- Add a memory test for the readings';
    work.turn('b', 'Port the weather join to polars', [ported, { ran: 'pytest', out: '4 passed' }], then, 5);
    expect(openOf(nextDay)).not.toContain('P1 Port the weather join to polars');
    expect(openOf()).toEqual(['P2 Add a memory test for the readings']);
  });
});
