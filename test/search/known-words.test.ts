// How many documents have a word: true in a small memory at once, in a large one near enough, and never in the way of an answer.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createKnownWords, surprise } from '../../src/search/known-words.ts';
import { hideMemory, unhideMemory } from '../../src/store/forgetting/hide.ts';
import { createTestMemory, NOW, type TestMemory } from './test-memory.ts';

let memory: TestMemory;
beforeEach(() => {
  memory = createTestMemory();
});
afterEach(() => memory.close());

const observe = (title: string) => Number(memory.shelf('/home/dev/shop', title).observe(title, 1));
const observeMany = (count: number, title: (n: number) => string) =>
  memory.db.transaction(() => {
    for (let n = 0; n < count; n++) memory.shop.observe(title(n), n);
  })();

describe('the known words of a small memory', () => {
  test('see what comes, what is hidden, what is shown again and what is deleted', () => {
    const known = createKnownWords(memory.db);
    const counts = () => {
      known.renew();
      return [known.documents(), known.frequency('zebra'), known.frequency('okapi')];
    };
    expect(counts()).toEqual([0, 0, 0]);
    const first = observe('zebra');
    expect(counts()).toEqual([1, 1, 0]);
    const [second, third] = [observe('two zebras and an okapi'), observe('okapi')];
    expect(counts()).toEqual([3, 2, 2]);
    // The newest stays as it is: only the count tells.
    hideMemory(memory.db, { kind: 'observation', id: first }, 1);
    expect(counts()).toEqual([2, 1, 2]);
    unhideMemory(memory.db, { kind: 'observation', id: first });
    expect(counts()).toEqual([3, 2, 2]);
    memory.db.run('DELETE FROM observations WHERE id = ?', [second]);
    expect(counts()).toEqual([2, 1, 1]);
    memory.db.run('DELETE FROM observations WHERE id = ?', [third]);
    memory.db.run("UPDATE observations SET title = 'okapi' WHERE id = ?", [first]);
    expect(counts()).toEqual([0, 0, 0]);
  });

  test('are the same until they are renewed: a search counts once', () => {
    const known = createKnownWords(memory.db);
    observe('zebra');
    known.renew();
    expect(known.frequency('zebra')).toBe(1);
    observe('another zebra');
    expect([known.documents(), known.frequency('zebra')]).toEqual([1, 1]);
    known.renew();
    expect([known.documents(), known.frequency('zebra')]).toEqual([2, 2]);
  });

  test('tell the more the rarer they are, never nothing, and always a number', () => {
    const known = createKnownWords(memory.db);
    for (let n = 0; n < 20; n++) observe(`note ${n} ${n % 4 === 0 ? 'zebra' : ''} ${n === 7 ? 'okapi' : ''}`);
    known.renew();
    const weights = ['quagga', 'okapi', 'zebra', 'note'].map(known.weight);
    expect(weights).toEqual(weights.toSorted((one, other) => other - one));
    expect(new Set(weights).size).toBe(4);
    expect(weights.at(-1)).toBeGreaterThan(0);
    for (const [all, those] of [
      [0, 0],
      [0, 5],
      [5, 9],
      [1, 1],
      [1e9, 0],
      [1e9, 1e9],
    ] as const) {
      expect(surprise(all, those)).toBeFinite();
      expect(surprise(all, those)).toBeGreaterThan(0);
    }
  });

  test('keep apart what is a name in JavaScript', () => {
    const known = createKnownWords(memory.db);
    known.renew();
    for (const word of ['__proto__', 'constructor', 'toString', '']) expect(known.frequency(word)).toBe(0);
  });
});

describe('the known words of a large memory', () => {
  test('are counted anew when it has grown by a tenth, and not for each search', () => {
    observeMany(5000, (n) => `note ${n}`);
    const known = createKnownWords(memory.db);
    known.renew();
    expect([known.documents(), known.frequency('note')]).toEqual([5000, 5000]);
    observeMany(400, (n) => `note later ${n}`);
    known.renew();
    expect([known.documents(), known.frequency('note')]).toEqual([5000, 5000]);
    observeMany(200, (n) => `note at last ${n}`);
    known.renew();
    expect([known.documents(), known.frequency('note')]).toEqual([5600, 5600]);
  }, 60_000);

  test.each(['note', 'Größe', 'сервер', 'सर्वर', 'µs', '東京', 'שָׁלוֹם'])(
    '%s in every one of them tells less than a word in one of them',
    async (frequent) => {
      observeMany(2100, (n) => `${frequent} ${n}`);
      const rare = memory.shelf('/home/dev/shop', 'rare').observe('zebra', NOW);
      const { scored } = await memory.finder.find(`${frequent} zebra`, { projectIds: null });
      expect(scored[0]?.candidate.ref).toBe(Number(rare));
      expect(scored[0]?.coverage).toBeGreaterThan(0.4);
      for (const { coverage, candidate } of scored)
        if (candidate.ref !== Number(rare)) expect(coverage).toBeLessThan(0.3);
    },
    60_000,
  );
});
