// The one relation for "no longer so": who may say it, what stands against it, and what goes with its memories.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { formatRef, type MemoryRef, parseRef } from '../../src/core/memory.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { hideMemory, unhideMemory } from '../../src/memory/hide.ts';
import { readRows } from '../../src/memory/read.ts';
import {
  addReplacement,
  doubtAgain,
  dropDerived,
  listReplacements,
  type NewReplacement,
  sayBothHold,
  sayHolds,
  sayReplaced,
  undoReplacement,
} from '../../src/memory/replacements.ts';
import { tellable, trustedSession } from '../../src/memory/trusted.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shop: Shelf;
let later: Shelf;
beforeEach(() => {
  store = createTestStore();
  shop = openShelf(store.db, '/home/dev/shop', 'session-one');
  later = openShelf(store.db, '/home/dev/shop', 'session-two');
});
afterEach(() => store.close());

const refOf = (id: string): MemoryRef => parseRef(id) ?? expect.unreachable();
const markOf = (id: string) => readRows(store.db, [refOf(id)]).get(id)?.replacedBy ?? null;
const newerOf = (id: string) => (listReplacements(store.db, [refOf(id)]).get(id) ?? []).map(({ newer }) => formatRef(newer));
const told = () =>
  store.db
    .query<{ id: number }, []>(`SELECT id FROM observations o WHERE ${tellable('o')} ORDER BY id`)
    .all()
    .map(({ id }) => String(id));
const newestOf = (id: string) => markOf(id)?.id ?? null;
const distrust = (source: string) => store.db.run('INSERT INTO distrusted VALUES (?, ?)', [source, '2026-01-01']);
const set = (id: string, change: string) => store.db.run(`UPDATE observations SET ${change} WHERE id = ${id}`);
const add = (older: string, newer: string, more: Partial<NewReplacement> = {}) => replaced(store.db, older, newer, more);

describe('a replacement', () => {
  test('says by what, why, since when, in which session and by which words', () => {
    const [old, now] = [shop.observe('Keep logs for 30 days', 1), later.observe('Keep logs for 7 days', 2)];
    expect(add(old, now, { words: 'KEEP = 30 → KEEP = 7', at: 5 })).toBe(true);
    expect(markOf(old)).toEqual({
      ...{ id: now, isCertain: true, why: 'value changed', words: 'KEEP = 30 → KEEP = 7' },
      ...{ at: 5, session: 'session-two' },
    });
    expect(markOf(now)).toBeNull();
    expect(told()).toEqual([now]);
  });

  test('that a person decided about is in doubt again once that is taken back, whichever way it went', () => {
    const [old, now] = [shop.observe('Old', 1), later.observe('New', 2)];
    const doubt = { older: refOf(old), newer: refOf(now), why: 'refused', words: 'not Old', at: 3 } as const;
    add(old, now, { isCertain: false, ...doubt });
    const marks = () => [markOf(old), markOf(now)];
    const before = marks();
    for (const decide of [
      () => sayReplaced(store.db, refOf(old), refOf(now), 4),
      () => sayReplaced(store.db, refOf(now), refOf(old), 4),
      () => sayBothHold(store.db, refOf(old), refOf(now), 4),
    ]) {
      decide();
      expect(marks()).not.toEqual(before);
      doubtAgain(store.db, doubt);
      expect(marks()).toEqual(before);
    }
  });

  test('that is only likely marks the older and keeps it', () => {
    const [old, now] = [shop.observe('Old', 1), later.observe('New', 2)];
    add(old, now, { isCertain: false, why: 'user said so' });
    expect(markOf(old)).toMatchObject({ id: now, isCertain: false });
    expect(told()).toEqual([old, now]);
    expect(add(old, now, { isCertain: false })).toBe(false);
    expect(add(old, now, { isCertain: true })).toBe(true);
    expect(add(old, now, { isCertain: false })).toBe(false);
    expect(told()).toEqual([now]);
  });

  test('reaches turns and summaries, and a turn stands for what was done in it', () => {
    const asked = shop.ask('Use tabs', 1);
    const summary = shop.sumUp(2, { request: 'Use tabs' });
    const rule = shop.observe('Indent with tabs', 2);
    const newer = later.ask('No, spaces', 3);
    for (const older of [asked, summary, rule]) expect(add(older, newer, { why: 'refused' })).toBe(true);
    for (const older of [asked, summary, rule]) expect(markOf(older)).toMatchObject({ id: newer, why: 'refused' });
    expect(told()).toEqual([]);
    expect(add(rule, summary)).toBe(false);
  });

  test('is none by what may not be given itself, and ends while that is so', () => {
    const old = shop.observe('Old', 1);
    const web = later.observe('From the web', 2, { origin: 'web' });
    const wrong = later.observe('Wrong', 2);
    set(wrong, "wrong_at = '2026-01-01'");
    const hidden = later.ask('Hidden', 2);
    hideMemory(store.db, refOf(hidden), 3);
    for (const newer of [web, wrong, hidden, '99', old]) expect(add(old, newer)).toBe(false);
    expect(add('99', old)).toBe(false);
    const now = later.observe('New', 3);
    add(old, now);
    hideMemory(store.db, refOf(now), 4);
    expect([markOf(old), newerOf(old), told()]).toEqual([null, [], [old]]);
    unhideMemory(store.db, refOf(now));
    expect([markOf(old)?.id, newerOf(old)]).toEqual([now, [now]]);
  });

  test('closes no circle', () => {
    const [a, b, c] = [shop.observe('A', 1), shop.observe('B', 2), shop.observe('C', 3)];
    expect([add(a, b), add(b, c, { isCertain: false }), add(c, a)]).toEqual([true, true, false]);
    expect(sayReplaced(store.db, refOf(c), refOf(a), 9)).toBe(false);
  });

  test('by what was undone, reverted or refused since is none: the older holds again', () => {
    const [sqlite, postgres] = [shop.observe('Use SQLite', 1), shop.observe('Use Postgres', 2)];
    add(sqlite, postgres, { why: 'user said so' });
    expect(told()).toEqual([postgres]);
    const revert = later.observe('Back to the old database', 3);
    add(postgres, revert, { why: 'reverted' });
    expect(told()).toEqual([sqlite, revert]);
    expect(markOf(sqlite)).toBeNull();
  });

  test('carries no secret and goes with either side, its words too', () => {
    const [old, now] = [shop.observe('Old', 1), later.observe('Zanzibar instead', 2)];
    add(old, now, { words: 'password = "hunter2hunter2" for Zanzibar' });
    expect(markOf(old)?.words).not.toContain('hunter2');
    store.db.transaction(() => eraseMemories(store.db, [refOf(now)], { at: 9, onPieces: () => undefined })).immediate();
    expect(store.db.query('SELECT * FROM replacements').all()).toEqual([]);
    const asked = later.ask('Zanzibar again', 3);
    add(old, asked);
    store.db.transaction(() => eraseMemories(store.db, [refOf(asked)], { at: 9, onPieces: () => undefined })).immediate();
    expect(store.db.query('SELECT * FROM replacements').all()).toEqual([]);
    add(old, later.observe('New', 4));
    store.db.run('DELETE FROM sessions WHERE host_session_id = ?', ['session-one']);
    expect(store.db.query('SELECT * FROM replacements').all()).toEqual([]);
  });
});

