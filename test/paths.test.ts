import { afterEach, expect, test } from 'bun:test';
import { workerEnvironment } from '../src/paths.ts';

const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

test.each(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC', 'Etc/GMT+5', 'CET-1CEST'])(
  'a worker that a hook starts has the clock of its user: %s',
  (zone) => {
    process.env.TZ = zone;
    expect(workerEnvironment('/data')).toMatchObject({ TZ: zone, CLAUDE_MEM_DATA_DIR: '/data' });
  },
);

test.each(['/repo/zone', ':/repo/zone', ':UTC', '../repo/zone', 'Europe/../../repo', '', 'a b', 'Z'.repeat(65)])(
  'what may be a file is no time zone: %p',
  (zone) => {
    process.env.TZ = zone;
    expect(workerEnvironment('/data').TZ).toBeUndefined();
  },
);
