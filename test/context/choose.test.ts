import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chooseMemories } from '../../src/context/choose.ts';
import { renderContext } from '../../src/context/render.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { hideMemory } from '../../src/store/hide.ts';
import { insertObservation } from '../../src/store/observations.ts';
import { ensureGlobalProject } from '../../src/store/projects.ts';
import { insertSummary } from '../../src/store/summaries.ts';
import { EMPTY_OBSERVATION } from '../support/memories.ts';
import { userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
  for (const session of ['a', 'b', 'c'])
    store.take('new', userPrompt(session, `/home/dev/${session === 'c' ? 'other' : 'shop'}`, 'go'));
});
afterEach(() => store.close());

const draft = (title: string, at: number, more: Partial<ObservationDraft> = {}): ObservationDraft => ({
  ...EMPTY_OBSERVATION,
  title,
  at,
  ...more,
});
const put = (sessionId: number, observation: ObservationDraft) =>
  insertObservation(
    store.db,
    { sessionId, projectId: sessionId === 3 ? 2 : 1, promptNumber: 1, batchId: null, isProvisional: false },
    observation,
  );
const titles = (list: { title: string | null }[]) => list.map(({ title }) => title);

describe('what a session is told', () => {
  test('is of its own project only, newest first, each thing once', () => {
    put(1, draft('old', 1));
    put(1, draft('new', 3));
    put(2, draft('new', 2));
    put(3, draft('elsewhere', 4));
    expect(titles(chooseMemories(store.db, { projectId: 1, sessionId: 0, since: null }).index)).toEqual(['new', 'old']);
  });

  test('leaves out what is superseded or came from outside', () => {
    const old = put(1, draft('superseded', 1));
    const newer = put(1, draft('current', 2));
    store.db.run('UPDATE observations SET superseded_by = ? WHERE id = ?', [newer, old]);
    put(1, draft('read on the web', 3, { origin: 'web' }));
    expect(titles(chooseMemories(store.db, { projectId: 1, sessionId: 0, since: null }).index)).toEqual(['current']);
  });

  test('tells decisions, fixes and dead ends in full before mere changes', () => {
    for (let i = 0; i < 10; i++) put(1, draft(`change ${i}`, 100 + i));
    put(1, draft('why', 50, { type: 'decision' }));
    put(1, draft('dead end', 40, { type: 'discovery', outcome: 'ruled-out' }));
    put(1, draft('fix', 30, { type: 'bugfix' }));
    expect(
      titles(chooseMemories(store.db, { projectId: 1, sessionId: 0, since: null }).full)
        .slice(0, 3)
        .sort(),
    ).toEqual(['dead end', 'fix', 'why']);
  });

  test('takes the last summary that says something', () => {
    const empty = {
      request: 'thanks',
      investigated: null,
      learned: null,
      completed: null,
      nextSteps: null,
      filesRead: [],
      filesEdited: [],
      notes: null,
    };
    const owner = { sessionId: 1, projectId: 1, promptNumber: 1, batchId: null, isProvisional: false };
    insertSummary(store.db, owner, { ...empty, request: 'work', nextSteps: 'test it', at: 1 });
    insertSummary(store.db, owner, { ...empty, at: 2 });
    expect(chooseMemories(store.db, { projectId: 1, sessionId: 0, since: null }).summary?.nextSteps).toBe('test it');
  });

  test('is only what is new and from others when the session goes on', () => {
    put(1, draft('before', 10));
    put(1, draft('own', 30));
    put(2, draft('from another', 20));
    expect(titles(chooseMemories(store.db, { projectId: 1, sessionId: 1, since: 15 }).index)).toEqual(['from another']);
  });

  test('is also what holds everywhere, and nothing that is hidden', () => {
    put(1, draft('here', 1));
    const hidden = put(1, draft('hidden', 2));
    const project = ensureGlobalProject(store.db, 0);
    const said = (title: string, at: number) =>
      insertObservation(
        store.db,
        { sessionId: 3, projectId: project.id, promptNumber: 0, batchId: null, isProvisional: false },
        draft(title, at, { type: 'decision', origin: 'user' }),
      );
    said('We use tabs', 3);
    const taken = said('We use spaces', 4);
    for (const id of [hidden, taken]) hideMemory(store.db, { kind: 'observation', id }, 5);
    const chosen = chooseMemories(store.db, { projectId: 1, sessionId: 0, since: null });
    expect(titles(chosen.index)).toEqual(['here']);
    expect(titles(chosen.everywhere)).toEqual(['We use tabs']);
    const { text, shown } = renderContext(chosen, { projectName: 'shop', budgetTokens: 2000, isUpdate: false });
    expect(text).toContain('## In every project\n#3 ');
    expect(shown.observationIds).toContain(chosen.everywhere[0]?.id ?? 0);
  });
});
