// The word index is true to what is stored, whatever comes, goes, hides or changes, in any order.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { insertPrompt } from '../../src/capture/prompts.ts';
import { remember } from '../../src/capture/remember.ts';
import { countPrompt } from '../../src/capture/sessions.ts';
import { MEMORY_TABLES, type MemoryKind, type MemoryRef } from '../../src/core/memory.ts';
import { hideMemory, unhideMemory } from '../../src/memory/hide.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { insertSummary } from '../../src/memory/summaries.ts';
import { addDocument, documentMore, listDropped, rebuildWords } from '../../src/store/documents.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';
import { EMPTY_OBSERVATION, EMPTY_SUMMARY, openShelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { checkDocuments, findAll, listDocuments } from './check-documents.ts';

const ROUNDS = process.env.CLAUDE_MEM_TEST_FULL ? 5000 : 100;
const WORDS = 'zebra okapi quagga sessionStore parseQuery src/store/open.ts 認証トークン 서버가 größe naïve running'.split(' ');

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
  store.db.run('PRAGMA synchronous = OFF');
});
afterEach(() => store.close());

const get = <T>(sql: string, ...values: (string | number)[]) => store.db.query<T, (string | number)[]>(sql).get(...values);
const kinds = Object.keys(MEMORY_TABLES) as MemoryKind[];

/** Any that is stored, or null when nothing is. */
function pickRef(random: SeededRandom): MemoryRef | null {
  const kind = random.of(kinds);
  const ids = store.db.query<{ id: number }, []>(`SELECT id FROM ${MEMORY_TABLES[kind]}`).all();
  return ids.length === 0 ? null : { kind, id: random.of(ids).id };
}

function isStored(name: string): boolean {
  const kind = kinds.find((one) => name.startsWith(one)) ?? 'prompt';
  return get(`SELECT 1 FROM ${MEMORY_TABLES[kind]} WHERE id = ?`, Number(name.split(' ')[1])) !== null;
}

const makeText = (random: SeededRandom) => Array.from({ length: random.below(6) + 1 }, () => random.of(WORDS)).join(' ');

/** A session of one of two projects; some were there before, some were deleted since. */
function openSession(random: SeededRandom) {
  const { sessionId, projectId } = openShelf(store.db, random.of(['/a', '/b']), `s${random.below(6)}`);
  return { sessionId, projectId, promptNumber: random.below(3) + 1, batchId: null, isProvisional: false };
}

const STEPS: Record<string, (random: SeededRandom, at: number) => void> = {
  observe(random, at) {
    const more = { facts: [{ text: makeText(random), sources: ['e1'] }], concepts: [random.of(WORDS)] };
    const draft = { ...EMPTY_OBSERVATION, title: makeText(random), narrative: makeText(random), ...more, at };
    insertObservation(store.db, openSession(random), draft);
  },
  sumUp(random, at) {
    const files = { filesRead: ['src/a.ts'], filesEdited: [`src/${random.of(WORDS)}.ts`] };
    const words = { request: makeText(random), notes: makeText(random) };
    insertSummary(store.db, openSession(random), { ...EMPTY_SUMMARY, ...words, ...files, at });
  },
  ask(random, at) {
    const { sessionId } = openSession(random);
    const isPrivate = random.below(4) === 0;
    const text = random.below(6) === 0 ? '' : makeText(random);
    const promptNumber = countPrompt(store.db, sessionId, text);
    insertPrompt(store.db, { sessionId, promptNumber, promptId: null, text, isPrivate, at });
  },
  remember: (random, at) => {
    remember(store.db, { text: `${makeText(random)} ${at}`, cwd: '/a', by: 'user' }, at);
  },
  deleteRow(random) {
    const ref = pickRef(random);
    if (ref) store.db.run(`DELETE FROM ${MEMORY_TABLES[ref.kind]} WHERE id = ?`, [ref.id]);
  },
  deleteSession(random) {
    store.db.run('DELETE FROM sessions WHERE host_session_id = ?', [`s${random.below(6)}`]);
  },
  /** What the rules said is replaced by what the model says of the same turn. */
  replaceProvisional(random, at) {
    const owner = { ...openSession(random), isProvisional: true };
    insertObservation(store.db, owner, { ...EMPTY_OBSERVATION, title: makeText(random), at });
    insertSummary(store.db, owner, { ...EMPTY_SUMMARY, request: makeText(random), at });
    store.db
      .transaction(() => {
        for (const table of ['observations', 'summaries']) store.db.run(`DELETE FROM ${table} WHERE provisional = 1`);
        insertObservation(store.db, { ...owner, isProvisional: false }, { ...EMPTY_OBSERVATION, title: 'better', at });
      })
      .immediate();
  },
  hide(random, at) {
    const ref = pickRef(random);
    if (ref) hideMemory(store.db, ref, at);
  },
  unhide(random) {
    const ref = pickRef(random);
    if (ref) unhideMemory(store.db, ref);
  },
  edit(random) {
    const ref = pickRef(random);
    if (!ref) return;
    const column = { observation: 'title', summary: 'request', prompt: 'text' }[ref.kind];
    store.db.run(`UPDATE ${MEMORY_TABLES[ref.kind]} SET ${column} = ? WHERE id = ?`, [makeText(random), ref.id]);
    addDocument(store.db, ref);
  },
  /** The hash and the time are no words: the document stays. */
  touch(random) {
    const ref = pickRef(random);
    if (ref?.kind === 'observation') store.db.run('UPDATE observations SET pinned = 1 WHERE id = ?', [ref.id]);
  },
};

