// What is known of a file before it is edited, and of an error that an earlier session met: a few memories, at once; nothing where nothing is.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createErrorNote } from '../../src/context/found-notes.ts';
import { readErrorText, recallError, recallFile } from '../../src/context/known-notes.ts';
import { joinPieces } from '../../src/context/page.ts';
import { markError } from '../../src/core/error-mark.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { EMPTY_OBSERVATION, openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createToldWork } from '../support/told-work.ts';

const ERROR = "Exit code 1\nError: Cannot find module 'dotenv'\nRequire stack:\n- /home/dev/shop/server.js";
const AGAIN = "Exit code 1\nError: Cannot find module 'dotenv'\nRequire stack:\n- /work/shop/seed.js";

let store: TestStore;
let before: Shelf;
let now: Shelf;
beforeEach(() => {
  store = createTestStore();
  before = openShelf(store.db, '/home/dev/shop', 'before');
  now = openShelf(store.db, '/home/dev/shop', 'now');
});
afterEach(() => store.close());

function know(shelf: Shelf, title: string, at: number, more: Partial<ObservationDraft>, error = ERROR): number {
  const owner = { sessionId: shelf.sessionId, projectId: shelf.projectId, promptNumber: 1, batchId: null, isProvisional: false };
  const draft = { ...EMPTY_OBSERVATION, title, at, ...more };
  return insertObservation(store.db, owner, draft, { ...bareEvidence(draft), errorMarks: markError(error) });
}

const FIX = { type: 'bugfix', outcome: 'passed' } as const;
const recall = (error = AGAIN, shelf = now) => recallError(store.db, { projectId: shelf.projectId, sessionId: shelf.sessionId, error });
const ids = () => recall()?.observations.map(({ id }) => id) ?? [];

describe('an error that was seen before', () => {
  test('is answered with its fix', () => {
    const id = know(before, 'Install dotenv before the server starts', 1, FIX);
    expect(recall()).toMatchObject({ observations: [{ id, type: 'bugfix', outcome: 'passed' }] });
    expect(markError(AGAIN)).toContain(recall()?.mark ?? '');
  });

  test('is answered with what worked first, then with what did not; two at most', () => {
    know(before, 'The loader reads modules from the root', 9, { type: 'discovery' });
    const ruledOut = know(before, 'Linking the package by hand did not help', 8, { type: 'discovery', outcome: 'ruled-out' });
    const fix = know(before, 'Install dotenv before the server starts', 2, FIX);
    expect(ids()).toEqual([fix, ruledOut]);
  });

  test('is answered with the newer of two fixes first, and once where both say the same', () => {
    know(before, 'Install dotenv before the server starts', 1, FIX);
    const newer = know(before, 'Install dotenv before the server starts up', 5, FIX);
    const other = know(before, 'Load settings from the platform instead of a file', 3, FIX);
    expect(ids()).toEqual([newer, other]);
  });

  test.each<[string, (id: number) => void]>([
    ['hidden', (id) => hide(id, "hidden_at = '2026-01-01'")],
    ['wrong', (id) => hide(id, "wrong_at = '2026-01-01'")],
    ['quarantined', (id) => hide(id, 'quarantined = 1')],
    ['from outside', (id) => hide(id, 'trust = 1')],
    ['changed on disk', (id) => hide(id, "title = 'x'")],
    ['a fix that failed', (id) => hide(id, "outcome = 'failed'")],
  ])('is not answered with what is %s', (_, change) => {
    const id = know(before, 'Install dotenv before the server starts', 1, FIX);
    expect(ids()).toEqual([id]);
    change(id);
    expect(recall()).toBeNull();
  });

  test('is not answered with what this session itself found, nor with another project', () => {
    know(now, 'Install dotenv before the server starts', 1, FIX);
    know(openShelf(store.db, '/home/dev/other', 'other'), 'Install dotenv before the server starts', 1, FIX);
    expect(recall()).toBeNull();
  });
});

