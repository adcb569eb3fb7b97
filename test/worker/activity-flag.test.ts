import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody, SessionEvent } from '../../src/core/event.ts';
import { type ActivityFlag, createActivityFlag } from '../../src/worker/activity-flag.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let flag: ActivityFlag;
let now = 1000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-flag-'));
  flag = createActivityFlag({ path: join(folder, 'activity.flag'), log, clock: () => now });
});
afterEach(() => rmSync(folder, { recursive: true }));

const note = (session: string, body: EventBody) =>
  flag.note(
    { ...body, id: 'x', session, cwd: '/', at: now, promptId: null, agentId: null } as SessionEvent,
    () => session,
  );
const read = () => JSON.parse(readFileSync(join(folder, 'activity.flag'), 'utf8'));

test('is up from a prompt to its stop', () => {
  note('shop', { kind: 'prompt', text: 'go' });
  expect(read()).toEqual({ active: true, project: 'shop', timestamp: now });
  note('shop', { kind: 'stop', message: 'done' });
  expect(read()).toEqual({ active: false, project: 'shop', timestamp: now });
});

test('stays up while another session works', () => {
  note('shop', { kind: 'prompt', text: 'go' });
  note('bank', { kind: 'prompt', text: 'go' });
  expect(read()).toMatchObject({ active: true, project: 'bank' });
  note('bank', { kind: 'end', reason: 'other' });
  expect(read()).toMatchObject({ active: true, project: 'shop' });
  note('shop', { kind: 'stop', message: 'done' });
  expect(read()).toMatchObject({ active: false });
});

test('forgets a session that was killed, is for this user alone, and goes down with the worker', () => {
  note('killed', { kind: 'prompt', text: 'go' });
  now += 31 * 60_000;
  note('shop', { kind: 'prompt', text: 'go' });
  note('shop', { kind: 'stop', message: 'done' });
  expect(read().active).toBe(false);
  note('shop', { kind: 'prompt', text: 'go' });
  flag.close();
  expect(read().active).toBe(false);
  expect(statSync(join(folder, 'activity.flag')).mode & 0o777).toBe(0o600);
});