describe('a turn that is derived again', () => {
  test('takes along what rules made of it, and nothing else', () => {
    const old = ['A', 'B', 'C', 'D', 'E'].map((title, at) => shop.observe(title, at));
    const asked = later.ask('Change it all', 9);
    const now = later.observe('New', 10);
    const [a = '', b = '', c = '', d = '', e = ''] = old;
    add(a, now);
    add(b, asked);
    add(c, now, { madeBy: 'model', why: 'model' });
    sayReplaced(store.db, refOf(d), refOf(now), 11);
    add(e, now, { why: 'older version' });
    dropDerived(store.db, { sessionId: later.sessionId, promptNumber: 2 });
    expect(old.map(newerOf)).toEqual([[now], [asked], [now], [now], [now]]);
    dropDerived(store.db, { sessionId: later.sessionId, promptNumber: 1 });
    expect(old.map(newerOf)).toEqual([[], [], [now], [now], [now]]);
  });
});

describe('the word of a person is final', () => {
  test('what is pinned, or said to hold, is replaced by nothing but a person', () => {
    const [pinned, kept, now] = [shop.observe('Pinned', 1), shop.observe('Kept', 1), later.observe('New', 2)];
    set(pinned, 'pinned = 1');
    add(kept, now);
    sayHolds(store.db, Number(kept));
    expect([add(pinned, now), add(kept, later.observe('Newer', 3))]).toEqual([false, false]);
    expect([markOf(kept), markOf(pinned)]).toEqual([null, null]);
    expect(sayReplaced(store.db, refOf(kept), refOf(now), 4)).toBe(true);
    expect(markOf(kept)).toMatchObject({ id: now, why: 'person', session: null, at: 4 });
  });

  test('where both hold no rule says otherwise, in either direction', () => {
    const [one, other] = [shop.observe('One', 1), later.observe('Other', 2)];
    add(one, other);
    sayBothHold(store.db, refOf(one), refOf(other), 3);
    expect([markOf(one), told()]).toEqual([null, [one, other]]);
    expect([add(one, other), add(other, one)]).toEqual([false, false]);
    expect(undoReplacement(store.db, refOf(one), refOf(other)).map(formatRef)).toEqual([other]);
    expect(add(one, other)).toBe(true);
  });

  test('what is undone does not come back by itself', () => {
    const [old, now, newest] = [shop.observe('Old', 1), later.observe('New', 2), later.observe('Newest', 3)];
    add(old, now);
    add(old, newest, { isCertain: false, madeBy: 'model', why: 'model' });
    expect(undoReplacement(store.db, refOf(old)).map(formatRef).toSorted()).toEqual([now, newest].toSorted());
    expect(undoReplacement(store.db, refOf(old))).toEqual([]);
    expect([add(old, now), add(old, newest), markOf(old)]).toEqual([false, false, null]);
    sayReplaced(store.db, refOf(old), refOf(now), 5);
    expect(markOf(old)?.id).toBe(now);
    expect(add(old, now, { isCertain: false })).toBe(false);
    expect(addReplacement(store.db, { ...said(old, now), isCertain: true })).toBe(false);
    expect(add(shop.observe('Other', 6), newest)).toBe(true);
  });
});