test('another error, or none, is answered with nothing', () => {
  know(before, 'Install dotenv before the server starts', 1, FIX);
  expect(recall("Exit code 1\nError: Cannot find module 'express'")).toBeNull();
  expect(recall('Exit code 1')).toBeNull();
  expect(recall('')).toBeNull();
});

const hide = (id: number, change: string) => store.db.run(`UPDATE observations SET ${change} WHERE id = ${id}`);

test('through the rules work is known by an error that it met only when it speaks of it', () => {
  const error = "ImportError: cannot import name 'batched' from 'itertools' (/usr/lib/python3.11/itertools.py)";
  const build = (said: string) => {
    const work = createToldWork();
    const first = { edited: 'waves.py', lines: ['+from itertools import batched'] };
    const then = { edited: 'waves.py', lines: ['-from itertools import batched', '+from more_itertools import chunked'] };
    work.turn('s1', 'Build the waves', [first, { failed: 'pytest', out: error }, then, { ran: 'pytest', out: '5 passed' }], said);
    const found = recallError(work.db, { projectId: 1, sessionId: 0, error });
    work.close();
    return found?.observations.map(({ title }) => title) ?? [];
  };
  expect(build('The waves are built from the open orders, each with a snake through the aisles.')).toEqual([]);
  expect(build('The waves are built. The name batched cannot be imported from itertools in 3.11, so chunked it is.')).toHaveLength(1);
});

test('through the rules a fix is known by the error that it answered and by its test, but not by another', () => {
  const work = createToldWork();
  const price = "TypeError: Cannot read properties of undefined (reading 'price')\n    at total (/home/dev/shop/src/cart.ts";
  const failure = `src/cart.ts:\n${price}:12:20)\n\n(fail) cart > totals an empty cart [1ms]\n 3 pass\n 1 fail`;
  work.turn(
    's1',
    'The tests of the cart are red. Fix them.',
    [
      { failed: 'bun test', out: failure },
      { edited: 'src/cart.ts', lines: ['-  return lines[0].price;', '+  return lines[0]?.price ?? 0;'] },
      { ran: 'bun test', out: '4 pass\n 0 fail' },
    ],
    'Fixed: an empty cart has no first line, so its price was read of undefined.',
  );
  work.turn('s2', 'Run it.', [{ ran: 'ls' }], 'Here.', 1);
  const told = (error: string) => recallError(work.db, { projectId: 1, sessionId: 2, error: `Exit code 1\n${error}` })?.observations;
  expect(told(`${price}:31:20)\n    at main (/home/dev/shop/src/main.ts:3:1)`)).toMatchObject([
    { type: 'bugfix', outcome: 'passed', filesModified: ['src/cart.ts'] },
  ]);
  expect(told('(fail) cart > totals an empty cart [9ms]\n 1 fail')).toHaveLength(1);
  expect(told('(fail) cart > totals a full cart [9ms]\n 1 fail')).toBeUndefined();
  work.close();
});

describe('an error that no memory is known by is found by its words', () => {
  const SEEN = 'alembic.util.exc.CommandError: Multiple head revisions are present for given argument head';
  const note = async (error: string, sessionId = 0) => {
    const write = createErrorNote({ db: store.db, checkFreshness: async () => new Map(), clock: () => 10 });
    const { text = '' } = readErrorText(error) ?? {};
    return joinPieces(await write({ text, projectId: now.projectId, root: '', sessionId, isExcluded: () => false }));
  };
  const fix = (shelf: Shelf, more = {}) =>
    shelf.observe('alembic merge joins the two heads', 5, {
      type: 'change',
      outcome: 'passed',
      narrative: `${SEEN}. Both branches added a revision; alembic merge heads joined them.`,
      ...more,
    });

  test('with what was tried in the same turn, and did not help', async () => {
    const id = fix(before);
    before.observe('Deleting the newer revision lost a column', 4, { type: 'discovery', outcome: 'ruled-out' });
    const text = await note(`Exit code 1\n${SEEN}`);
    expect(text).toContain(`#${id} `);
    expect(text).toContain('alembic merge heads joined them');
    expect(text).toContain('Deleting the newer revision lost a column');
    expect(text).toContain('[ruled out]');
  });

  test.each([
    ['another error', () => note('Exit code 1\nalembic.util.exc.CommandError: Target database is not up to date')],
    ['nothing printed', () => note('Exit code 1')],
    ['the session itself', () => note(`Exit code 1\n${SEEN}`, before.sessionId)],
  ])('not for %s', async (_, ask) => {
    fix(before);
    expect(await ask()).toBe('');
  });
});

