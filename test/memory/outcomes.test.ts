// An outcome that is settled later does not make another memory of it.
import { expect, test } from 'bun:test';
import { eraseMemories } from '../../src/forget/erase.ts';
import { isForgottenObservation, setOutcome } from '../../src/memory/observations.ts';
import { EMPTY_OBSERVATION, openShelf } from '../support/memories.ts';
import { createTestStore } from '../support/store.ts';

test('what was forgotten does not come back with the outcome that it had at first', () => {
  const { db, close } = createTestStore();
  const shelf = openShelf(db, '/home/dev/shop', 's');
  const draft = { ...EMPTY_OBSERVATION, type: 'bugfix', title: 'Round the total', outcome: 'unverified', at: 1 } as const;
  const id = Number(shelf.observe('Round the total', 1, draft));
  expect(setOutcome(db, id, 'passed')).toBe(true);
  expect(setOutcome(db, id, 'passed')).toBe(false);
  const erase = () => eraseMemories(db, [{ kind: 'observation', id }], { at: 2, onPieces: () => undefined });
  db.transaction(erase).immediate();
  expect(isForgottenObservation(db, draft)).toBe(true);
  expect(isForgottenObservation(db, { ...draft, title: 'Round the tax' })).toBe(false);
  close();
});