describe('what a session may be told', () => {
  test('is neither hidden, wrong, quarantined nor from outside', () => {
    const good = shop.observe('Good', 1);
    const hidden = shop.observe('Hidden', 2);
    hideMemory(store.db, { kind: 'observation', id: Number(hidden) }, 5);
    set(shop.observe('Wrong', 3), "wrong_at = '2026-01-01'");
    set(shop.observe('Quarantined', 4), 'quarantined = 1');
    shop.observe('From the web', 5, { origin: 'web' });
    expect(told()).toEqual([good]);
  });

  test('is of no session, host or origin that somebody distrusts', () => {
    const mine = shop.observe('Mine', 1);
    const theirs = later.observe('Theirs', 2);
    const command = shop.observe('A command said so', 3, { origin: 'command' });
    expect(told()).toEqual([mine, theirs, command]);
    distrust('session:session-two');
    distrust('origin:command');
    expect(told()).toEqual([mine]);
    distrust('host:claude-code');
    expect(told()).toEqual([]);
  });

  test('is the older again while the newer is hidden, wrong, distrusted or gone', () => {
    const old = shop.observe('Old', 1);
    const newer = later.observe('New', 2);
    add(old, newer);
    expect(told()).toEqual([newer]);
    hideMemory(store.db, { kind: 'observation', id: Number(newer) }, 5);
    expect(told()).toEqual([old]);
    expect(newestOf(old)).toBeNull();
    unhideMemory(store.db, { kind: 'observation', id: Number(newer) });
    set(newer, "wrong_at = '2026-01-01'");
    expect(told()).toEqual([old]);
    set(newer, 'wrong_at = NULL');
    distrust('session:session-two');
    expect(told()).toEqual([old]);
    store.db.run('DELETE FROM distrusted');
    expect(told()).toEqual([newer]);
    store.db.run(`DELETE FROM observations WHERE id = ${newer}`);
    expect(told()).toEqual([old]);
  });

  test('is the end of a chain, also when its middle is wrong', () => {
    const [a, b, c] = [shop.observe('A', 1), shop.observe('B', 2), shop.observe('C', 3)];
    add(a, b);
    add(b, c);
    expect([told(), [a, b, c].map(newestOf)]).toEqual([[c], [c, c, null]]);
    set(b, "wrong_at = '2026-01-01'");
    expect([told(), newestOf(a)]).toEqual([[c], c]);
  });

  test('does not hang on a circle that another program made', () => {
    const [a, b] = [shop.observe('A', 1), shop.observe('B', 2)];
    add(a, b);
    store.db.run(
      `INSERT INTO replacements (older_kind, older_id, newer_kind, newer_id, certain, why, made_by, created_at, created_at_epoch)
       VALUES ('observation', ${b}, 'observation', ${a}, 1, 'model', 'model', '', 0)`,
    );
    expect(told()).toEqual([]);
    expect(newestOf(a)).toBeString();
  });
});

test('a summary of a distrusted session can be told apart', () => {
  shop.sumUp(1, { request: 'Mine' });
  later.sumUp(2, { request: 'Theirs' });
  distrust('session:session-two');
  const rows = store.db.query(`SELECT request FROM summaries s WHERE ${trustedSession('s.session_id')}`).all();
  expect(rows).toEqual([{ request: 'Mine' }]);
});

const said = (older: string, newer: string): NewReplacement => ({
  ...{ older: refOf(older), newer: refOf(newer), isCertain: false, why: 'model' },
  ...{ words: null, madeBy: 'model', at: 1 },
});