describe('the index', () => {
  test.each([1, 2, 3])(
    'is true after every few steps of chance %i',
    (seed) => {
      const random = seededRandom(seed);
      const everSeen = new Map<number, string>();
      const lost = new Set<string>();
      // Twice as many come as go.
      const names = [...Object.keys(STEPS), 'observe', 'observe', 'sumUp', 'ask', 'observe'];
      for (let round = 0; round < ROUNDS; round++) {
        const name = random.of(names.filter((step) => step !== 'deleteSession' || random.below(3) === 0));
        STEPS[name]?.(random, 1_700_000_000_000 + round * 60_000);
        if (round % 5 > 0 && name !== 'deleteSession') continue;
        checkDocuments(store.db);
        for (const { id, kind, ref } of listDocuments(store.db)) {
          // An id is one memory's for ever: vectors elsewhere carry it.
          expect(everSeen.get(id) ?? `${kind} ${ref}`).toBe(`${kind} ${ref}`);
          everSeen.set(id, `${kind} ${ref}`);
        }
        const gone = [...everSeen.keys()].filter((id) => get('SELECT 1 FROM documents WHERE id = ?', id) === null);
        for (const id of gone) if (!isStored(everSeen.get(id) ?? '')) lost.add(everSeen.get(id) ?? '');
        expect([...lost].filter(isStored)).toEqual([]);
        const dropped = listDropped(store.db, 1_000_000);
        expect(gone.filter((id) => !dropped.includes(id))).toEqual([]);
        expect(dropped.filter((id) => get('SELECT 1 FROM documents WHERE id = ?', id) !== null)).toEqual([]);
      }
      const before = findAll(store.db, WORDS);
      rebuildWords(store.db);
      expect(findAll(store.db, WORDS)).toEqual(before);
      expect(Object.values(before).flat().length).toBeGreaterThan(20);
    },
    600_000,
  );

  test('lists exactly what went, once, and nothing of what stayed', () => {
    const shelf = openShelf(store.db, '/a', 's');
    const ids = ['one', 'two', 'three', 'four'].map((title, at) => Number(shelf.observe(title, at)));
    expect(listDropped(store.db)).toEqual([]);
    store.db.run('DELETE FROM observations WHERE id = ?', [ids[1] ?? 0]);
    hideMemory(store.db, { kind: 'observation', id: ids[2] ?? 0 }, 9);
    expect(listDropped(store.db)).toEqual([2, 3]);
    store.db.run("UPDATE observations SET title = 'uno' WHERE id = ?", [ids[0] ?? 0]);
    expect(listDropped(store.db)).toEqual([1, 2, 3]);
    unhideMemory(store.db, { kind: 'observation', id: ids[2] ?? 0 });
    expect(listDocuments(store.db).map(({ id }) => id)).toEqual([4, 5]);
    expect(listDropped(store.db)).toEqual([1, 2, 3]);
  });

  test('gives no id twice, also when the last one went and nothing is left', () => {
    const shelf = openShelf(store.db, '/a', 's');
    for (let n = 1; n <= 4; n++) {
      const ids = [shelf.observe(`note ${n}`, n), shelf.sumUp(n, { request: `${n}` }), shelf.ask(`what ${n}?`, n)];
      expect(ids).toEqual([`${n}`, `S${n}`, `P${n}`]);
      expect(listDocuments(store.db).map(({ id }) => id)).toEqual([3 * n - 2, 3 * n - 1, 3 * n]);
      for (const table of Object.values(MEMORY_TABLES)) store.db.run(`DELETE FROM ${table}`);
    }
  });

  test('a deleted session takes all its documents and their words along, and touches no other', () => {
    const [gone, stays] = [openShelf(store.db, '/a', 'gone'), openShelf(store.db, '/a', 'stays')];
    for (const shelf of [gone, stays, gone]) {
      shelf.observe('zebra observed', 1);
      shelf.sumUp(2, { request: 'zebra summed up' });
      shelf.ask('zebra asked', 3);
    }
    store.db.run('DELETE FROM sessions WHERE id = ?', [gone.sessionId]);
    checkDocuments(store.db);
    expect(findAll(store.db, ['zebra'])).toEqual({ zebra: ['observation 2', 'prompt 2', 'summary 2'] });
    expect(get<{ n: number }>("SELECT doc AS n FROM words_known WHERE term = 'zebra'")?.n).toBe(3);
  });
});

