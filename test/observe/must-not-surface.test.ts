// What must never be told by itself, on any occasion: each forbidden memory fits as well as the one that may be told.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureSession } from '../../src/capture/sessions.ts';
import { markError } from '../../src/core/error-mark.ts';
import { bareEvidence, type Evidence } from '../../src/core/evidence.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { identifyProject } from '../../src/git/identity.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { openStore } from '../../src/store/open.ts';
import { EMPTY_OBSERVATION } from '../support/memories.ts';
import { bash, bashFailure, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const ERROR = "Error: ENOENT: no such file or directory, open '/srv/rates/exchange.json'";
const SECRET = `ghp_${'k3J9xQ2mV7bT'.repeat(3)}`;
const FORBIDDEN = {
  'of another project': 'zzother',
  hidden: 'zzhidden',
  erased: 'zzerased',
  'marked wrong': 'zzwrong',
  replaced: 'zzreplaced',
  'from the web': 'zzweb',
  'from an MCP tool': 'zzmcp',
  quarantined: 'zzquarantine',
  'of a distrusted session': 'zzdistrusted',
  'said in a pause': 'zzpaused',
  'a secret': SECRET,
};

let worker: TestWorker;
let cwd: string;
let outputs: Map<string, string>;

describe.each([
  ['a decision', false],
  ['a rule of the user', true],
])('%s', (_, isRule) => {
  beforeAll(async () => {
    outputs = new Map();
    worker = createTestWorker();
    cwd = join(worker.paths.dataDir, 'work/shop');
    const other = join(worker.paths.dataDir, 'work/other');
    for (const folder of [cwd, other]) mkdirSync(folder, { recursive: true });
    const ids = fill(cwd, other, isRule);
    await worker.start();
    // Each word stands in two: the fix is stored right before the decision.
    const both = (word: string) => [(ids[word] ?? 0) - 1, ids[word] ?? 0];
    const correct = (word: string, body: object) =>
      Promise.all(both(word).map((id) => worker.call('PATCH', `/api/observations/${id}`, { ...body, by: 'user' })));
    const calls = [
      await worker.call('DELETE', `/api/observations/${both('zzhidden')}`),
      await worker.call('DELETE', `/api/observations/${both('zzerased')}?erase=true`),
      ...(await correct('zzwrong', { wrong: true })),
      ...(await correct('zzreplaced', { supersededBy: String(ids.allowed) })),
      await worker.call('POST', '/api/memory/distrust', { source: 'session:bad', by: 'user' }),
      await worker.call('POST', '/api/silence', {}),
    ];
    for (const { status } of calls) expect([200, 201]).toContain(status);
    await worker.send('new', userPrompt('quiet', cwd, sentence('zzpaused')));
    await worker.send('summary', stop('quiet', cwd, sentence('zzpaused')));
    outputs.set('start in a pause', await worker.send('context', sessionStart('muted', cwd)));
    outputs.set('prompt in a pause', await worker.send('new', userPrompt('muted', cwd, QUESTION)));
    await worker.call('DELETE', '/api/silence', { all: true });
    await ask('one');
  });

  afterAll(() => worker.dispose());

  const sentence = (word: string) => `Exchange rates of the price module are bundled ${word}, never read from exchange.json at run time.`;
  const QUESTION = 'Why are the exchange rates of the price module bundled and not read from exchange.json at run time?';

  /** Each with its own word, and the same topic, file and error. */
  function fill(here: string, elsewhere: string, isRule: boolean): Record<string, number> {
    const db = openStore(worker.paths.database);
    let at = Date.now() - 3_600_000;
    const put = (word: string, session: string, folder: string, more: Partial<ObservationDraft & Evidence> = {}) => {
      const identity = identifyProject(folder);
      const projectId = ensureProject(db, identity, at).id;
      const place = { host: 'claude-code', projectId, cwd: folder, root: identity.root, branch: null, at };
      const { id: sessionId } = ensureSession(db, { ...place, hostSessionId: session });
      const draft: ObservationDraft = {
        ...EMPTY_OBSERVATION,
        type: 'decision',
        title: sentence(word),
        narrative: `We decided that ${word}: ${sentence(word)}`,
        filesModified: ['src/price.ts'],
        at: at++,
        // Else it would not be given as a rule in any case.
        ...(isRule ? { origin: 'user' as const } : {}),
        ...(more.origin ? { origin: more.origin } : {}),
      };
      const evidence = { ...bareEvidence(draft), errorMarks: markError(ERROR), ...more };
      const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
      const fix = { ...draft, type: 'bugfix' as const, outcome: 'passed' as const, title: `Fixed the read: ${draft.title}` };
      insertObservation(db, owner, fix, evidence);
      return insertObservation(db, owner, { ...draft, isRule }, { ...evidence, errorMarks: [] });
    };
    const ids: Record<string, number> = {};
    for (const word of ['zzhidden', 'zzerased', 'zzwrong', 'zzreplaced', SECRET]) ids[word] = put(word, `s-${word.slice(0, 9)}`, here);
    ids.zzother = put('zzother', 'other', elsewhere);
    ids.zzweb = put('zzweb', 'web', here, { origin: 'web', trust: 1 });
    ids.zzmcp = put('zzmcp', 'mcp', here, { origin: 'mcp', trust: 1 });
    ids.zzquarantine = put('zzquarantine', 'q', here, { isQuarantined: true });
    ids.zzdistrusted = put('zzdistrusted', 'bad', here);
    ids.allowed = put('zzallowed', 'good', here, { origin: 'user' });
    db.close();
    return ids;
  }

  async function ask(session: string): Promise<void> {
    const edit = {
      session_id: session,
      cwd,
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: `${cwd}/src/price.ts` },
    };
    const preview = async (query: string) => {
      const { body } = await worker.call('GET', `/api/context/preview?cwd=${encodeURIComponent(cwd)}${query}`);
      // What is left out is named for people, and told to nobody.
      return JSON.stringify({ ...body, leftOut: [] });
    };
    outputs.set('start', await worker.send('context', sessionStart(session, cwd)));
    // In a session of its own: what one was given at its start it is not given again.
    outputs.set('first prompt', await worker.send('new', userPrompt(`${session}-asks`, cwd, QUESTION)));
    outputs.set('before an edit', await worker.send('context', edit));
    outputs.set('after an error', await worker.send('save', bashFailure(session, cwd, 'node src/price.ts', ERROR)));
    outputs.set('preview', await preview(''));
    outputs.set('preview of a prompt', await preview(`&prompt=${encodeURIComponent(QUESTION)}`));
    outputs.set('preview of an edit', await preview('&file=src/price.ts'));
    outputs.set('replay', JSON.stringify((await worker.call('GET', `/api/context/replay?session=${session}`)).body));
  }

  test('what may be told is told, on every occasion', () => {
    for (const [occasion, output] of outputs) {
      if (!occasion.includes('pause')) expect({ occasion, output }).toEqual({ occasion, output: expect.stringContaining('zzallowed') });
    }
  });

  describe.each(Object.entries(FORBIDDEN))('what is %s', (_, word) => {
    test('is in no output', () => {
      for (const [occasion, output] of outputs) expect({ occasion, has: output.includes(word) }).toEqual({ occasion, has: false });
    });
  });

  test('in a pause nothing is told, and a starting session says so', () => {
    expect(outputs.get('start in a pause')).toContain('paused');
    expect(outputs.get('start in a pause')).not.toContain('claude-mem-context');
    expect(outputs.get('prompt in a pause')).toBe('');
  });

  test('what comes back is told again: the newer one is taken for wrong, the source is trusted', async () => {
    for (const { id } of worker.rows<{ id: number }>("SELECT id FROM observations WHERE title LIKE '%zzallowed%'"))
      await worker.call('PATCH', `/api/observations/${id}`, { wrong: true, by: 'user' });
    await worker.call('POST', '/api/memory/distrust', { source: 'session:bad', trusted: true, by: 'user' });
    const told = await worker.send('context', sessionStart('two', cwd));
    expect(told).toContain('zzreplaced');
    expect(told).toContain('zzdistrusted');
    expect(told).not.toContain('zzallowed');
    const replay = JSON.stringify((await worker.call('GET', '/api/context/replay?session=one')).body);
    expect(replay).toContain('zzallowed');
  });

  test('what may be given as a rule is, and stands first', () => {
    expect(outputs.get('start')?.includes('The user asked for')).toBe(isRule);
  });
});

