// When a transcript is read, and that nothing of its session is observed before.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { utimesSync, writeFileSync } from 'node:fs';
import { Reconcile, type WantedTranscript } from '../../src/capture/reconcile.ts';
import { saveTranscript } from '../../src/capture/transcript-files.ts';
import { sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let store: TestStore;
let past: Transcripts;
let reconcile: Reconcile;
let taken: (WantedTranscript & { busy: boolean })[];
let now: number;
let isSlow: Promise<void>;

beforeEach(() => {
  store = createTestStore();
  past = createTranscripts();
  taken = [];
  isSlow = Promise.resolve();
  now = Date.parse('2026-01-02T12:00:00Z');
  reconcile = new Reconcile({
    db: store.db,
    take: async ({ signal: _signal, ...wanted }) => {
      taken.push({ ...wanted, busy: reconcile.isBusy(wanted.session) });
      await isSlow;
      return 0;
    },
    onStored: () => undefined,
    log: quiet,
    clock: () => now,
    sweepMs: 10,
  });
});

afterEach(async () => {
  await reconcile.close();
  store.close();
  past.dispose();
});

const named = (payload: object, path: string) => ({ ...payload, transcript_path: path });

/** A session that is known, with a file that was written to so long ago. */
function begin(session: string, minutesAgo: number): string {
  const path = past.write(`p/${session}.jsonl`, 'x', now - minutesAgo * MINUTE);
  for (const payload of [sessionStart(session, past.folder), userPrompt(session, past.folder, 'Hello')])
    reconcile.note(store.take('context', named(payload, path), { receivedAt: now - minutesAgo * MINUTE }));
  return path;
}

test('at the end of a turn and of a session', async () => {
  const path = begin('one', 0);
  expect(taken).toEqual([]);
  reconcile.note(store.take('summary', named(stop('one', past.folder, 'Done.'), path)));
  expect(reconcile.isBusy('one')).toBe(true);
  await until(() => taken.length === 1);
  expect(taken[0]).toMatchObject({ path, host: 'claude-code', session: 'one', isOver: false, busy: true });
  await until(() => !reconcile.isBusy('one'));
  reconcile.note(
    store.take('cleanup', named({ session_id: 'one', cwd: past.folder, hook_event_name: 'SessionEnd', reason: 'other' }, path)),
  );
  await until(() => taken.length === 2);
  expect(taken[1]).toMatchObject({ isOver: true });
});

test('when a session has fallen silent, and not again while its file is as it was', async () => {
  const path = begin('silent', 2);
  begin('lively', 0);
  await until(() => taken.length > 0);
  // On a busy machine two looks may come before this line: each finds what nobody has saved as read.
  expect(new Set(taken.map(({ session }) => session))).toEqual(new Set(['silent']));
  saveTranscript(
    store.db,
    {
      path,
      host: 'claude-code',
      hostSessionId: 'silent',
      agentId: null,
      position: 0,
      size: 1,
      mtime: now - 2 * MINUTE,
      beginning: '',
      isOver: false,
    },
    now,
  );
  await until(() => !reconcile.hasWork());
  taken.length = 0;
  // Found by a later look, which passed the first one over.
  begin('another', 3);
  await until(() => taken.length > 0);
  expect(new Set(taken.map(({ session }) => session))).toEqual(new Set(['another']));
  writeFileSync(path, 'xyz');
  utimesSync(path, (now - 2 * MINUTE) / 1000, (now - 2 * MINUTE) / 1000);
  await until(() => taken.some(({ session }) => session === 'silent'));
});

test('at the start of a worker, whatever changed; after a day nothing is expected of it any more', async () => {
  begin('yesterday', 26 * 60);
  begin('lately', 0);
  reconcile.resume();
  await until(() => taken.length >= 2);
  expect(taken.find(({ session }) => session === 'yesterday')?.isOver).toBe(true);
  expect(taken.find(({ session }) => session === 'lately')?.isOver).toBe(false);
});

test('not while somebody else reads it', async () => {
  const path = begin('one', 0);
  const release = reconcile.hold('one');
  reconcile.note(store.take('summary', named(stop('one', past.folder, 'Done.'), path)));
  await reconcile.settle(200);
  expect(taken).toEqual([]);
  expect(reconcile.isBusy('one')).toBe(true);
  release();
  await until(() => taken.length === 1);
});

test('whoever waits for it waits no longer than it wants to', async () => {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  isSlow = promise;
  const path = begin('one', 0);
  reconcile.note(store.take('summary', named(stop('one', past.folder, 'Done.'), path)));
  await reconcile.settle(100);
  expect(reconcile.isBusy('one')).toBe(true);
  go();
  await until(() => !reconcile.isBusy('one'));
});
