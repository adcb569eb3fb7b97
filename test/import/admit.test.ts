import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ensureSession } from '../../src/capture/sessions.ts';
import { beginSilence, type SilenceSettings } from '../../src/capture/silence.ts';
import { hashPrompt } from '../../src/core/ids.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import type { SummaryDraft } from '../../src/core/summary.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { hideMemory } from '../../src/forget/hide.ts';
import { bury } from '../../src/forget/tombstones.ts';
import { admitObservation, admitPrompt, admitSummary, type MemoryPlace, refuseMemory } from '../../src/import/admit.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const T = Date.parse('2026-01-02T10:00:00Z');
const SECRET = 'ghp_0123456789abcdefABCDEF0123456789abcd';
const PLACE: MemoryPlace = {
  project: { key: '/home/dev/shop', name: 'shop', root: '/home/dev/shop', remote: null },
  session: 's-1',
  cwd: '/home/dev/shop/api',
  at: T,
};
const DRAFT: ObservationDraft = {
  type: 'bugfix',
  title: 'Carts survive the login',
  subtitle: null,
  narrative: 'The merge waits for the user.',
  facts: [{ text: 'mergeCart runs last', sources: ['e-1'] }],
  concepts: ['cart'],
  keywords: 'shopping basket, sign-in',
  filesRead: ['src/login.ts'],
  filesModified: ['src/cart.ts'],
  outcome: null,
  origin: 'agent',
  sources: [],
  at: T,
};
const SUMMARY: SummaryDraft = {
  request: 'Mend the carts',
  investigated: null,
  learned: 'The merge ran too early.',
  completed: null,
  nextSteps: null,
  filesRead: [],
  filesEdited: ['src/cart.ts'],
  notes: null,
  at: T,
};

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const door = (settings: Partial<SilenceSettings> = {}) => ({ skipTools: [], ...settings });
const refuse = (more: Partial<MemoryPlace> = {}, settings: Partial<SilenceSettings> = {}) =>
  refuseMemory(store.db, { ...PLACE, ...more }, door(settings));
const admit = (more: Partial<ObservationDraft> = {}, settings = {}, place = PLACE) =>
  admitObservation(store.db, { ...DRAFT, ...more }, place, door(settings));
const sum = (more: Partial<SummaryDraft> = {}, settings = {}) => admitSummary(store.db, { ...SUMMARY, ...more }, PLACE, door(settings));
const prompt = (text: string) => admitPrompt(store.db, text, PLACE);

function storeOne(): number {
  const project = ensureProject(store.db, PLACE.project, T);
  const place = { cwd: PLACE.cwd, root: PLACE.project.root, branch: null };
  const session = ensureSession(store.db, {
    host: 'h',
    hostSessionId: 'other',
    projectId: project.id,
    ...place,
    at: T,
  });
  const owner = { sessionId: session.id, projectId: project.id, promptNumber: 0, batchId: null, isProvisional: false };
  return insertObservation(store.db, owner, DRAFT);
}

describe('a memory that others made is refused', () => {
  test('for nothing, mostly', () => expect(refuse()).toBeNull());

  test('when it happened in a pause, not when it comes in one', () => {
    beginSilence(store.db, { scope: 'everything', key: '', since: T - 1000, until: T + 1000 });
    expect(refuse()).toBe('paused');
    expect(refuse({ at: T + 2000 })).toBeNull();
  });

  test('when its project or its session was paused', () => {
    beginSilence(store.db, { scope: 'project', key: PLACE.project.key, since: T, until: T + 10 });
    beginSilence(store.db, { scope: 'session', key: 's-2', since: T + 10, until: null });
    expect(refuse()).toBe('paused');
    expect(refuse({ at: T + 10 })).toBeNull();
    expect(refuse({ at: T + 10, session: 's-2' })).toBe('paused');
  });

  test('when memory is off, everywhere or there', () => {
    expect(refuse({}, { off: true })).toBe('off');
    expect(refuse({}, { projects: { shop: { off: true } } })).toBe('off');
    expect(refuse({}, { projects: { other: { off: true } } })).toBeNull();
  });

  test('when it was made in an excluded folder', () => {
    expect(refuse({}, { excludePaths: ['api/'] })).toBe('excluded');
    expect(refuse({ cwd: '/home/dev/shop' }, { excludePaths: ['api/'] })).toBeNull();
  });

  test('when its session was forgotten, or is our own observer', () => {
    bury(store.db, 'session', 's-1', T);
    expect(refuse()).toBe('forgotten');
    store.db.run(
      "INSERT INTO model_calls (provider, model, host_session_id, status, created_at, created_at_epoch) VALUES ('p', 'm', 's-3', 'done', '', 0)",
    );
    expect(refuse({ session: 's-3' })).toBe('own-observer');
  });
});

