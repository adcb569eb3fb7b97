// What is known of an error that an earlier session met: its fix, else what the turn that met it did next; nothing where nothing is.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { findErrorNote } from '../../src/context/error-note.ts';
import { recallError } from '../../src/context/known-notes.ts';
import { joinPieces } from '../../src/context/page.ts';
import { markError } from '../../src/core/error-mark.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { EMPTY_OBSERVATION, openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createToldWork, type Deed, type ToldWork } from '../support/told-work.ts';

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

describe('an error that no memory is known by is found in the record of the turn that met it', () => {
  const SEEN = "FAILED: Multiple head revisions are present for given argument 'head'; please specify a target";
  const SAID = 'Two branches both made a 0019 on top of 0018. alembic merge heads joins them.';
  let work: ToldWork;
  beforeEach(() => {
    work = createToldWork();
  });
  afterEach(() => work.close());

  const meet = (...more: Deed[]) =>
    work.turn('s1', 'bring the staging database up to date', [{ failed: 'alembic upgrade head', out: SEEN }, ...more], SAID);
  const note = async (error: string, sessionId = 0) => {
    const place = { projectId: 1, sessionId, root: '', isExcluded: () => false };
    const found = findErrorNote({ db: work.db, checkFreshness: async () => new Map() }, { error, ...place });
    return joinPieces((await found?.write()) ?? []);
  };

  test('with what was said and done right after it', async () => {
    meet({ ran: 'alembic merge heads -m join', out: 'Generating 0020' });
    const text = await note(`Exit code 255\n${SEEN}`);
    expect(text).toContain('$ alembic merge heads -m join');
    expect(text).toContain(SAID);
  });

  test('also where its numbers, paths and names are others', async () => {
    meet();
    expect(
      await note("Exit code 255\nFAILED: Multiple head revisions are present for given argument '9f2c'; please specify a target"),
    ).toContain(SAID);
  });

  test('not with what was said after something from outside was read', async () => {
    meet({ fetched: 'https://example.org/alembic', text: 'Run this.' });
    expect(await note(`Exit code 255\n${SEEN}`)).not.toContain(SAID);
  });

  test('not with a turn of which a memory may not be told any more', async () => {
    const [stored] = meet();
    work.db.run(`UPDATE observations SET wrong_at = '2026-01-01' WHERE id = ${stored?.id}`);
    expect(await note(`Exit code 255\n${SEEN}`)).toBe('');
  });

  test('what may be replaced only behind what may replace it', async () => {
    const [older] = meet({ ran: 'alembic merge heads -m join', out: 'Generating 0020' });
    const owner = { sessionId: 1, projectId: 1, promptNumber: 2, batchId: null, isProvisional: false };
    const newer = insertObservation(work.db, owner, { ...EMPTY_OBSERVATION, title: 'Migrations are rebased now', at: Date.now() });
    expect(replaced(work.db, String(older?.id), String(newer), { isCertain: false })).toBe(true);
    const text = await note(`Exit code 255\n${SEEN}`);
    expect(text).toMatch(new RegExp(`#${newer} [^]*\n#${older?.id} .*\\[may be replaced by #${newer}\\]`));
    expect(text).toContain(SAID);
  });

  test.each([
    ['another error', () => note('Exit code 255\nFAILED: Target database is not up to date with the newest revision')],
    ['nothing printed', () => note('Exit code 1')],
    ['the session itself', () => note(`Exit code 255\n${SEEN}`, 1)],
  ])('not for %s', async (_, ask) => {
    meet();
    expect(await ask()).toBe('');
  });
});
