// What came of a session: the same answer for the context, the list, the page of a session and the recap.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { findSession } from '../../src/capture/sessions.ts';
import { hideMemories } from '../../src/forget/hide.ts';
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
const titles = (rows: { title: string }[]) => rows.map(({ title }) => title);
const texts = (items: { text: string }[]) => items.map(({ text }) => text);

const GREET = (session = 'a') => work.turn(session, 'hi, have a look at the orders please', [], 'Sure.');
const COMMIT = {
  ran: 'git commit -am "Give orders a state"',
  out: '[main 4f1c2d9] Give orders a state\n 1 file changed',
};
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
  test('has the work with its outcome and what is left open', () => {
    ORDERS();
    const { done, open } = rolled('a');
    expect(done).toMatchObject([{ title: expect.stringContaining('Give orders a state'), outcome: 'passed' }]);
    expect(texts(open)).toEqual(['Write the migration for orders']);
  });

  test('loses a step that a later session has taken, as the recap does', () => {
    ORDERS();
    work.turn(
      'b',
      'Write the migration for orders',
      [
        {
          edited: 'migrations/007-orders.sql',
          lines: ['+ALTER TABLE orders ADD COLUMN state TEXT; -- migration for orders'],
        },
      ],
      'The migration for orders is written.',
      1,
    );
    expect(rolled('a').open).toEqual([]);
    const [project] = readRecap(work.db, {
      projectIds: null,
      since: 0,
      until: Date.now() * 2,
      now: Date.now(),
    }).projects;
    expect(project?.open).toEqual([]);
  });

  test('agrees with the recap about the same time', () => {
    ORDERS();
    const { done, decided, open } = rolled('a');
    const [project] = readRecap(work.db, {
      projectIds: null,
      since: 0,
      until: Date.now() * 2,
      now: Date.now(),
    }).projects;
    expect(project).toMatchObject({ done, decided, open });
  });

  test('has none of the decisions that were replaced', () => {
    work.turn(
      'a',
      'From now on we retry a failed mail 3 times',
      [{ edited: 'src/mail.ts', lines: ['+const RETRIES = 3;'] }],
      'A failed mail is retried 3 times.',
    );
    const before = rolled('a').decided;
    work.turn(
      'a',
      'From now on we retry a failed mail 7 times',
      [{ edited: 'src/mail.ts', lines: ['-const RETRIES = 3;', '+const RETRIES = 7;'] }],
      'A failed mail is retried 7 times.',
    );
    expect(titles(before).join()).toContain('3 times');
    expect(titles(rolled('a').decided).join()).not.toContain('3 times');
    expect(titles(rolled('a').decided).join()).toContain('7 times');
  });

  test('is empty of what another session did', () => {
    ORDERS();
    work.turn('b', 'Why is the list of customers slow', [], 'There is no index on the name.', 1);
    expect(titles(rolled('b').done).join()).not.toContain('Give orders a state');
  });
});
