import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ContextSettings } from '../../src/context/gather.ts';
import { CONTEXT_SECTIONS } from '../../src/core/context.ts';
import type { ObservationDraft, SummaryDraft } from '../../src/core/observation.ts';
import { hideMemory } from '../../src/memory/hide.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { putSteps } from '../../src/memory/open-steps.ts';
import { insertSummary } from '../../src/memory/summaries.ts';
import { ensureGlobalProject } from '../../src/projects/projects.ts';
import { EMPTY_OBSERVATION, EMPTY_SUMMARY } from '../support/memories.ts';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createToldWork } from '../support/told-work.ts';
import { parseBlock, tell } from './told.ts';

const DAY = 86_400_000;
const AT = Date.UTC(2026, 0, 2, 10, 30);

let store: TestStore;
/** Each memory is of a turn of its own. */
let turn = 0;
beforeEach(() => {
  store = createTestStore();
  turn = 0;
  for (const session of ['a', 'b', 'c']) store.take('new', userPrompt(session, `/home/dev/${session === 'c' ? 'other' : 'shop'}`, 'go'));
});
afterEach(() => store.close());

const ownerOf = (sessionId: number, promptNumber = 1) => ({
  sessionId,
  projectId: sessionId === 3 ? 2 : 1,
  promptNumber,
  batchId: null,
  isProvisional: false,
});
const put = (title: string, more: Partial<ObservationDraft> = {}, sessionId = 1) =>
  insertObservation(store.db, ownerOf(sessionId, ++turn), { ...EMPTY_OBSERVATION, title, at: AT, ...more });
/** With what it leaves to do, as it is stored beside it. */
const sumUp = (more: Partial<SummaryDraft>) => {
  const draft = { ...EMPTY_SUMMARY, at: AT, ...more };
  const steps = (draft.nextSteps?.split('\n') ?? []).map((line) => ({ text: line.slice(2), source: 'closing' as const }));
  putSteps(store.db, { ...ownerOf(1), at: draft.at }, steps);
  return insertSummary(store.db, ownerOf(1), draft);
};
const idsOf = ({ context }: { context: string }) => (context ? parseBlock(context) : []);

