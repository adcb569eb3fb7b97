import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody, SessionEvent } from '../../../src/core/event.ts';
import { type ActivityFlag, createActivityFlag } from '../../../src/worker/watch/activity-flag.ts';
import { bash, sessionEnd, stop, userPrompt } from '../../support/payloads.ts';
import { createTestStore } from '../../support/store.ts';

const MINUTE = 60_000;
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
let flag: ActivityFlag;
let now = 1000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-flag-'));
  path = join(folder, 'activity.flag');
  now = 10 * 24 * 60 * MINUTE;
  flag = createActivityFlag({ path, log, clock: () => now });
});
afterEach(() => rmSync(folder, { recursive: true }));

const TOOL: EventBody = {
  kind: 'tool',
  tool: 'Bash',
  toolUseId: null,
  action: { type: 'other', input: null, output: null },
  error: null,
  durationMs: null,
};
const note = (session: string, body: EventBody, more: Partial<SessionEvent> = {}) =>
  flag.note(
    { ...body, id: 'x', session, cwd: '/', at: now, promptId: null, agentId: null, ...more } as SessionEvent,
    () => session,
  );
const prompt = (session: string, at = now) => note(session, { kind: 'prompt', text: 'go' }, { at });
const end = (session: string, at = now) => note(session, { kind: 'stop', message: 'done' }, { at });
const read = () => JSON.parse(readFileSync(path, 'utf8'));

describe('the activity flag', () => {
  test('is up from a prompt to its stop', () => {
    prompt('shop');
    expect(read()).toEqual({ active: true, project: 'shop', timestamp: now });
    end('shop');
    expect(read()).toEqual({ active: false, project: 'shop', timestamp: now });
  });

  test('stays up while another session works', () => {
    prompt('shop');
    prompt('bank');
    expect(read()).toMatchObject({ active: true, project: 'bank' });
    note('bank', { kind: 'end', reason: 'other' });
    expect(read()).toMatchObject({ active: true, project: 'shop' });
    end('shop');
    expect(read()).toMatchObject({ active: false });
  });

  test('forgets a session that was killed, is for this user alone, and goes down with the worker', () => {
    prompt('killed');
    now += 31 * MINUTE;
    prompt('shop');
    end('shop');
    expect(read().active).toBe(false);
    prompt('shop');
    flag.close();
    expect(read().active).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('stays up for a turn of any length whose tools keep coming', () => {
    prompt('long');
    for (let minute = 0; minute < 45; minute++) {
      now += MINUTE;
      note('long', TOOL, { agentId: minute % 2 ? 'a1' : null });
    }
    prompt('short');
    end('short');
    expect(read()).toMatchObject({ active: true, project: 'long' });
  });

  test('is put down by a worker that starts, whatever a killed one left', () => {
    prompt('shop');
    flag = createActivityFlag({ path, log, clock: () => now });
    expect(read()).toMatchObject({ active: false });
    end('shop');
    expect(read()).toMatchObject({ active: false });
  });

  test('goes up again after a restart with the next tool of the session', () => {
    note('shop', TOOL);
    expect(read()).toMatchObject({ active: true, project: 'shop' });
  });

  test.each([
    ['a tool whose hook nobody waited for', 500, () => note('shop', TOOL)],
    ['an agent in the background', MINUTE, () => note('shop', TOOL, { agentId: 'a1' })],
    ['the prompt of the turn, come late', MINUTE, () => prompt('shop', now - 2 * MINUTE)],
    ['a compaction by hand', MINUTE, () => note('shop', { kind: 'compaction', summary: '' })],
    ['a prompt from the spool, hours old', MINUTE, () => prompt('bank', now - 300 * MINUTE)],
  ])('is not put up after the stop by %s', (_, laterMs, arrive) => {
    prompt('shop');
    now += MINUTE;
    end('shop');
    now += laterMs;
    arrive();
    expect(read()).toMatchObject({ active: false });
  });

  test('is put up again when a stop was not the end and the agent works on', () => {
    prompt('shop');
    end('shop');
    now += MINUTE;
    note('shop', TOOL);
    expect(read()).toMatchObject({ active: true });
  });

  test('is not put down by a late stop of an earlier turn', () => {
    prompt('shop');
    end('shop', now - MINUTE);
    expect(read()).toMatchObject({ active: true });
  });

  test('is written only when it changes', () => {
    prompt('shop');
    unlinkSync(path);
    writeFileSync(path, 'as it was');
    note('shop', TOOL);
    prompt('shop');
    expect(readFileSync(path, 'utf8')).toBe('as it was');
  });
});

describe('what the flag is told of', () => {
  const CWD = '/home/dev/shop';

  test('is what is new, private or not', () => {
    const store = createTestStore();
    try {
      const secret = { prompt_id: 'p' };
      const said = userPrompt('s', CWD, '<private>diary</private>', secret);
      const ended = sessionEnd('s', CWD);
      const kinds = [
        store.take('new', said),
        store.take('save', bash('s', CWD, 'ls', 'x', secret)),
        store.take('summary', stop('s', CWD, 'done', secret)),
        store.take('new', said),
        store.take('cleanup', ended),
        store.take('cleanup', ended),
        store.take('save', { hook_event_name: 'PostToolUse' }),
      ].map(({ happened }) => happened?.event.kind ?? null);
      expect(kinds).toEqual(['prompt', 'tool', 'stop', null, 'end', 'end', null]);
    } finally {
      store.close();
    }
  });
});
