// After a session has ended, its project's next page is written in a quiet moment, and again when its last turn was processed.
import { expect, test } from 'bun:test';
import type { Ingested } from '../../src/capture/ingest.ts';
import type { Log } from '../../src/log.ts';
import { createPreparing } from '../../src/server/housekeeping.ts';
import { until } from '../support/until.ts';

const ignore = () => undefined;
const LOG: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

// Only what is looked at.
const happens = (kind: 'end' | 'prompt') => ({ happened: { event: { kind, cwd: '/home/dev/shop' } } }) as unknown as Ingested;

function createTried({ isQuiet }: { isQuiet: () => boolean }) {
  const prepared: string[] = [];
  let asked = 0;
  const preparing = createPreparing({
    prepare: async (cwd) => void prepared.push(cwd),
    quietMs: () => {
      asked++;
      return isQuiet() ? 5000 : 0;
    },
    log: LOG,
  });
  return { preparing, prepared, asked: () => asked };
}

test('it is written once nobody was heard for a moment, and for what is stored then a few times more', async () => {
  let isQuiet = false;
  const { preparing, prepared, asked } = createTried({ isQuiet: () => isQuiet });
  preparing.wake();
  preparing.note(happens('end'));
  await until(() => asked() > 0 || null);
  expect(prepared).toEqual([]);
  isQuiet = true;
  await until(() => prepared.length > 0 || null);
  for (const count of [2, 3]) {
    preparing.wake();
    await until(() => prepared.length === count || null);
  }
  preparing.wake();
  preparing.close();
  expect(prepared).toEqual(Array(3).fill('/home/dev/shop'));
});

test('work that goes on lets go of it', async () => {
  const { preparing, prepared, asked } = createTried({ isQuiet: () => true });
  preparing.note(happens('end'));
  preparing.note(happens('prompt'));
  const other = createTried({ isQuiet: () => true });
  other.preparing.note(happens('end'));
  await until(() => other.prepared.length > 0 || null);
  other.preparing.close();
  expect([prepared.length, asked()]).toEqual([0, 0]);
});