describe('a starting session', () => {
  test('is told of the last session, what is left to do, what was decided and why, and the rest in lines', async () => {
    put('Use integer cents for money', {
      type: 'decision',
      narrative: 'Floats lost a cent in refunds.',
      facts: [{ text: 'Amounts are in src/money.ts', sources: [] }],
      filesModified: ['src/money.ts'],
      origin: 'user',
    });
    put('Rename the cart module', { at: AT + 1000, filesModified: ['src/cart.ts'] });
    put('elsewhere', {}, 3);
    sumUp({ request: 'Fix refunds', completed: 'Refunds are exact', nextSteps: '- Test negative amounts', at: AT + 2000 });
    const { context } = await tell(store.db, { settings: { contextFull: 1 } });
    expect(context.replace(/id="\w+"/, 'id="…"')).toMatchSnapshot();
  });

  test('is told nothing when there is nothing', async () => {
    const { context, message, pieces } = await tell(store.db);
    expect(context).toBe('');
    expect(pieces).toEqual([]);
    expect(message).toContain('no memory yet');
  });

  test('reads the same bytes for the same memories, whatever the time', async () => {
    for (let i = 0; i < 40; i++) put(`Change number ${i} of many words`, { at: AT + i * DAY });
    const [one, other] = [await tell(store.db), await tell(store.db)];
    expect(one.context).toBe(other.context);
  });

  test('is told each thing once, in the newest words', async () => {
    put('Retry the upload three times', { type: 'decision' });
    const newer = put('Retry the upload three times only', { type: 'decision', at: AT + 5 });
    const told = await tell(store.db);
    expect(idsOf(told)).toEqual([String(newer)]);
    expect(told.leftOut.map(({ reason }) => reason)).toEqual(['said by a newer one']);
  });

  test('is not told what the project’s own instructions say', async () => {
    const known = put('Always use pnpm', { type: 'decision' });
    const pinned = put('Never use yarn', { type: 'decision' });
    store.db.run('UPDATE observations SET pinned = 1 WHERE id = ?', [pinned]);
    const told = await tell(store.db, { surroundings: { isSaid: (text) => /pnpm|yarn/.test(text) } });
    expect(idsOf(told)).toEqual([String(pinned)]);
    expect(told.leftOut).toEqual([{ id: String(known), title: 'Always use pnpm', reason: "said in the project's instructions" }]);
  });

  test('that goes on is told only what is new and from others', async () => {
    put('before');
    put('own', { at: AT + 30 });
    const other = put('from another', { at: AT + 20 }, 2);
    expect(idsOf(await tell(store.db, { sessionId: 1, since: AT + 15 }))).toEqual([String(other)]);
  });

  test('is also told what a person said holds everywhere, and nothing that is hidden', async () => {
    put('here');
    const hidden = put('hidden');
    const project = ensureGlobalProject(store.db, 0);
    const owner = { ...ownerOf(3), projectId: project.id };
    const said = (title: string, origin: ObservationDraft['origin']) =>
      insertObservation(store.db, owner, { ...EMPTY_OBSERVATION, title, type: 'decision', origin, at: AT });
    const tabs = said('We use tabs', 'user');
    const taken = said('We use spaces', 'user');
    said('An agent says so', 'agent');
    for (const id of [hidden, taken]) hideMemory(store.db, { kind: 'observation', id }, AT);
    const { context } = await tell(store.db);
    expect(context).toContain(`## In every project\n#${tabs} `);
    for (const word of ['hidden', 'spaces', 'An agent']) expect(context).not.toContain(word);
  });

  test('hears once of the last session that did something, however many said thanks or were opened and left since', async () => {
    put('Rename the cart module', { filesModified: ['src/cart.ts'] });
    store.db.run('UPDATE sessions SET updated_at_epoch = updated_at_epoch + 1000 WHERE id = 2');
    for (let left = 0; left < 9; left++) store.take('context', sessionStart(`left-${left}`, '/home/dev/shop'));
    const { context } = await tell(store.db);
    expect(context).toMatch(/## Last session\n.*\n#1 .* change Rename the cart module/);
    expect(context.match(/Rename the cart module/g)).toHaveLength(1);
  });

  test("is told whose another agent's memory is, and nothing of that where it goes without saying", async () => {
    store.take('new', userPrompt('d', '/home/dev/shop', 'go'), { host: 'codex' });
    put('Round prices up', { type: 'decision', origin: 'user', filesModified: ['src/money.ts'] }, 4);
    put('Count in cents', {}, 4);
    put('Rename the cart module', { at: AT - 1000 });
    const { context } = await tell(store.db);
    expect(context).toMatch(/## Last session\n.*, codex, 1 prompt\n#2 .* change Count in cents \(codex\)/);
    expect(context).toMatch(/#1 .* decision Round prices up \(src\/money\.ts, user, codex\)/);
    expect(context).toMatch(/change Rename the cart module$/m);
  });

  test('hears of what the last session did by its summary where nothing was observed', async () => {
    sumUp({ request: 'work', completed: 'The parser reads two columns' });
    expect((await tell(store.db)).context).toMatch(/## Last session\n.*\n#S1 .* summary The parser reads two columns/);
  });

  test('reads no summary of a session whose work is told, and no name of a file for a sentence', async () => {
    const facts = ['package.json', 'Checkout imports totals from there.'].map((text) => ({ text, sources: [] }));
    put('Rename the cart module', { facts });
    sumUp({ request: 'work', completed: 'Committed 137c8d2: chore: expand the ignore rules' });
    const { context } = await tell(store.db);
    expect(context).toContain('  Checkout imports totals from there.');
    expect(context).not.toContain('package.json');
    expect(context).not.toContain('137c8d2');
  });

  test('reads no two lines of one kind that differ in a number alone', async () => {
    put('Retry a failed mail 3 times', { type: 'decision' });
    const newer = put('Retry a failed mail 7 times', { type: 'decision', at: AT + 5 });
    sumUp({ request: 'x', nextSteps: '- Raise the limit to 30 seconds\n- Raise the limit to 60 seconds' });
    const { context } = await tell(store.db);
    expect(parseBlock(context)).toContain(String(newer));
    expect(context).not.toContain('mail 3 times');
    expect(context.match(/Raise the limit/g)).toHaveLength(1);
  });

  test('reads what a person said of a piece of work below it, and no sentence twice', async () => {
    const said = 'Customers wait too long, so first retry after 5 seconds';
    const facts = [said, 'Backoff is 5, 10 and 20 seconds', 'Backoff: 5, 10, 20 seconds'].map((text) => ({ text, sources: [] }));
    const [decided, done] = [
      put('Start at 5 seconds', { type: 'decision', origin: 'user', facts }),
      put('First retry after 5 seconds', { type: 'feature', filesModified: ['src/poller.ts'], facts }),
    ];
    store.db.run('UPDATE observations SET prompt_number = 1');
    const { context } = await tell(store.db, { settings: { contextSections: WITHOUT_LAST } });
    expect(context).toContain(`## Decided\n#${done} 2026-01-02 feature First retry after 5 seconds (src/poller.ts)\n  ${said}.`);
    expect(context).toContain(`\n#${decided} decision Start at 5 seconds (user)`);
    expect(context.match(/Backoff/g)).toHaveLength(1);
  });

  test('reads below a title that was cut off only what it does not show', async () => {
    const facts = [{ text: 'The export keeps one connection open for each customer who has not paid yet', sources: [] }];
    put('The export keeps one connection open for each…', { type: 'discovery', facts });
    const { context } = await tell(store.db);
    expect(context).toContain('open for each…\n  … customer who has not paid yet.\n');
  });

  test('reads of several files the one that the title names', async () => {
    put('key.ts reads the key once', { type: 'decision', filesModified: ['src/charge.ts', 'src/key.ts'] });
    expect((await tell(store.db)).context).toContain('key.ts reads the key once (src/key.ts)');
  });

  test('finds what is about its branch and the files at hand under a heading of its own', async () => {
    put('Round half up', { type: 'decision', filesModified: ['src/money.ts'] });
    put('Use tabs', { type: 'decision' });
    const { context } = await tell(store.db, { surroundings: { dirty: new Set(['src/money.ts']) } });
    expect(context).toMatch(/## Decided\n#2 .* Use tabs[\s\S]*## About this branch and the files at hand\n#1 .* Round half up/);
  });

  test('hears of a next step until something later has done it', async () => {
    const { db, turn, close } = createToldWork();
    const left = 'Orders have a state now.\n\nNext steps:\n- Write the migration for orders\n- Rename the cart module to basket';
    turn('a', 'Give orders a state', [{ edited: 'src/orders.ts', lines: ['+  state: string;'] }], left);
    expect((await tell(db)).context).toContain('next-step Rename the cart module');
    const renamed = { ran: 'git mv src/cart.ts src/basket.ts' };
    const used = { edited: 'src/shop.ts', lines: ["-import './cart.ts'", "+import './basket.ts'"] };
    turn('b', 'Rename the cart module', [renamed, used], 'The cart module is called basket everywhere now.', 1);
    const { context } = await tell(db);
    close();
    expect(context).toContain('next-step Write the migration');
    expect(context).not.toContain('next-step Rename');
  });
});

/** Nothing is chosen because the last session did it. */
const WITHOUT_LAST = CONTEXT_SECTIONS.filter((section) => section !== 'summary');

describe('what is worth telling', () => {
  test('are decisions, fixes and dead ends before mere changes', async () => {
    for (let i = 0; i < 10; i++) put(`Change ${'abcdefghij'[i]} in some module`, { at: AT + 100 + i });
    put('Chose a queue over cron', { type: 'decision' });
    put('Caching made it worse', { type: 'discovery', outcome: 'ruled-out' });
    put('Fixed the login loop', { type: 'bugfix', outcome: 'passed' });
    put('The parser drops the last line', { type: 'discovery', concepts: ['gotcha'] });
    put('The logger writes to stderr', { type: 'discovery' });
    const { pieces } = await tell(store.db, { settings: { contextFull: 0, contextIndex: 4, contextSections: WITHOUT_LAST } });
    const told = pieces.flatMap(({ record, text }) => (record ? [text] : []));
    expect(told.map((text) => text.split(' ')[2]).sort()).toEqual(['bugfix', 'decision', 'discovery', 'discovery']);
    expect(told.join('\n')).toContain('drops the last line');
  });

  test.each([
    ['a pinned one', (id: number) => store.db.run('UPDATE observations SET pinned = 1 WHERE id = ?', [id]), {}],
    ['one about a file that is being changed', () => undefined, { dirty: new Set(['src/old.ts']) }],
    [
      'one of this branch',
      (id: number) => store.db.run("UPDATE observations SET branch = 'fix-login' WHERE id = ?", [id]),
      { branch: 'fix-login' },
    ],
  ])('is %s, even if it is old', async (_, mark, surroundings) => {
    const old = put('Something old', { type: 'bugfix', at: AT - 300 * DAY, filesModified: ['src/old.ts'] });
    for (let i = 0; i < 80; i++) put(`Change ${i} of module ${'xyz'[i % 3]}${i}`, { at: AT + i });
    const settings = { contextTokens: 700, contextSections: WITHOUT_LAST };
    expect(idsOf(await tell(store.db, { settings }))).not.toContain(String(old));
    mark(old);
    expect(idsOf(await tell(store.db, { surroundings, settings }))).toContain(String(old));
  });

  test('is not all of one session', async () => {
    for (let i = 0; i < 60; i++) put(`Loud decision ${i} about topic${i}`, { type: 'decision', at: AT + DAY + i }, 1);
    const quiet = put('Quiet change', { at: AT }, 2);
    expect(idsOf(await tell(store.db, { settings: { contextIndex: 10 } }))).toContain(String(quiet));
  });

  test('is a lie when the change was taken back or its file is gone, unless nothing newer is known', async () => {
    const gone = put('About a file that went', { filesModified: ['a.ts'] });
    const alone = put('About another that went', { filesModified: ['b.ts'], at: AT + 1 });
    const newer = put('The file came back', { filesModified: ['a.ts'], at: AT + 2 });
    const states = new Map([
      [gone, 'gone'],
      [alone, 'reverted'],
    ] as const);
    const { context, leftOut } = await tell(store.db, { states });
    expect(parseBlock(context).sort()).toEqual([alone, newer].map(String).sort());
    expect(context).toMatch(/went \(b\.ts, reverted\)/);
    expect(leftOut).toContainEqual(expect.objectContaining({ id: String(gone), reason: expect.stringContaining('gone') }));
  });

  test('follows the settings: types, counts, sections', async () => {
    put('A decision', { type: 'decision' });
    put('A change', {});
    const only = await tell(store.db, { settings: { contextTypes: ['decision'] } });
    expect(only.context).not.toContain('A change');
    const told = async (settings: Partial<ContextSettings>) => idsOf(await tell(store.db, { settings }));
    expect(await told({ contextIndex: 0, contextFull: 0, contextSections: ['useful', 'index'] })).toEqual([]);
    expect(await told({ contextIndex: 0, contextFull: 5, contextSections: ['useful', 'index'] })).toHaveLength(2);
    expect(await told({ contextSections: ['summary'] })).toEqual(['2']);
    expect(await told({ contextSections: ['useful'], contextFull: 1 })).toHaveLength(1);
  });
});

test('what is pinned is told whatever the counts', async () => {
  for (let i = 0; i < 15; i++) put(`Pinned rule number${i} of topic${i}`, { type: 'decision', at: AT + i });
  store.db.run('UPDATE observations SET pinned = 1');
  expect(idsOf(await tell(store.db, { settings: { contextIndex: 0, contextFull: 1 } }))).toHaveLength(15);
});

test('what is about an excluded path is not told', async () => {
  put('The falcon key is rotated', { filesModified: ['secrets/plan.ts'] });
  const told = await tell(store.db, { surroundings: { isExcluded: (path) => path.startsWith('secrets/') } });
  expect(told.context).toBe('');
  expect(told.leftOut).toMatchObject([{ reason: 'about an excluded path' }]);
});

describe('what a person takes back', () => {
  test('leaves the rest of a summary as it was, dots in names and numbers included', async () => {
    const wrong = put('Chose a queue over cron', { type: 'decision' });
    sumUp({
      request: 'Upgrade to v1.2.3 of bun',
      completed: 'I raised the cap in src/retry.ts to 7. Chose a queue over cron.',
      nextSteps: '- Do not touch config.prod.json until release 3.1 is out',
    });
    store.db.run("UPDATE observations SET wrong_at = 'now' WHERE id = ?", [wrong]);
    const { context } = await tell(store.db);
    expect(context).toContain('summary I raised the cap in src/retry.ts to 7. (~');
    expect(context).toContain('next-step Do not touch config.prod.json until release 3.1 is out');
    expect(context).not.toContain('queue');
  });

  test('is not said by the summary, the next steps or the name of its session either', async () => {
    const wrong = put('The retry cap is exactly 7 attempts', { type: 'decision' });
    sumUp({
      request: 'Set the cap',
      completed: 'The retry cap is exactly 7 attempts. Prices are rounded half up.',
      nextSteps: '- Document that the retry cap is exactly 7 attempts\n- Deploy the worker',
    });
    store.db.run("UPDATE sessions SET title = 'The retry cap is exactly 7 attempts', subtitle = 'Prices' WHERE id = 1");
    expect((await tell(store.db)).context.match(/exactly 7 attempts/g)?.length).toBeGreaterThan(1);
    store.db.run("UPDATE observations SET wrong_at = 'now' WHERE id = ?", [wrong]);
    const { context } = await tell(store.db);
    expect(context).not.toContain('7 attempts');
    expect(context).toContain('Prices are rounded half up');
    expect(context).toContain('Deploy the worker');
  });

  const MARKS = {
    wrong: "UPDATE observations SET wrong_at = 'now' WHERE id = ?",
    hidden: "UPDATE observations SET hidden_at = 'now' WHERE id = ?",
    distrusted: 'UPDATE observations SET trust = 0 WHERE id = ?',
  };
  test.each(Object.entries(MARKS))('is not said in the words below its title either: %s', async (name, mark) => {
    const taken = put('Limits of the retrier', {
      type: 'decision',
      narrative: 'The retry budget is exactly 7 attempts. Queues of the gateway drain at midnight.',
      facts: [{ text: 'The upstream window lasts 90 seconds', sources: [] }],
    });
    put('The gateway', {
      type: 'decision',
      facts: [{ text: 'Queues of the gateway drain at midnight, always', sources: [] }],
    });
    put('The retry budget of the printer is exactly 5 attempts', { type: 'decision' });
    sumUp({
      request: 'Set the budget',
      completed:
        'The upstream window lasts 90 seconds. Queues of the gateway drain at midnight. Rounded prices half up. Found that the retry budget is exactly 7 attempts. Tests pass.',
      nextSteps: '- Document that the upstream window lasts 90 seconds\n- Deploy the worker',
    });
    store.db.run("UPDATE sessions SET title = 'Prices', subtitle = 'The upstream window lasts 90 seconds' WHERE id = 1");
    const settings = { contextFull: 0 };
    const before = (await tell(store.db, { settings })).context;
    for (const said of ['exactly 7 attempts', '90 seconds']) expect(before).toContain(said);
    store.db.run(mark, [taken]);
    const { context } = await tell(store.db, { settings });
    expect(context).not.toContain('7 attempts');
    expect(context).not.toContain('90 seconds');
    for (const said of ['drain at midnight', 'Rounded prices half up', 'Tests pass', '5 attempts']) expect(context).toContain(said);
    // Beside something hidden no step of its turn is told: it may be about that.
    expect(context.includes('Deploy the worker')).toBe(name !== 'hidden');
  });
});