describe('the record of a turn', () => {
  const said = (word: string) => `The postage of a parcel is rounded up ${word} for each kilogram, as the carrier bills it.`;
  const TURNS = { good: 'zzgood', elsewhere: 'zzelsewhere', blocked: 'zzblocked' };

  test('is given with a prompt, but not that of another project or of a blocked session', async () => {
    worker = createTestWorker();
    cwd = join(worker.paths.dataDir, 'work/shop');
    const other = join(worker.paths.dataDir, 'work/other');
    for (const folder of [cwd, other]) mkdirSync(folder, { recursive: true });
    await worker.start();
    for (const [session, word] of Object.entries(TURNS)) {
      const folder = session === 'elsewhere' ? other : cwd;
      await worker.send('new', userPrompt(session, folder, `Look at the postage of a parcel ${word}`));
      await worker.send('save', bash(session, folder, 'cat src/postage.ts', 'roundUp(weight)'));
      await worker.send('summary', stop(session, folder, said(word)));
    }
    await until(() => worker.rows('SELECT id FROM turns').length === 3);
    const block = { source: 'session:blocked', by: 'user' };
    expect((await worker.call('POST', '/api/memory/distrust', block)).status).toBeLessThan(300);
    const question = 'How is the postage of a parcel rounded for each kilogram?';
    const given = [
      await worker.send('context', sessionStart('asks', cwd)),
      await worker.send('new', userPrompt('asks-more', cwd, question)),
      JSON.stringify((await worker.call('GET', `/api/context/preview?cwd=${cwd}&prompt=${encodeURIComponent(question)}`)).body.text),
    ];
    for (const text of given) {
      expect(text).toContain(TURNS.good);
      expect(text).not.toContain(TURNS.elsewhere);
      expect(text).not.toContain(TURNS.blocked);
    }
    await worker.dispose();
  });
});
