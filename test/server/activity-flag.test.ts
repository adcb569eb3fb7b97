import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody, SessionEvent } from '../../src/core/event.ts';
import { createActivityFlag } from '../../src/server/activity-flag.ts';

const MINUTE = 60_000;
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
let flag: ReturnType<typeof createActivityFlag>;
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
  flag.note({ ...body, id: 'x', session, cwd: '/', at: now, promptId: null, agentId: null, ...more } as SessionEvent, () => session);
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

  test.each([
    ['a tool of the turn, come late', () => note('shop', TOOL)],
    ['an agent in the background', () => note('shop', TOOL, { agentId: 'a1' })],
    ['a compaction by hand', () => note('shop', { kind: 'compaction', summary: '' })],
    ['a prompt from the spool, hours old', () => prompt('bank', now - 300 * MINUTE)],
  ])('is not put up after the stop by %s', (_, arrive) => {
    prompt('shop');
    now += MINUTE;
    end('shop');
    now += MINUTE;
    arrive();
    expect(read()).toMatchObject({ active: false });
  });

  test('is not put down by a late stop of an earlier turn', () => {
    prompt('shop');
    end('shop', now - MINUTE);
    expect(read()).toMatchObject({ active: true });
  });
});
