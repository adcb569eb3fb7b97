import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type MemoryRef, parseRef } from '../../src/core/memory.ts';
import { estimateTokens } from '../../src/core/text.ts';
import { hideMemory, unhideMemory } from '../../src/memory/hide.ts';
import { listHidden, listMemories } from '../../src/memory/lists.ts';
import { readMemories, readRows } from '../../src/memory/read.ts';
import { listProjects, listSessions } from '../../src/memory/session-page.ts';
import { ensureGlobalProject, ensureProject, findProjectsNamed } from '../../src/projects/projects.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shop: Shelf;
let other: Shelf;
beforeEach(() => {
  store = createTestStore();
  shop = openShelf(store.db, '/home/dev/shop', 'one');
  other = openShelf(store.db, '/home/dev/other', 'two');
});
afterEach(() => store.close());

const refs = (...ids: string[]) => ids.map((id) => parseRef(id) as MemoryRef);
const ALL = { projectIds: null, since: 0, until: Number.MAX_SAFE_INTEGER, limit: 50, offset: 0 };
const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

describe('rows of memories', () => {
  test('are of any kind, by their ids', () => {
    const observation = shop.observe('Fixed the range', 5, {
      type: 'bugfix',
      filesRead: ['a.ts'],
      filesModified: ['src/range.ts', 'b.ts'],
      outcome: 'passed',
      narrative: 'It was off by one.',
    });
    const summary = shop.sumUp(6, { request: 'Fix the\nrange', completed: 'Done.', filesRead: ['c.ts'] });
    const prompt = other.ask('<command-message>x</command-message>\nWhat <b>is</b> this?', 7);
    const rows = readRows(store.db, refs(prompt, observation, summary, '99', 'S99', 'P99'));
    expect([...rows.keys()].sort()).toEqual([observation, prompt, summary].sort());
    expect(rows.get(observation)).toEqual({
      id: observation,
      kind: 'observation',
      type: 'bugfix',
      title: 'Fixed the range',
      at: 5,
      project: 'shop',
      session: 'one',
      file: 'src/range.ts',
      tokens: estimateTokens('Fixed the range\nIt was off by one.'),
      outcome: 'passed',
      isFromOutside: false,
      replacedBy: null,
    });
    expect(rows.get(summary)).toMatchObject({ type: 'summary', title: 'Fix the range', file: 'c.ts', session: 'one' });
    expect(rows.get(summary)?.tokens).toBe(estimateTokens('Fix the\nrange\nDone.'));
    expect(rows.get(prompt)).toMatchObject({ type: 'prompt', title: 'What <b>is</b> this?', project: 'other', file: null });
  });

  test('say what came from outside and what is replaced', () => {
    const old = shop.observe('Old', 1, { origin: 'web' });
    const newer = shop.observe('New', 2);
    replaced(store.db, old, newer);
    expect(readRows(store.db, refs(old)).get(old)).toMatchObject({ isFromOutside: true, replacedBy: { id: newer, isCertain: true } });
  });

  test('of a private or forgotten prompt there are none', () => {
    const prompt = shop.ask('secret', 1);
    store.db.run("UPDATE prompts SET text = ''");
    expect(readRows(store.db, refs(prompt)).size).toBe(0);
  });

  test('are a title even where there is none', () => {
    const id = shop.observe('x', 1, { title: null, subtitle: null });
    expect(readRows(store.db, refs(id)).get(id)?.title).toBe('untitled');
  });

  test('of two hundred memories come in milliseconds', () => {
    store.db.transaction(() => {
      for (let at = 0; at < 2000; at++) shop.observe(`Number ${at}`, at, { filesModified: ['a.ts'] });
    })();
    const wanted = Array.from({ length: 200 }, (_, at) => ({ kind: 'observation' as const, id: 1 + at * 10 }));
    expect(readRows(store.db, wanted).size).toBe(200);
    expect(cpuMs(() => readRows(store.db, wanted), 10)).toBeLessThan(20);
  });
});

test('whole memories have every field of their kind, and nothing of another', () => {
  const observation = shop.observe('T', 1, {
    subtitle: 'S',
    narrative: 'N',
    facts: [{ text: 'F', sources: ['e'] }],
    concepts: ['c'],
    filesRead: ['r'],
    filesModified: ['m'],
  });
  const summary = shop.sumUp(2, { request: 'R', nextSteps: 'X', filesEdited: ['e'] });
  const prompt = shop.ask('Hello', 3);
  const memories = readMemories(store.db, refs(observation, summary, prompt));
  expect(memories.get(observation)).toMatchObject({
    subtitle: 'S',
    narrative: 'N',
    facts: ['F'],
    concepts: ['c'],
    filesRead: ['r'],
    filesModified: ['m'],
    branch: 'main',
    promptNumber: 1,
    summary: null,
    text: null,
  });
  expect(memories.get(summary)).toMatchObject({
    summary: { request: 'R', nextSteps: 'X', learned: null },
    filesModified: ['e'],
    narrative: null,
    text: null,
  });
  expect(memories.get(prompt)).toMatchObject({ text: 'Hello', summary: null, promptNumber: 1, facts: [] });
});