describe('before an edit', () => {
  const FILE = 'src/pay/charge.ts';
  const titles = (path = FILE) =>
    recallFile(store.db, { projectId: now.projectId, sessionId: now.sessionId, path }).map(({ title }) => title);

  const DECISION: Partial<ObservationDraft> = { type: 'decision', filesModified: [FILE] };
  const RULED_OUT: Partial<ObservationDraft> = { type: 'discovery', outcome: 'ruled-out', filesRead: [FILE] };
  const TRAP: Partial<ObservationDraft> = { type: 'bugfix', outcome: 'passed', concepts: ['gotcha'], filesModified: [FILE] };

  test('decisions and what was ruled out come before traps, the newest first, three in all', () => {
    before.observe('Amounts arrive as strings from the gateway', 9, TRAP);
    before.observe('Charges carry an idempotency key', 2, DECISION);
    before.observe('Retrying inside the transaction deadlocked', 5, RULED_OUT);
    expect(titles()).toEqual([
      'Retrying inside the transaction deadlocked',
      'Charges carry an idempotency key',
      'Amounts arrive as strings from the gateway',
    ]);
    before.observe('Refunds are booked as negative charges', 7, DECISION);
    expect(titles()).toEqual([
      'Refunds are booked as negative charges',
      'Retrying inside the transaction deadlocked',
      'Charges carry an idempotency key',
    ]);
  });

  test('of work that held the last comes behind all else; what replaced a decision stands in its place', () => {
    const WORK: Partial<ObservationDraft> = { type: 'change', outcome: 'passed', filesModified: [FILE] };
    before.observe('Export charges as windows-1252', 3, WORK);
    before.observe('Log every refund', 4, WORK);
    before.observe('Amounts arrive as strings from the gateway', 1, TRAP);
    expect(titles()).toEqual(['Amounts arrive as strings from the gateway', 'Log every refund']);
    const old = before.observe('Charges carry an idempotency key', 2, DECISION);
    const newer = before.observe('Keys come from the gateway now', 3, WORK);
    replaced(store.db, old, newer);
    expect(titles()).toEqual(['Keys come from the gateway now', 'Amounts arrive as strings from the gateway', 'Log every refund']);
  });

  test('a file that no memory changed is known by those that name it, by its path or the end of it', () => {
    before.observe('Ask before anything is installed in pay/charge.ts', 3, { type: 'decision' });
    before.observe('The gateway of cart/charge.ts is slow', 4, { type: 'discovery' });
    before.observe('recharge.ts has a test', 5, { type: 'discovery' });
    expect(titles()).toEqual(['Ask before anything is installed in pay/charge.ts']);
    before.observe('Charges carry an idempotency key', 2, DECISION);
    expect(titles()).toEqual(['Charges carry an idempotency key']);
  });

  test('what was decided twice is told once, as it was said last', () => {
    before.observe('Charges carry an idempotency key', 2, DECISION);
    before.observe('Charges carry one idempotency key', 4, DECISION);
    expect(titles()).toEqual(['Charges carry one idempotency key']);
  });

  test('unproven work, other files, other projects and this session say nothing', () => {
    before.observe('Add the charge module', 1, { type: 'feature', outcome: 'unverified', filesModified: [FILE] });
    before.observe('How charges work', 1, { type: 'discovery', concepts: ['how-it-works'], filesRead: [FILE] });
    before.observe('Carts expire', 1, { ...DECISION, filesModified: ['src/cart.ts'] });
    now.observe('Charges are signed', 1, DECISION);
    openShelf(store.db, '/home/dev/other', 'other').observe('Charges are logged', 1, DECISION);
    expect(titles()).toEqual([]);
  });
});