describe('a memory that nobody may find', () => {
  test('has no document: a private prompt, an empty one, what is hidden', () => {
    const { sessionId } = openShelf(store.db, '/a', 's');
    const ask = (text: string, isPrivate: boolean) => {
      const promptNumber = countPrompt(store.db, sessionId, text);
      insertPrompt(store.db, { sessionId, promptNumber, promptId: null, text, isPrivate, at: 1 });
    };
    ask('zebra in private', true);
    ask('', false);
    const hidden = openShelf(store.db, '/a', 's').observe('zebra hidden', 1);
    hideMemory(store.db, { kind: 'observation', id: Number(hidden) }, 2);
    addDocument(store.db, { kind: 'observation', id: Number(hidden) });
    addDocument(store.db, { kind: 'prompt', id: 1 });
    addDocument(store.db, { kind: 'summary', id: 77 });
    documentMore(store.db);
    expect(listDocuments(store.db)).toEqual([]);
    expect(findAll(store.db, ['zebra'])).toEqual({ zebra: [] });
  });

  test('is in nobody’s neighbours', () => {
    const shelf = openShelf(store.db, '/a', 's');
    const [first, secret] = [shelf.observe('apple', 1), shelf.observe('zebra', 2), shelf.observe('cherry', 3)];
    const neighboursOf = (id: string | undefined) => listDocuments(store.db).find(({ ref }) => ref === Number(id))?.neighbours;
    expect(neighboursOf(first)).toBe('zebra\ncherry');
    hideMemory(store.db, { kind: 'observation', id: Number(secret) }, 4);
    expect(neighboursOf(first)).toBe('cherry');
    expect(findAll(store.db, ['zebra'])).toEqual({ zebra: [] });
  });
});

test('what was said by hand stands alone: one note has nothing to do with the next', () => {
  for (const text of ['We use pnpm', 'Tabs, not spaces', 'Deploys are on Monday']) {
    remember(store.db, { text, cwd: '/a', by: 'user' }, 1);
  }
  const documents = listDocuments(store.db);
  expect(documents.map(({ neighbours }) => neighbours)).toEqual(['', '', '']);
  expect(documents.map(({ sessionId }) => sessionId)).toEqual([null, null, null]);
});