describe('lists', () => {
  test('are newest first, with page and total, by project, type, session and time', () => {
    const [a, b, c] = [shop.observe('a', 1), shop.observe('b', 3, { type: 'bugfix' }), other.observe('c', 2)];
    const list = (more: object) => listMemories(store.db, 'observation', { ...ALL, ...more });
    expect(ids(list({}))).toEqual([b, c, a]);
    expect(list({ limit: 1, offset: 1 })).toMatchObject({ items: [{ id: c }], total: 3, limit: 1, offset: 1 });
    expect(ids(list({ projectIds: [shop.projectId] }))).toEqual([b, a]);
    expect(ids(list({ projectIds: [] }))).toEqual([]);
    expect(ids(list({ types: ['bugfix', 'decision'] }))).toEqual([b]);
    expect(ids(list({ session: 'two' }))).toEqual([c]);
    expect(ids(list({ session: 'none' }))).toEqual([]);
    expect(ids(list({ since: 2, until: 2 }))).toEqual([c]);
  });

  test('at equal times are in the order of their ids, over pages', () => {
    const all = Array.from({ length: 7 }, (_, at) => shop.observe(`o ${at}`, 5)).reverse();
    const pages = [0, 3, 6].flatMap((offset) => ids(listMemories(store.db, 'observation', { ...ALL, limit: 3, offset })));
    expect(pages).toEqual(all);
  });

  test('of summaries and prompts know the project, too', () => {
    const [s, p] = [shop.sumUp(1, { request: 'r' }), other.ask('q', 2)];
    shop.ask('x', 3);
    expect(ids(listMemories(store.db, 'summary', { ...ALL, projectIds: [shop.projectId] }))).toEqual([s]);
    expect(ids(listMemories(store.db, 'prompt', { ...ALL, projectIds: [other.projectId] }))).toEqual([p]);
  });

  test('of sessions and projects say what is in them', () => {
    shop.observe('a', 1);
    const { items } = listSessions(store.db, { ...ALL, projectIds: [shop.projectId] });
    expect(items).toMatchObject([{ session: 'one', project: 'shop', observations: 1, branch: 'main' }]);
    store.take('new', userPrompt('three', '/home/dev/shop', `Why is it slow?${' It is.'.repeat(100)}`));
    const [latest] = listSessions(store.db, { ...ALL, projectIds: [shop.projectId] }).items;
    expect(latest?.session).toBe('three');
    expect(latest?.firstPrompt).toStartWith('Why is it slow? It is');
    expect(latest?.firstPrompt).toHaveLength(300);
    expect(listProjects(store.db, { limit: 10, offset: 0, now: Date.now() })).toMatchObject({
      total: 2,
      items: expect.arrayContaining([expect.objectContaining({ project: 'shop', key: '/home/dev/shop', sessions: 2 })]),
    });
  });
});

describe('hidden memories', () => {
  test('are nowhere but in their own list, and can come back', () => {
    const [a, s, p] = [shop.observe('a', 1), shop.sumUp(2, { request: 'r' }), shop.ask('q', 3)];
    for (const ref of refs(a, s, p)) expect(hideMemory(store.db, ref, 9)).toBe(true);
    expect(readRows(store.db, refs(a, s, p)).size).toBe(0);
    expect(readMemories(store.db, refs(a, s, p), { withHidden: true }).size).toBe(3);
    for (const kind of ['observation', 'summary', 'prompt'] as const)
      expect(listMemories(store.db, kind, ALL)).toMatchObject({ items: [], total: 0 });
    expect(store.db.query('SELECT id FROM documents').all()).toEqual([]);
    expect(listHidden(store.db, { limit: 9, offset: 0 }).memories.map(({ id }) => id)).toEqual([a, p, s]);
    expect(hideMemory(store.db, refs(a)[0] as MemoryRef, 9)).toBe(false);
    for (const ref of refs(a, s, p)) expect(unhideMemory(store.db, ref)).toBe(true);
    expect(readRows(store.db, refs(a, s, p)).size).toBe(3);
    expect(store.db.query('SELECT id FROM documents').all()).toHaveLength(3);
  });
});

describe('projects', () => {
  test('of a folder called * are not the one that holds everywhere', () => {
    const everywhere = ensureGlobalProject(store.db, 0);
    expect(ensureProject(store.db, { key: '*', name: '*', root: '*', remote: null }, 0).id).not.toBe(everywhere.id);
    expect(ensureGlobalProject(store.db, 1).id).toBe(everywhere.id);
  });

  test('are found by name, in any case, or by key', () => {
    const twin = ensureProject(store.db, { key: '/work/shop', name: 'Shop', root: '/work/shop', remote: null }, 0);
    expect(findProjectsNamed(store.db, 'shop').map(({ id }) => id)).toEqual([shop.projectId, twin.id]);
    expect(findProjectsNamed(store.db, '/work/shop').map(({ id }) => id)).toEqual([twin.id]);
    expect(findProjectsNamed(store.db, 'none')).toEqual([]);
  });
});
