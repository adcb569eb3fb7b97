import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hideMemory, unhideMemory } from '../../src/forget/hide.ts';
import { readReplacedBy } from '../../src/memory/read.ts';
import { tellable, trustedSession } from '../../src/memory/trusted.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shop: Shelf;
let other: Shelf;
beforeEach(() => {
  store = createTestStore();
  shop = openShelf(store.db, '/home/dev/shop', 'one');
  other = openShelf(store.db, '/home/dev/shop', 'two');
});
afterEach(() => store.close());

const told = () =>
  store.db
    .query<{ id: number }, []>(`SELECT id FROM observations o WHERE ${tellable('o')} ORDER BY id`)
    .all()
    .map(({ id }) => String(id));
const set = (id: string, change: string) => store.db.run(`UPDATE observations SET ${change} WHERE id = ${id}`);
const newest = (id: string) => readReplacedBy(store.db, [{ kind: 'observation', id: Number(id) }]).get(id)?.id ?? null;
const distrust = (source: string) => store.db.run('INSERT INTO distrusted VALUES (?, ?)', [source, '2026-01-01']);

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
    const theirs = other.observe('Theirs', 2);
    const command = shop.observe('A command said so', 3, { origin: 'command' });
    expect(told()).toEqual([mine, theirs, command]);
    distrust('session:two');
    distrust('origin:command');
    expect(told()).toEqual([mine]);
    distrust('host:claude-code');
    expect(told()).toEqual([]);
  });

  test('is the newest of a chain', () => {
    const [a, b, c] = [shop.observe('A', 1), shop.observe('B', 2), shop.observe('C', 3)];
    replaced(store.db, a, b);
    replaced(store.db, b, c);
    expect(told()).toEqual([c]);
    expect([a, b, c].map(newest)).toEqual([c, c, null]);
  });

  test('is the older again while the newer is hidden, wrong, distrusted or gone', () => {
    const old = shop.observe('Old', 1);
    const newer = other.observe('New', 2);
    replaced(store.db, old, newer);
    expect(told()).toEqual([newer]);
    hideMemory(store.db, { kind: 'observation', id: Number(newer) }, 5);
    expect(told()).toEqual([old]);
    expect(newest(old)).toBeNull();
    unhideMemory(store.db, { kind: 'observation', id: Number(newer) });
    set(newer, "wrong_at = '2026-01-01'");
    expect(told()).toEqual([old]);
    set(newer, 'wrong_at = NULL');
    distrust('session:two');
    expect(told()).toEqual([old]);
    store.db.run('DELETE FROM distrusted');
    expect(told()).toEqual([newer]);
    store.db.run(`DELETE FROM observations WHERE id = ${newer}`);
    expect(told()).toEqual([old]);
  });

  test('is the end of a chain whose middle is wrong', () => {
    const [a, b, c] = [shop.observe('A', 1), shop.observe('B', 2), shop.observe('C', 3)];
    replaced(store.db, a, b);
    replaced(store.db, b, c);
    set(b, "wrong_at = '2026-01-01'");
    expect(told()).toEqual([c]);
    expect(newest(a)).toBe(c);
  });

  test('does not hang on a circle that another program made', () => {
    const [a, b] = [shop.observe('A', 1), shop.observe('B', 2)];
    replaced(store.db, a, b);
    store.db.run(
      `INSERT INTO replacements (older_kind, older_id, newer_kind, newer_id, certain, why, made_by, created_at, created_at_epoch)
       VALUES ('observation', ${b}, 'observation', ${a}, 1, 'model', 'model', '', 0)`,
    );
    expect(told()).toEqual([]);
    expect(newest(a)).toBeString();
  });
});

test('a summary of a distrusted session can be told apart', () => {
  shop.sumUp(1, { request: 'Mine' });
  other.sumUp(2, { request: 'Theirs' });
  distrust('session:two');
  const rows = store.db.query(`SELECT request FROM summaries s WHERE ${trustedSession('s.session_id')}`).all();
  expect(rows).toEqual([{ request: 'Mine' }]);
});