describe('an observation that others made', () => {
  test('comes in as it is when nothing speaks against it', () => expect(admit()).toEqual(DRAFT));

  test('loses what is private and what is secret, in every field', () => {
    const text = `Before <private>salary</private> ${SECRET} after`;
    const admitted = admit({
      title: text,
      subtitle: text,
      narrative: text,
      facts: [{ text, sources: [] }],
      concepts: [text],
      filesRead: [`/tmp/${SECRET}`],
    });
    const all = JSON.stringify(admitted);
    expect(all).not.toContain('salary');
    expect(all).not.toContain(SECRET);
    expect(all.match(/Before {2}\[secret:[^\]]+\] after/g)?.length).toBe(5);
  });

  test('is none when nothing is left of it', () => {
    expect(admit({ title: '<private>x</private>', narrative: '<private>open', facts: [], subtitle: ' ' })).toBeNull();
  });

  const excludePaths = ['secrets/', '*.pem', '/srv/keys'];
  test('names no excluded file', () => {
    const admitted = admit(
      {
        narrative: 'The cart waits. It reads `secrets/a.ts` first.\nThen it is stored.',
        facts: [
          { text: 'The key is /srv/keys/a', sources: [] },
          { text: 'mergeCart runs last', sources: [] },
        ],
        filesRead: ['secrets/a.ts', 'src/login.ts', 'server.pem'],
      },
      { excludePaths },
    );
    expect(admitted).toMatchObject({
      narrative: 'The cart waits.\nThen it is stored.',
      facts: [{ text: 'mergeCart runs last' }],
      filesRead: ['src/login.ts'],
    });
  });

  test('is none when it is about excluded files alone, or called after one', () => {
    expect(admit({ filesRead: ['server.pem'], filesModified: ['secrets/a.ts'] }, { excludePaths })).toBeNull();
    expect(admit({ title: 'Renewed server.pem' }, { excludePaths })).toBeNull();
  });

  test('is judged by every end of a path where nobody knows the root', () => {
    const place = { ...PLACE, cwd: '', project: { key: 'k', name: 'shop', root: '', remote: null } };
    const settings = { excludePaths: ['config/keys/**'] };
    expect(admit({ filesRead: [], filesModified: ['/Users/ann/shop/config/keys/a'] }, settings, place)).toBeNull();
    expect(admit({ filesRead: [], filesModified: ['/Users/ann/shop/config/a'] }, settings, place)).not.toBeNull();
  });

  test('does not come back when it was erased, or waits to be', () => {
    const id = storeOne();
    expect(admit()).not.toBeNull();
    hideMemory(store.db, { kind: 'observation', id }, T);
    expect(admit()).toBeNull();
    store.db.transaction(() => eraseMemories(store.db, [{ kind: 'observation', id }], { at: T, onPieces: () => undefined }))();
    expect(admit()).toBeNull();
    expect(admit({ outcome: 'passed' })).toBeNull();
  });
});

describe('a summary that others made', () => {
  test('goes the same way', () => {
    expect(sum()).toEqual(SUMMARY);
    expect(sum({ learned: `It needs ${SECRET}` })?.learned).toMatch(/^It needs \[secret:/);
    expect(sum({ notes: 'See secrets/a.ts.' }, { excludePaths: ['secrets/'] })?.notes).toBeNull();
    expect(sum({ filesEdited: ['secrets/a.ts'] }, { excludePaths: ['secrets/'] })?.filesEdited).toEqual([]);
    expect(sum({ request: null, learned: '<private>x</private>' })).toBeNull();
  });
});

describe('a prompt that others kept', () => {
  test('goes the same way, and a wholly private one leaves a marker', () => {
    expect(prompt(`Use ${SECRET} <private>here</private>`)?.text).toMatch(/^Use \[secret:[^\]]+\] $/);
    expect(prompt('<private>all of it</private>')).toEqual({ text: '', isPrivate: true });
    expect(prompt('<system-reminder>read this</system-reminder>')).toBeNull();
    expect(prompt('Go on')).toEqual({ text: 'Go on', isPrivate: false });
  });

  test('does not come back when it was forgotten in its session', () => {
    bury(store.db, 'text', hashPrompt('s-1', 'Tell nobody'), T);
    expect(prompt('Tell nobody')).toBeNull();
    expect(admitPrompt(store.db, 'Tell nobody', { ...PLACE, session: 's-9' })).not.toBeNull();
  });
});
