// What is known of a file before it is edited: a few memories, at once; nothing where nothing is.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { recallFile, writeFileNote } from '../../src/context/known-notes.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import type { Step } from '../../src/turns/record.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let before: Shelf;
let now: Shelf;
beforeEach(() => {
  store = createTestStore();
  before = openShelf(store.db, '/home/dev/shop', 'before');
  now = openShelf(store.db, '/home/dev/shop', 'now');
});
afterEach(() => store.close());

describe('before an edit', () => {
  const FILE = 'src/pay/charge.ts';
  const isExcluded = (path: string) => path.startsWith('private/');
  const titles = (path = FILE, asked = { projectId: now.projectId, sessionId: now.sessionId, isExcluded }) =>
    recallFile(store.db, { ...asked, path }).map(({ title }) => title);

  const DECISION: Partial<ObservationDraft> = { type: 'decision', filesModified: [FILE] };
  const RULED_OUT: Partial<ObservationDraft> = { type: 'discovery', outcome: 'ruled-out', filesRead: [FILE] };
  const TRAP: Partial<ObservationDraft> = { type: 'bugfix', outcome: 'passed', concepts: ['gotcha'], filesModified: [FILE] };

  test('nothing of what is about an excluded path, too', () => {
    before.observe('Charges are signed with the shop key', 1, { ...DECISION, filesModified: [FILE, 'private/key.ts'] });
    expect(titles()).toEqual([]);
  });

  describe('the turn is quoted for what it says of the file', () => {
    const record = (steps: Step[], closing: string) => {
      before.ask('sign the charges', 1);
      const narrative = 'The shop has a key of its own.';
      before.observe('Charges are signed', 1, { ...DECISION, narrative, filesModified: [FILE, 'src/pay/key.ts'] });
      const turn = { sessionId: before.sessionId, promptNumber: 1, branch: null, head: null, startedAt: 1, endedAt: 2 };
      store.db.transaction(() => putTurn(store.db, turn, { steps, closing })).immediate();
    };
    const noteOf = async (path: string) => {
      const { projectId, sessionId } = now;
      const query = { projectId, sessionId, root: '', path, isExcluded };
      return (await writeFileNote({ db: store.db, checkFreshness: async () => new Map() }, query)).map(({ text }) => text).join('\n');
    };
    const said = 'The key is read once.\n\n`src/pay/charge.ts` signs before it rounds.\n\n`key.ts` holds 32 bytes.';

    test('each file its own words', async () => {
      record([], said);
      expect(await noteOf(FILE)).toContain('signs before it rounds');
      expect(await noteOf(FILE)).not.toContain('32 bytes');
      expect(await noteOf('src/pay/key.ts')).toContain('holds 32 bytes');
    });

    test('also of a file that no memory names, if it says something of it: once, under its best memory', async () => {
      before.observe('The shop key is kept', 1, { type: 'discovery' });
      record(
        [],
        `${said}\n\nIn [rates.json](/home/dev/shop/src/pay/rates.json) the percents are fractions.\nTaxes in /home/dev/shop/src/pay/taxes.json are whole.\n- [fees.json](src/pay/fees.json)`,
      );
      expect(await noteOf('src/pay/rates.json')).toMatch(/Charges are signed.*\n {2}In rates\.json the percents are fractions\.$/);
      expect(await noteOf(FILE)).toContain('a key of its own');
      expect(await noteOf('src/pay/taxes.json')).toEndWith('  Taxes in /home/dev/shop/src/pay/taxes.json are whole.');
      expect(await noteOf('src/pay/fees.json')).toBe('');
      expect(await noteOf('src/cart/key.txt')).toBe('');
    });

    test('not from where it read something from outside', async () => {
      record([{ kind: 'web', source: 'https://example.org' }], said);
      expect(await noteOf(FILE)).toContain('Charges are signed');
      expect(await noteOf(FILE)).not.toContain('signs before it rounds');
    });
  });

  test('decisions and what was ruled out come before traps, the newest first, four in all', () => {
    before.observe('Amounts arrive as strings from the gateway', 9, TRAP);
    before.observe('Charges carry an idempotency key', 2, DECISION);
    before.observe('Retrying inside the transaction deadlocked', 5, RULED_OUT);
    expect(titles()).toEqual([
      'Retrying inside the transaction deadlocked',
      'Charges carry an idempotency key',
      'Amounts arrive as strings from the gateway',
    ]);
    before.observe('Refunds are booked as negative charges', 7, DECISION);
    before.observe('Fees are charged to the shop', 1, DECISION);
    expect(titles()).toEqual([
      'Refunds are booked as negative charges',
      'Retrying inside the transaction deadlocked',
      'Charges carry an idempotency key',
      'Fees are charged to the shop',
    ]);
  });

  test('work comes behind all else, the newest first; what replaced a decision stands in its place', () => {
    const WORK: Partial<ObservationDraft> = { type: 'change', outcome: 'passed', filesModified: [FILE] };
    before.observe('Export charges as windows-1252', 3, WORK);
    before.observe('Log every refund', 4, WORK);
    before.observe('Amounts arrive as strings from the gateway', 1, TRAP);
    expect(titles()).toEqual(['Amounts arrive as strings from the gateway', 'Log every refund', 'Export charges as windows-1252']);
    const old = before.observe('Charges carry an idempotency key', 2, DECISION);
    const newer = before.observe('Keys come from the gateway now', 3, WORK);
    replaced(store.db, old, newer);
    expect(titles()).toEqual([
      'Keys come from the gateway now',
      'Amounts arrive as strings from the gateway',
      'Log every refund',
      'Export charges as windows-1252',
    ]);
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

  test('work that failed, other files, other projects and this session say nothing', () => {
    before.observe('Add the charge module', 1, { type: 'feature', outcome: 'failed', filesModified: [FILE] });
    before.observe('How charges work', 1, { type: 'discovery', concepts: ['how-it-works'], filesRead: [FILE] });
    before.observe('Carts expire', 1, { ...DECISION, filesModified: ['src/cart.ts'] });
    now.observe('Charges are signed', 1, DECISION);
    openShelf(store.db, '/home/dev/other', 'other').observe('Charges are logged', 1, DECISION);
    expect(titles()).toEqual([]);
  });
});
